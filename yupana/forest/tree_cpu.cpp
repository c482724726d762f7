#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/split.hpp"
#include "yupana/forest/tree_backends.hpp"
#include "yupana/forest/tree_memory.hpp"

namespace yupana::forest {
namespace {

// Nodes of fewer rows are grown to their leaves by one thread: of 18 features the lists are 4 MiB
// then and stay in cache, and a tree of a million rows has tens of such nodes to share.
constexpr std::int64_t branch_rows = std::int64_t{1} << 15;

/// Entries that go to the right, one block a thread at work.
class Scratch {
 public:
  struct Block {
    Array<std::uint32_t> keys, rows;
  };
  std::unique_ptr<Block> take(std::int64_t size) {
    std::unique_ptr<Block> block;
    {
      const std::lock_guard guard(lock_);
      if (!free_.empty()) {
        block = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!block) block = std::make_unique<Block>();
    if (block->keys.size() < size) {
      block->keys = Array<std::uint32_t>(size);
      block->rows = Array<std::uint32_t>(size);
    }
    return block;
  }
  void give_back(std::unique_ptr<Block> block) {
    const std::lock_guard guard(lock_);
    free_.push_back(std::move(block));
  }

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Block>> free_;
};

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
        memory_(context, problem.outputs(), bytes_of(table) + lists.bytes()),
        categories_(count_categories(table, params)),
        goes_left_(table.rows) {}

  Tree grow(bool parallel) {
    Segment root{0, lists_.size, 0, root_key(params_.seed), {}};
    root.totals = totals_of(problem_, lists_.row(0), lists_.size);
    all_weight_ = root.totals.weight;
    least_ = leaf_limits(problem_, params_, all_weight_);
    std::vector<Segment> waiting;
    Tree top = grow_from(std::move(root), parallel, parallel ? &waiting : nullptr);
    if (!parallel) return top;
    std::vector<Tree> branches(waiting.size());
    context_.parallel_for(std::ssize(waiting), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        Segment& segment = waiting[i];
        const Segment place = {0, 0, 0, 0, {}, segment.parent, segment.is_right};
        segment.parent = -1;
        branches[i] = grow_from(std::move(segment), false, nullptr);
        waiting[i] = place;
      }
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
      Segment left, right;
      if (!split_node(segment, parallel, tree, left, right)) continue;
      left.parent = right.parent = index;
      right.is_right = true;
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
    return tree;
  }

  /// Puts the branches under the top's nodes and brings all into preorder.
  static Tree grafted(Tree top, const std::vector<Segment>& places, std::vector<Tree> branches) {
    if (top.nodes.empty()) return std::move(branches[0]);
    // Children that are branches: -2 - number.
    for (std::size_t i = 0; i < places.size(); ++i) {
      top.set_child(places[i].parent, places[i].is_right, -2 - static_cast<std::int32_t>(i));
    }
    Tree tree;
    tree.outputs = top.outputs;
    struct Step {
      std::int32_t child, parent;
      bool is_right;
    };
    std::vector<Step> stack{{0, -1, false}};
    while (!stack.empty()) {
      const Step step = stack.back();
      stack.pop_back();
      const auto index = static_cast<std::int32_t>(tree.nodes.size());
      tree.set_child(step.parent, step.is_right, index);
      if (step.child < -1) {
        Tree& branch = branches[-2 - step.child];
        for (Node node : branch.nodes) {
          if (!node.is_leaf()) {
            node.left += index;
            node.right += index;
          }
          tree.take_set(node, branch);
          tree.nodes.push_back(node);
        }
        tree.values.insert(tree.values.end(), branch.values.begin(), branch.values.end());
        continue;
      }
      Node node = top.nodes[step.child];
      tree.take_set(node, top);
      tree.nodes.push_back(node);
      tree.values.insert(
          tree.values.end(), top.value(step.child), top.value(step.child) + top.outputs);
      if (node.is_leaf()) continue;
      stack.push_back({node.right, index, true});
      stack.push_back({node.left, index, false});
    }
    return tree;
  }

  template <class Body>
  void each(std::int64_t count, bool parallel, const Body& body) {
    if (!parallel) {
      for (std::int64_t i = 0; i < count; ++i) body(i);
      return;
    }
    context_.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        context_.check_cancelled();
        body(i);
      }
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
    assign_children(segment, split);
    const NodeRange range = range_of(segment, split.feature);
    if (split.left_rows > split.known_left) partition_list(segment, split.feature);
    left = {segment.begin, middle, segment.depth + 1, child_key(segment.key, false), {}};
    right = {middle, segment.end, segment.depth + 1, child_key(segment.key, true), {}};
    left.totals = totals_in(problem_, range, 0, split.left_rows);
    right.totals = totals_in(problem_, range, split.left_rows, range.all);
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
    each(lists_.features, parallel, [&](std::int64_t f) {
      if (f != split.feature) partition_list(segment, f);
    });
    return true;
  }

  NodeRange range_of(const Segment& segment, std::int64_t feature) const {
    NodeRange range;
    range.keys = lists_.key(feature) + segment.begin;
    range.rows = lists_.row(feature) + segment.begin;
    range.class_bits = lists_.class_bits;
    range.all = range.known = segment.size();
    range.least = least_;
    const std::uint32_t missing = lists_.missing_key();
    if (range.keys[range.all - 1] >= missing) {
      range.known = std::lower_bound(range.keys,
                                     range.keys + range.all,
                                     missing >> lists_.class_bits,
                                     [&](std::uint32_t key, std::uint32_t rank) {
                                       return key >> lists_.class_bits < rank;
                                     }) -
                    range.keys;
    }
    return range;
  }

  template <class Sides>
  Split best_split(const Segment& segment, bool parallel) {
    std::vector<std::int32_t> features;
    const std::vector<SplitBound> bounds = bounds_of<Sides>(segment, parallel, features);
    return forest::best_split<Sides>(
        problem_, segment.totals, features, bounds, [&](std::size_t i) {
          return range_of(segment, features[i]);
        });
  }

  /// The features of a node, ascending, and what each could do.
  template <class Sides>
  std::vector<SplitBound> bounds_of(const Segment& segment,
                                    bool parallel,
                                    std::vector<std::int32_t>& features) {
    const bool all = params_.max_features == 0 || params_.max_features == lists_.features;
    std::vector<SplitBound> bounds(lists_.features);
    const auto bound = [&](std::int64_t f) {
      if (is_categorical(f)) {
        order_entries(problem_,
                      segment.totals,
                      range_of(segment, f),
                      lists_.key(f) + segment.begin,
                      lists_.row(f) + segment.begin);
      }
      bounds[f] = bound_of<Sides>(problem_, segment.totals, range_of(segment, f));
    };
    if (all) {
      for (std::int64_t f = 0; f < lists_.features; ++f) {
        features.push_back(static_cast<std::int32_t>(f));
      }
      each(lists_.features, parallel, bound);
      return bounds;
    }
    FeatureSampler draw(segment.key, lists_.features);
    for (std::int64_t i = 0; i < params_.max_features; ++i) features.push_back(draw.next());
    each(std::ssize(features), parallel, [&](std::int64_t i) { bound(features[i]); });
    const auto varies = [&](std::int32_t f) { return bounds[f].varies; };
    while (!draw.empty() && std::none_of(features.begin(), features.end(), varies)) {
      features.push_back(draw.next());
      bound(features.back());
    }
    std::sort(features.begin(), features.end());
    std::vector<SplitBound> drawn;
    for (const std::int32_t f : features) drawn.push_back(bounds[f]);
    return drawn;
  }

  bool is_categorical(std::int64_t feature) const {
    return !categories_.empty() && categories_[feature] > 0;
  }

  /// Empty unless the feature is categorical.
  CategorySet set_of_split(const Segment& segment, const Split& split) const {
    if (!is_categorical(split.feature)) return {};
    const NodeRange range = range_of(segment, split.feature);
    const T* column = table_.column(split.feature);
    return set_of(range,
                  categories_[split.feature],
                  split.known_left,
                  sends_missing_left(split, range),
                  [&](std::int64_t i) { return column[range.rows[i]]; });
  }

  double threshold_of(const Segment& segment, const Split& split) const {
    if (is_categorical(split.feature)) return 0;
    const NodeRange range = range_of(segment, split.feature);
    if (split.known_left == range.known) return std::numeric_limits<double>::infinity();
    const T* column = table_.column(split.feature);
    return static_cast<double>(
        midpoint(column[range.rows[split.known_left - 1]], column[range.rows[split.known_left]]));
  }

  void assign_children(const Segment& segment, const Split& split) {
    const NodeRange range = range_of(segment, split.feature);
    const auto mark = [&](std::int64_t begin, std::int64_t end, std::uint8_t left) {
      for (std::int64_t i = begin; i < end; ++i) goes_left_[range.rows[i]] = left;
    };
    mark(0, split.known_left, 1);
    mark(split.known_left, range.known, 0);
    mark(range.known, range.all, split.missing_left ? 1 : 0);
  }

  /// Stable partition of one list.
  void partition_list(const Segment& segment, std::int64_t feature) {
    std::uint32_t* keys = lists_.key(feature) + segment.begin;
    std::uint32_t* rows = lists_.row(feature) + segment.begin;
    const std::int64_t n = segment.size();
    auto block = scratch_.take(n);
    std::uint32_t* right_keys = block->keys.data();
    std::uint32_t* right_rows = block->rows.data();
    const std::uint8_t* goes_left = goes_left_.data();
    std::int64_t left = 0, right = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t key = keys[i], row = rows[i];
      const std::int64_t is_left = goes_left[row];
      keys[left] = key;
      rows[left] = row;
      right_keys[right] = key;
      right_rows[right] = row;
      left += is_left;
      right += 1 - is_left;
    }
    std::memcpy(keys + left, right_keys, static_cast<std::size_t>(right) * sizeof(*keys));
    std::memcpy(rows + left, right_rows, static_cast<std::size_t>(right) * sizeof(*rows));
    scratch_.give_back(std::move(block));
  }

  Context& context_;
  TableView<T> table_;
  const Problem& problem_;
  Lists& lists_;
  const TreeParams& params_;
  TreeMemory memory_;
  std::vector<std::int64_t> categories_;  ///< of each feature, see count_categories()
  Array<std::uint8_t> goes_left_;         ///< of each row, in the split at work
  Scratch scratch_;
  std::int64_t all_weight_ = 0;
  LeafLimits least_;
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
    sorted = sort_table(context, table);
  }
  Stage stage(context, "grow tree");
  Lists lists = take_lists(context, std::move(sorted), problem);
  return grow(context, table, problem, lists, params, true);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, fit_tree)

}  // namespace cpu
}  // namespace yupana::forest
