#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/parted_keys.hpp"
#include "yupana/forest/row_ranks.hpp"
#include "yupana/forest/sampled_columns.hpp"
#include "yupana/forest/split.hpp"
#include "yupana/forest/tree_memory.hpp"

namespace yupana::forest {
namespace {

template <class T>
class SampledGrower {
 public:
  SampledGrower(Context& context,
                const RowRanks<T>& ranks,
                const Problem& problem,
                const std::uint8_t* repeats,
                const TreeParams& params)
      : context_(context),
        ranks_(ranks),
        problem_(problem),
        params_(params),
        memory_(context,
                problem.outputs(),
                bytes_of(TableView<T>{nullptr, ranks.rows, std::ssize(ranks.places), ranks.rows}) +
                    static_cast<double>(ranks.bytes())),
        // Classes of rows that weigh alike are all that a scan wants, and these are in the keys.
        needs_rows_(ranks.class_bits == 0 || !problem.weights.empty()),
        rows_(rows_drawn(ranks, problem, repeats)),
        right_(rows_.size()) {
    // Every column is parted, drawn or not. Measured (columns, drawn): 0.66 of the time of a search
    // by rows for 14 of categories, 10; 0.91 for 16, 4; the same for 36, 6; 1.12 for 64, 8.
    const bool parts = ranks.bits.empty() && ranks.columns <= 4 * params.max_features;
    if (parts && !needs_rows_ && !ranks.short_keys.empty()) parted_.emplace(ranks, rows_);
    const PartedKeys* const parted = parted_ ? &*parted_ : nullptr;
    columns_.emplace(ranks, params.one_hot, problem.classes, rows_.size(), parted, needs_rows_);
  }

  Tree grow() {
    Tree tree;
    tree.outputs = problem_.outputs();
    std::vector<Segment> stack(1);
    stack[0].end = rows_.size();
    stack[0].key = root_key(params_.seed);
    stack[0].totals = totals_of(problem_, rows_.data(), rows_.size());
    all_weight_ = stack[0].totals.weight;
    least_ = leaf_limits(problem_, params_, all_weight_);
    while (!stack.empty()) {
      context_.check_cancelled();
      const Segment place = std::move(stack.back());
      stack.pop_back();
      memory_.add(1);
      const std::int32_t index =
          add_leaf(problem_, place.totals, place.parent, place.is_right, tree);
      clamp_value(place.bounds, index, tree);
      Segment left, right;
      if (!split_node(place, tree, left, right)) continue;
      left.parent = right.parent = index;
      right.is_right = true;
      stack.push_back(std::move(right));
      stack.push_back(std::move(left));
    }
    return tree;
  }

 private:
  /// The rows of the tree, a row as often as it was drawn; where bits are counted, class by class.
  static Array<std::uint32_t> rows_drawn(const RowRanks<T>& ranks,
                                         const Problem& problem,
                                         const std::uint8_t* repeats) {
    const auto times = [&](std::int64_t i) { return problem.weight(i) > 0 ? repeats[i] : 0; };
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < ranks.rows; ++i) count += times(i);
    Array<std::uint32_t> rows(count);
    std::uint32_t* to = rows.data();
    const std::int32_t classes = ranks.bits.empty() ? 1 : problem.classes;
    for (std::int32_t c = 0; c < classes; ++c) {
      for (std::int64_t i = 0; i < ranks.rows; ++i) {
        if (classes > 1 && problem.codes[i] != c) continue;
        to = std::fill_n(to, times(i), static_cast<std::uint32_t>(i));
      }
    }
    return rows;
  }

  bool split_node(const Segment& place, Tree& tree, Segment& left, Segment& right) {
    if (is_leaf(params_, place.totals, place.depth)) return false;
    bring_near(place);
    const Split split = with_sides(problem_, place.totals, [&](auto* sides) {
      return best_of_sampled<std::remove_pointer_t<decltype(sides)>>(place);
    });
    if (split.feature < 0) return false;
    const NodeRange& range = (*columns_)[columns_->slot_of(split.feature)].range;
    const std::int64_t middle = place.begin + split.left_rows;
    left = {place.begin, middle, place.depth + 1, child_key(place.key, false), {}};
    right = {middle, place.end, place.depth + 1, child_key(place.key, true), {}};
    left_counts_.assign(static_cast<std::size_t>(problem_.classes), 0);
    mark_rows(place, split, range);
    put_totals(place.totals, left, right);
    const int direction = params_.direction(split.feature);
    std::tie(left.bounds, right.bounds) =
        child_bounds(problem_, direction, place.bounds, left.totals, right.totals);
    if (!gains_enough(problem_, params_, place.totals, left.totals, right.totals, all_weight_)) {
      return false;
    }
    Node& node = tree.nodes.back();
    node.feature = split.feature;
    node.missing_left = sends_missing_left(split, range);
    put_threshold(place, split, range, node, tree);
    if (parted_ && !(is_leaf(params_, left.totals, left.depth) &&
                     is_leaf(params_, right.totals, right.depth))) {
      parted_->part(place.begin, place.size());
    }
    return true;
  }

  /// Nodes come in the order of their rows, and branch after branch.
  void bring_near(const Segment& place) {
    if (place.end <= near_end_) return;
    columns_->far();
    if (!columns_->can_bring_near(place.size())) return;
    columns_->bring_near(rows_.data() + place.begin, place.size());
    near_end_ = place.end;
  }

  void put_threshold(
      const Segment& place, const Split& split, const NodeRange& range, Node& node, Tree& tree) {
    const auto& values = ranks_.values[columns_->features().column(split.feature)];
    const auto value_at = [&](std::int64_t i) { return values[range.keys[i] >> range.class_bits]; };
    if (const std::int32_t bit = ranks_.bits.number(split.feature); bit >= 0) {
      const auto [low, high] = ranks_.bits.values[bit];
      node.threshold = static_cast<double>(midpoint(low, high));
    } else if (params_.is_categorical(split.feature)) {
      const auto categories = static_cast<std::int64_t>(values.back()) + 1;
      node.set = static_cast<std::int32_t>(tree.sets.size());
      memory_.add(tree.sets.emplace_back(
          set_of(range, categories, split.known_left, node.missing_left, value_at)));
    } else if (params_.random_splits) {
      node.threshold = static_cast<double>(drawn_in(place, split.feature, range));
    } else if (split.known_left == range.known) {
      node.threshold = std::numeric_limits<double>::infinity();
    } else if (range.is_sparse) {
      node.threshold = static_cast<double>(midpoint(T{0}, T{1}));
    } else {
      const T last = value_at(split.known_left - 1), next = value_at(split.known_left);
      node.threshold = static_cast<double>(midpoint(last, next));
    }
  }

  T drawn_in(const Segment& place, std::int32_t feature, const NodeRange& range) const {
    const auto& values = ranks_.values[feature];
    const auto value_at = [&](std::int64_t i) { return values[range.keys[i] >> range.class_bits]; };
    return drawn_threshold(place.key, feature, value_at(0), value_at(range.known - 1));
  }

  SplitRule rule_of(const Segment& place, std::int32_t feature, const NodeRange& range) const {
    SplitRule rule{params_.direction(feature), place.bounds, params_.random_splits, range.known};
    const auto rank_at = [&](std::int64_t i) { return range.keys[i] >> range.class_bits; };
    if (!params_.random_splits || range.known == 0 || rank_at(0) == rank_at(range.known - 1)) {
      return rule;
    }
    const auto& values = ranks_.values[feature];
    const T drawn = drawn_in(place, feature, range);
    const auto first = static_cast<std::uint32_t>(
        std::upper_bound(values.begin(), values.end(), drawn) - values.begin());
    rule.place = std::lower_bound(range.keys, range.keys + range.known, first << range.class_bits) -
                 range.keys;
    return rule;
  }

  /// RowSamples features until one varies, at least max_features of them.
  template <class Sides>
  Split best_of_sampled(const Segment& place) {
    FeatureSampler draw(place.key, columns_->features().count());
    columns_->clear();
    bounds_.clear();
    const std::vector<std::int32_t>& sampled = columns_->sampled();
    bool varies = false;
    while (!draw.empty() && (std::ssize(sampled) < params_.max_features || !varies)) {
      const std::size_t first = sampled.size();
      const std::int64_t wanted = first == 0 ? params_.max_features : 1;
      for (std::int64_t k = 0; k < wanted; ++k) columns_->push_back(draw.next());
      columns_->gather(rows_.data() + place.begin, place.begin, place.totals, first);
      for (std::size_t j = first; j < sampled.size(); ++j) {
        bounds_.push_back(bound_of_sampled<Sides>(place, j));
        varies = varies || bounds_.back().varies;
      }
    }
    const double least = least_score(bounds_);
    order_.clear();
    for (std::size_t j = 0; j < sampled.size(); ++j) {
      if (bounds_[j].score >= least)
        order_.push_back(static_cast<std::uint64_t>(sampled[j]) << 32 | j);
    }
    std::sort(order_.begin(), order_.end());
    ascending_.clear();
    ordered_.clear();
    for (std::uint64_t& j : order_) {
      j &= std::numeric_limits<std::uint32_t>::max();
      ascending_.push_back(sampled[j]);
      ordered_.push_back(bounds_[j]);
    }
    return best_split<Sides>(problem_, place.totals, ascending_, ordered_, [&](std::size_t i) {
      auto& own = (*columns_)[order_[i]];
      if (own.is_summed) columns_->finish(place.size(), order_[i], least_);
      return own.range;
    });
  }

  template <class Sides>
  SplitBound bound_of_sampled(const Segment& place, std::size_t slot) {
    if constexpr (std::is_same_v<Sides, TwoClassSides>) {
      // Nodes are many: a feature that has no chance gets no range.
      const auto& own = (*columns_)[slot];
      if (own.is_summed) return bound_of_sums(problem_, place.totals, own.ones, least_);
    }
    context_.check_cancelled();
    columns_->finish(place.size(), slot, least_);
    auto& own = (*columns_)[slot];
    const std::int32_t feature = columns_->sampled()[slot];
    if (params_.is_categorical(feature)) {
      std::uint32_t* const rows = needs_rows_ ? own.rows.data() : nullptr;
      order_entries(problem_, place.totals, own.range, own.keys.data(), rows);
    }
    if (params_.has_rules()) own.range.rule = rule_of(place, feature, own.range);
    return bound_of<Sides>(problem_, place.totals, own.range);
  }

  /// Finds which rows go left, counts their classes where keys have them, and parts the rows; keys
  /// that are parted wait until it is known that a child needs them.
  void mark_rows(const Segment& place, const Split& split, const NodeRange& range) {
    if (const std::int32_t bit = ranks_.bits.number(split.feature); bit >= 0) {
      const Totals& ones = (*columns_)[columns_->slot_of(split.feature)].ones;
      for (std::size_t c = 0; c < left_counts_.size(); ++c) {
        left_counts_[c] = place.totals.classes[c] - ones.classes[c];
      }
      partition_if(place, [&](std::uint32_t row) { return ranks_.bits.at(row, bit) == 0; });
      return;
    }
    const std::int32_t column = columns_->features().column(split.feature);
    if (!params_.is_categorical(split.feature)) {
      const RightKeys right = right_keys(split, range);
      if (parted_) {
        count_left(place, column, parted_->mark(column, place.begin, place.size(), right));
        return;
      }
      return partition_rows(place, column, [=](std::uint32_t key) { return !right.has(key); });
    }
    goes_left_.resize(std::size_t{ranks_.missing_rank} + 1);
    goes_left_[ranks_.missing_rank] = split.missing_left ? 1 : 0;
    for (std::int64_t i = 0; i < range.known; ++i) {
      goes_left_[range.keys[i] >> range.class_bits] = i < split.known_left ? 1 : 0;
    }
    const int class_bits = ranks_.class_bits;
    if (parted_) {
      count_left(
          place, column, parted_->mark(column, place.begin, place.size(), class_bits, goes_left_));
      return;
    }
    partition_rows(
        place, column, [&](std::uint32_t key) { return goes_left_[key >> class_bits] != 0; });
  }

  /// Of a split by a number, or by whether rows have a category.
  RightKeys right_keys(const Split& split, const NodeRange& range) const {
    const int bits = ranks_.class_bits;
    const std::uint32_t missing = ranks_.missing_rank << bits;
    RightKeys right{0, 0, missing, split.missing_left ? 0 : std::uint32_t{1} << bits};
    if (range.is_sparse) {
      const std::int32_t zeroth =
          columns_->features().first(columns_->features().column(split.feature));
      right.first = static_cast<std::uint32_t>(split.feature - zeroth) << bits;
      right.size = split.known_left == range.known ? 0 : std::uint32_t{1} << bits;
    } else {
      right.first = ((range.keys[split.known_left - 1] >> bits) + 1) << bits;
      right.size = missing - right.first;
    }
    return right;
  }

  void count_left(const Segment& place, std::int32_t column, const PartedKeys::Marked& left) {
    if (ranks_.class_bits == 1) {
      left_counts_[0] = left.rows - left.odd;
      left_counts_[1] = left.odd;
      return;
    }
    const std::uint16_t* const keys = parted_->column(column) + place.begin;
    const std::uint32_t classes = (std::uint32_t{1} << ranks_.class_bits) - 1;
    for (std::int64_t i = 0; i < place.size(); ++i) {
      if (parted_->is_left(i)) ++left_counts_[keys[i] & classes];
    }
  }

  /// Stable: rows stay in order, which is the order of memory.
  template <class IsLeft>
  void partition_rows(const Segment& place, std::int32_t column, const IsLeft& is_left) {
    columns_->with_keys(
        [&](const auto* keys) { partition_by(place, keys + ranks_.places[column], is_left); });
  }
  template <class K, class IsLeft>
  void partition_by(const Segment& place, const K* keys, const IsLeft& goes_left) {
    const bool two = !needs_rows_ && ranks_.class_bits == 1;
    const std::uint32_t classes =
        needs_rows_ || two ? 0 : (std::uint32_t{1} << ranks_.class_bits) - 1;
    std::int64_t* const counts = left_counts_.data();
    std::int64_t ones = 0;
    const std::int64_t left = partition_if(place, [&](std::uint32_t row) {
      const std::uint32_t key = keys[row * ranks_.columns];
      const bool is_left = goes_left(key);
      if (classes > 0) counts[key & classes] += is_left ? 1 : 0;
      ones += is_left & key;  // of two classes: a sum in memory would wait for the one before
      return is_left;
    });
    if (two) {
      counts[0] = left - ones;
      counts[1] = ones;
    }
  }
  /// Returns how many rows go left.
  template <class IsLeft>
  std::int64_t partition_if(const Segment& place, const IsLeft& goes_left) {
    std::uint32_t* const rows = rows_.data() + place.begin;
    std::uint32_t* const right_rows = right_.data();
    std::int64_t left = 0, right = 0;
    for (std::int64_t i = 0; i < place.size(); ++i) {
      const std::uint32_t row = rows[i];
      const std::int64_t is_left = goes_left(row) ? 1 : 0;
      rows[left] = row;
      right_rows[right] = row;
      left += is_left;
      right += 1 - is_left;
    }
    std::copy_n(right_rows, right, rows + left);
    return left;
  }

  /// Of the children of a node, once its rows are parted.
  void put_totals(const Totals& all, Segment& left, Segment& right) const {
    if (needs_rows_) {
      left.totals = totals_of(problem_, rows_.data() + left.begin, left.size());
      right.totals = totals_of(problem_, rows_.data() + right.begin, right.size());
      return;
    }
    for (Segment* const side : {&left, &right}) {
      side->totals.rows = side->totals.weight = side->size();
      side->totals.classes.resize(left_counts_.size());
    }
    for (std::size_t c = 0; c < left_counts_.size(); ++c) {
      left.totals.classes[c] = left_counts_[c];
      right.totals.classes[c] = all.classes[c] - left_counts_[c];
    }
  }

  Context& context_;
  const RowRanks<T>& ranks_;
  const Problem& problem_;
  const TreeParams& params_;
  TreeMemory memory_;
  bool needs_rows_;
  Array<std::uint32_t> rows_;         ///< of the tree, a row as often as it was drawn
  Array<std::uint32_t> right_;        ///< that go to the right
  std::optional<PartedKeys> parted_;  ///< instead, where scans need short keys alone
  // Of the node at work: nodes are many and small, and memory is kept from one to the next.
  std::optional<SampledColumns<T>> columns_;
  std::vector<std::int32_t> ascending_;       ///< the sampled features
  std::vector<SplitBound> bounds_, ordered_;  ///< of the sampled, of ascending_
  std::vector<std::uint64_t> order_;          ///< slots of ascending_
  std::vector<std::uint8_t> goes_left_;       ///< of each rank, in a split of categories
  std::vector<std::int64_t> left_counts_;     ///< of each class, in the split at work
  std::int64_t all_weight_ = 0;
  std::int64_t near_end_ = 0;  ///< rows before are of the branch brought near, or done with
  LeafLimits least_;
};

}  // namespace

template <class T>
Tree grow_sampled(Context& context,
                  const RowRanks<T>& ranks,
                  const Problem& problem,
                  const std::uint8_t* repeats,
                  const TreeParams& params) {
  return SampledGrower<T>(context, ranks, problem, repeats, params).grow();
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, grow_sampled)

}  // namespace yupana::forest
