#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/node_ranges.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_memory.hpp"

namespace yupana::forest {
namespace {

// Nodes of fewer rows are grown to their leaves by one thread: of 18 features the lists are 4 MiB
// then and stay in cache, and a tree of a million rows has tens of such nodes to share.
constexpr std::int64_t branch_rows = std::int64_t{1} << 15;

template <class T>
class Grower {
 public:
  Grower(Context& context,
         TableView<T> table,
         const Problem& problem,
         Lists& lists,
         const TreeParams& params)
      : context_(context),
        table_(table),
        problem_(problem),
        lists_(lists),
        params_(params),
        features_(table.columns, params.one_hot),
        ranges_{problem, lists, features_},
        memory_(context, problem.outputs(), bytes_of(table) + lists.bytes()),
        categories_(count_categories(table, params)),
        goes_left_(table.rows) {}

  Tree grow(bool parallel) {
    Segment root{0, lists_.size, 0, root_key(params_.seed), {}};
    root.last_entry = lists_.entries.size;
    root.totals = totals_of(problem_, lists_.row(0), lists_.size);
    all_weight_ = root.totals.weight;
    ranges_.least = leaf_limits(problem_, params_, all_weight_);
    std::vector<Segment> waiting;
    Tree top = grow_from(std::move(root), parallel, parallel ? &waiting : nullptr);
    if (!parallel) return top;
    std::vector<Tree> branches(waiting.size());
    context_.parallel_for(std::ssize(waiting), 1, [&](std::int64_t i) {
      Segment& segment = waiting[i];
      const Segment place = {0, 0, 0, 0, {}, segment.parent, segment.is_right};
      segment.parent = -1;
      branches[i] = grow_from(std::move(segment), false, nullptr);
      waiting[i] = place;
    });
    return grafted(std::move(top), waiting, std::move(branches));
  }

 private:
  /// Grows a node and what is below it, depth first, so that nodes come in preorder. Small nodes
  /// are left for `waiting`, if there is such a list.
  Tree grow_from(Segment first, bool parallel, std::vector<Segment>* waiting) {
    Tree tree;
    tree.outputs = problem_.outputs();
    std::vector<Segment> stack;
    stack.push_back(std::move(first));
    while (!stack.empty()) {
      context_.check_cancelled();
      Segment segment = std::move(stack.back());
      stack.pop_back();
      if (waiting != nullptr && segment.size() <= branch_rows) {
        waiting->push_back(std::move(segment));
        continue;
      }
      memory_.add(1);
      const std::int32_t index =
          add_leaf(problem_, segment.totals, segment.parent, segment.is_right, tree);
      clamp_value(segment.bounds, index, tree);
      Segment left, right;
      if (!split_node(segment, parallel, tree, left, right)) continue;
      left.parent = right.parent = index;
      right.is_right = true;
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
    return tree;
  }

  template <class Body>
  void each(std::int64_t count, bool parallel, const Body& body) {
    if (!parallel) {
      for (std::int64_t i = 0; i < count; ++i) body(i);
      return;
    }
    context_.parallel_for(count, 1, [&](std::int64_t i) {
      context_.check_cancelled();
      body(i);
    });
  }

  /// Finds the split of a node and parts its rows; false if it is to be a leaf.
  bool split_node(
      const Segment& segment, bool parallel, Tree& tree, Segment& left, Segment& right) {
    if (is_leaf(params_, segment.totals, segment.depth)) return false;
    const Split split = with_sides(problem_, segment.totals, [&](auto* sides) {
      return best_split<std::remove_pointer_t<decltype(sides)>>(segment, parallel);
    });
    if (split.feature < 0) return false;
    const double threshold = threshold_of(segment, split);
    CategorySet set = set_of_split(segment, split);
    const std::int64_t middle = segment.begin + split.left_rows;
    const std::int32_t column = features_.column(split.feature);
    assign_children(segment, split);
    const NodeRange range = ranges_.range_of(segment, split.feature);
    if (range.is_sparse || split.left_rows > split.known_left) partition_list(segment, column);
    left = {segment.begin, middle, segment.depth + 1, child_key(segment.key, false), {}};
    right = {middle, segment.end, segment.depth + 1, child_key(segment.key, true), {}};
    NodeRange rows = range;  // of all rows, now in order of the children
    rows.keys = lists_.key(column) + segment.begin;
    rows.rows = lists_.row(column) + segment.begin;
    left.totals = totals_in(problem_, rows, 0, split.left_rows);
    right.totals = totals_in(problem_, rows, split.left_rows, range.all);
    const int direction = params_.direction(split.feature);
    std::tie(left.bounds, right.bounds) =
        child_bounds(problem_, direction, segment.bounds, left.totals, right.totals);
    if (!gains_enough(problem_, params_, segment.totals, left.totals, right.totals, all_weight_)) {
      return false;
    }
    Node& node = tree.nodes.back();
    node.feature = split.feature;
    node.threshold = threshold;
    node.missing_left = sends_missing_left(split, range);
    if (is_categorical(split.feature)) {
      node.set = static_cast<std::int32_t>(tree.sets.size());
      memory_.add(tree.sets.emplace_back(std::move(set)));
    }
    // Two leaves need no lists.
    if (is_leaf(params_, left.totals, left.depth) && is_leaf(params_, right.totals, right.depth)) {
      return true;
    }
    each(lists_.features, parallel, [&](std::int64_t c) {
      if (c != column) partition_list(segment, c);
    });
    left.first_entry = segment.first_entry;
    left.last_entry = right.first_entry = segment.first_entry + partition_entries(segment);
    right.last_entry = segment.last_entry;
    return true;
  }

  template <class Sides>
  Split best_split(const Segment& segment, bool parallel) {
    std::vector<std::int32_t> features;
    const std::vector<SplitBound> bounds = bounds_of(bound_of<Sides>, segment, parallel, features);
    return forest::best_split<Sides>(
        problem_, segment.totals, features, bounds, [&](std::size_t i) {
          return ruled_range(segment, features[i]);
        });
  }

  /// bound_of() of a criterion: what is done with it is compiled once for all of them.
  using BoundOf = decltype(bound_of<VarianceSides>);

  /// The features of a node, ascending, and what each could do.
  std::vector<SplitBound> bounds_of(BoundOf* criterion_bound,
                                    const Segment& segment,
                                    bool parallel,
                                    std::vector<std::int32_t>& features) {
    if (params_.max_features == 0 || params_.max_features == features_.count()) {
      return bounds_of_all(criterion_bound, segment, parallel, features);
    }
    FeatureSampler draw(segment.key, features_.count());
    for (std::int64_t i = 0; i < params_.max_features; ++i) features.push_back(draw.next());
    std::vector<SplitBound> bounds(features.size());
    each(std::ssize(features), parallel, [&](std::int64_t i) {
      bounds[i] = bound_of_feature(criterion_bound, segment, features[i]);
    });
    std::vector<std::pair<std::int32_t, SplitBound>> drawn;
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (bounds[i].varies) drawn.emplace_back(features[i], bounds[i]);
    }
    while (!draw.empty() && drawn.empty()) {
      const std::int32_t feature = draw.next();
      const SplitBound bound = bound_of_feature(criterion_bound, segment, feature);
      if (bound.varies) drawn.emplace_back(feature, bound);
    }
    std::ranges::sort(drawn, {}, [](const auto& a) { return a.first; });
    features.resize(drawn.size());
    bounds.resize(drawn.size());
    for (std::size_t i = 0; i < drawn.size(); ++i) std::tie(features[i], bounds[i]) = drawn[i];
    return bounds;
  }

  SplitBound bound_of_feature(BoundOf* criterion_bound,
                              const Segment& segment,
                              std::int32_t feature) {
    if (is_categorical(feature)) {
      order_entries(problem_,
                    segment.totals,
                    ranges_.range_of(segment, feature),
                    lists_.key(feature) + segment.begin,
                    lists_.row(feature) + segment.begin);
    }
    return criterion_bound(problem_, segment.totals, ruled_range(segment, feature));
  }

  /// A feature's range with what splits keep to.
  NodeRange ruled_range(const Segment& segment, std::int32_t feature) const {
    NodeRange range = ranges_.range_of(segment, feature);
    if (!params_.has_rules()) return range;
    range.rule.direction = params_.direction(feature);
    range.rule.bounds = segment.bounds;
    range.rule.has_place = params_.random_splits;
    range.rule.place = range.known;
    if (!params_.random_splits || range.known == 0) return range;
    const T* const column = table_.column(feature);
    if (column[range.rows[0]] == column[range.rows[range.known - 1]]) return range;
    const T drawn = drawn_in(segment, feature, range);
    range.rule.place =
        std::partition_point(range.rows,
                             range.rows + range.known,
                             [&](std::uint32_t row) { return column[row] <= drawn; }) -
        range.rows;
    return range;
  }

  T drawn_in(const Segment& segment, std::int32_t feature, const NodeRange& range) const {
    const T* const column = table_.column(feature);
    return drawn_threshold(
        segment.key, feature, column[range.rows[0]], column[range.rows[range.known - 1]]);
  }

  /// Of one-hot columns those features alone that come close to the best of all.
  std::vector<SplitBound> bounds_of_all(BoundOf* criterion_bound,
                                        const Segment& segment,
                                        bool parallel,
                                        std::vector<std::int32_t>& features) {
    std::vector<SplitBound> bounds(lists_.features);
    std::vector<std::vector<std::pair<std::int32_t, SplitBound>>> best(bounds.size());
    each(lists_.features, parallel, [&](std::int64_t c) {
      if (!features_.is_one_hot(c)) {
        bounds[c] = bound_of_feature(criterion_bound, segment, features_.first(c));
        best[c] = {{features_.first(c), bounds[c]}};
        return;
      }
      ranges_.each_category(segment, c, [&](std::int32_t feature, const NodeRange& range) {
        const SplitBound own = criterion_bound(problem_, segment.totals, range);
        bounds[c].score = std::max(bounds[c].score, own.score);
        if (own.score >= least_score(bounds[c].score)) best[c].emplace_back(feature, own);
      });
    });
    const double least = least_score(bounds);
    bounds.clear();
    for (const auto& of_column : best) {
      for (const auto& [feature, bound] : of_column) {
        if (bound.score < least) continue;
        features.push_back(feature);
        bounds.push_back(bound);
      }
    }
    return bounds;
  }

  bool is_categorical(std::int64_t feature) const {
    return !categories_.empty() && categories_[feature] > 0;
  }

  /// Empty unless the feature is categorical.
  CategorySet set_of_split(const Segment& segment, const Split& split) const {
    if (!is_categorical(split.feature)) return {};
    const NodeRange range = ranges_.range_of(segment, split.feature);
    const T* column = table_.column(features_.column(split.feature));
    return set_of(range,
                  categories_[split.feature],
                  split.known_left,
                  sends_missing_left(split, range),
                  [&](std::int64_t i) { return column[range.rows[i]]; });
  }

  double threshold_of(const Segment& segment, const Split& split) const {
    if (is_categorical(split.feature)) return 0;
    const NodeRange range = ranges_.range_of(segment, split.feature);
    if (split.known_left == range.known && !params_.random_splits) {
      return std::numeric_limits<double>::infinity();
    }
    if (range.is_sparse) {
      const auto value_at = [&](std::int64_t place) {
        const std::int64_t entry = range.entry_at(place);
        return static_cast<T>(entry < 0 ? 0 : ranges_.value_at(range, entry));
      };
      return static_cast<double>(
          midpoint(value_at(split.known_left - 1), value_at(split.known_left)));
    }
    if (params_.random_splits) {
      return static_cast<double>(drawn_in(segment, split.feature, range));
    }
    const T* column = table_.column(features_.column(split.feature));
    return static_cast<double>(
        midpoint(column[range.rows[split.known_left - 1]], column[range.rows[split.known_left]]));
  }

  void assign_children(const Segment& segment, const Split& split) {
    const NodeRange range = ranges_.range_of(segment, split.feature);
    const auto mark =
        [&](const std::uint32_t* rows, std::int64_t begin, std::int64_t end, bool left) {
          for (std::int64_t i = begin; i < end; ++i) goes_left_[rows[i]] = left ? 1 : 0;
        };
    if (range.is_sparse) {
      const std::uint32_t* all = lists_.row(features_.column(split.feature)) + segment.begin;
      mark(all, 0, range.known, split.known_left > range.positive - range.first);
      for (std::int64_t place = 0; place < range.known; ++place) {
        const std::int64_t entry = range.entry_at(place);
        if (entry < 0)
          place += range.zeros() - 1;
        else
          goes_left_[range.rows[entry]] = place < split.known_left ? 1 : 0;
      }
      return mark(all, range.known, range.all, split.missing_left);
    }
    mark(range.rows, 0, split.known_left, true);
    mark(range.rows, split.known_left, range.known, false);
    mark(range.rows, range.known, range.all, split.missing_left);
  }

  void partition_list(const Segment& segment, std::int64_t column) {
    scratch_.partition(goes_left_.data(),
                       lists_.key(column) + segment.begin,
                       lists_.row(column) + segment.begin,
                       segment.size());
  }
  std::int64_t partition_entries(const Segment& segment) {
    return scratch_.partition(goes_left_.data(),
                              lists_.entries.numbers.data() + segment.first_entry,
                              lists_.entries.rows.data() + segment.first_entry,
                              segment.last_entry - segment.first_entry);
  }

  Context& context_;
  TableView<T> table_;
  const Problem& problem_;
  Lists& lists_;
  const TreeParams& params_;
  FeatureColumns features_;
  NodeRanges ranges_;
  TreeMemory memory_;
  std::vector<std::int64_t> categories_;  ///< of each feature, see count_categories()
  Array<std::uint8_t> goes_left_;         ///< of each row, in the split at work
  ListScratch scratch_;
  std::int64_t all_weight_ = 0;
};

}  // namespace

template <class T>
Tree grow(Context& context,
          TableView<T> table,
          const Problem& problem,
          Lists& lists,
          const TreeParams& params,
          bool parallel) {
  return Grower<T>(context, table, problem, lists, params).grow(parallel);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, grow)

namespace cpu {

template <class T>
Tree fit_tree(Context& context,
              TableView<T> table,
              const Problem& problem,
              const TreeParams& params) {
  SortedTable sorted;
  {
    Stage stage(context, "sort features");
    sorted = sort_table(context, table, params.one_hot);
  }
  Stage stage(context, "grow tree");
  Lists lists = take_lists(context, std::move(sorted), problem);
  return grow(context, table, problem, lists, params, true);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fit_tree)

}  // namespace cpu
}  // namespace yupana::forest
