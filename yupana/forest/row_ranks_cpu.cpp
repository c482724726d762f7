#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/row_ranks.hpp"
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
                const TreeParams& params,
                const GrowthRules& rules)
      : context_(context),
        ranks_(ranks),
        problem_(problem),
        params_(params),
        rules_(rules),
        memory_(context,
                problem.outputs(),
                bytes_of(TableView<T>{nullptr, ranks.rows, ranks.features, ranks.rows}) +
                    static_cast<double>(ranks.keys.bytes())),
        // Classes of rows that weigh alike are all that a scan wants, and these are in the keys.
        needs_rows_(ranks.class_bits == 0 || !problem.weights.empty()) {
    std::int64_t size = 0;
    for (std::int64_t i = 0; i < ranks.rows; ++i) size += problem.weight(i) > 0 ? repeats[i] : 0;
    rows_ = Array<std::uint32_t>(size);
    right_ = Array<std::uint32_t>(size);
    std::uint32_t* to = rows_.data();
    for (std::int64_t i = 0; i < ranks.rows; ++i) {
      const int times = problem.weight(i) > 0 ? repeats[i] : 0;
      for (int k = 0; k < times; ++k) *to++ = static_cast<std::uint32_t>(i);
    }
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
  /// A drawn feature's values at the node at work, sorted.
  struct Column {
    Array<std::uint32_t> keys, rows;
    NodeRange range;
  };

  bool split_node(const Segment& place, Tree& tree, Segment& left, Segment& right) {
    if (is_leaf(params_, place.totals, place.depth)) return false;
    const Split split = with_sides(problem_, place.totals, [&](auto* sides) {
      return best_of_sampled<std::remove_pointer_t<decltype(sides)>>(place);
    });
    if (split.feature < 0) return false;
    const NodeRange& range = columns_[slot_of(split.feature)].range;
    const std::int64_t middle = place.begin + split.left_rows;
    partition_rows(place, split, range);
    left = {place.begin, middle, place.depth + 1, child_key(place.key, false), {}};
    right = {middle, place.end, place.depth + 1, child_key(place.key, true), {}};
    left.totals = totals_in(left, split.feature);
    right.totals = totals_in(right, split.feature);
    if (!rules_.monotonic.empty()) {
      std::tie(left.bounds, right.bounds) = child_bounds(place.bounds,
                                                         rules_.direction(split.feature),
                                                         bounded_value(problem_, left.totals),
                                                         bounded_value(problem_, right.totals));
    }
    if (!gains_enough(problem_, params_, place.totals, left.totals, right.totals, all_weight_)) {
      return false;
    }
    Node& node = tree.nodes.back();
    node.feature = split.feature;
    node.missing_left = sends_missing_left(split, range);
    put_threshold(place, split, range, node, tree);
    return true;
  }

  void put_threshold(
      const Segment& place, const Split& split, const NodeRange& range, Node& node, Tree& tree) {
    const auto& values = ranks_.values[split.feature];
    const auto value_at = [&](std::int64_t i) { return values[range.keys[i] >> range.class_bits]; };
    if (params_.is_categorical(split.feature)) {
      const auto categories = static_cast<std::int64_t>(values.back()) + 1;
      node.set = static_cast<std::int32_t>(tree.sets.size());
      memory_.add(tree.sets.emplace_back(
          set_of(range, categories, split.known_left, node.missing_left, value_at)));
    } else if (rules_.random_splits) {
      node.threshold = static_cast<double>(drawn_in(place, split.feature, range));
    } else if (split.known_left < range.known) {
      const T last = value_at(split.known_left - 1), next = value_at(split.known_left);
      node.threshold = static_cast<double>(midpoint(last, next));
    } else {
      node.threshold = std::numeric_limits<double>::infinity();
    }
  }

  T drawn_in(const Segment& place, std::int32_t feature, const NodeRange& range) const {
    const auto& values = ranks_.values[feature];
    const auto value_at = [&](std::int64_t i) { return values[range.keys[i] >> range.class_bits]; };
    return drawn_threshold(place.key, feature, value_at(0), value_at(range.known - 1));
  }

  SplitRule rule_of(const Segment& place, std::int32_t feature, const NodeRange& range) const {
    SplitRule rule{rules_.direction(feature), place.bounds, rules_.random_splits, range.known};
    const auto rank_at = [&](std::int64_t i) { return range.keys[i] >> range.class_bits; };
    if (!rules_.random_splits || range.known == 0 || rank_at(0) == rank_at(range.known - 1)) {
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
    FeatureSampler draw(place.key, ranks_.features);
    sampled_.clear();
    std::vector<SplitBound> bounds;
    bool varies = false;
    while (!draw.empty() && (std::ssize(sampled_) < params_.max_features || !varies)) {
      const std::size_t first = sampled_.size();
      const std::int64_t wanted = first == 0 ? params_.max_features : 1;
      for (std::int64_t k = 0; k < wanted; ++k) sampled_.push_back(draw.next());
      gather(place, first);
      for (std::size_t j = first; j < sampled_.size(); ++j) {
        context_.check_cancelled();
        sort_column(place.size(), columns_[j]);
        if (params_.is_categorical(sampled_[j])) {
          Column& own = columns_[j];
          order_entries(problem_,
                        place.totals,
                        own.range,
                        own.keys.data(),
                        needs_rows_ ? own.rows.data() : nullptr);
        }
        if (rules_.any()) columns_[j].range.rule = rule_of(place, sampled_[j], columns_[j].range);
        bounds.push_back(bound_of<Sides>(problem_, place.totals, columns_[j].range));
        varies = varies || bounds.back().varies;
      }
    }
    std::vector<std::size_t> order(sampled_.size());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sampled_[a] < sampled_[b];
    });
    std::vector<std::int32_t> features;
    std::vector<SplitBound> ordered;
    for (const std::size_t j : order) {
      features.push_back(sampled_[j]);
      ordered.push_back(bounds[j]);
    }
    return best_split<Sides>(problem_, place.totals, features, ordered, [&](std::size_t i) {
      return columns_[order[i]].range;
    });
  }

  std::size_t slot_of(std::int32_t feature) const {
    return static_cast<std::size_t>(std::find(sampled_.begin(), sampled_.end(), feature) -
                                    sampled_.begin());
  }

  /// Keys of the features drawn from number `first` on, row after row: a row's keys are adjacent.
  void gather(const Segment& place, std::size_t first) {
    while (columns_.size() < sampled_.size()) {
      columns_.emplace_back().keys = Array<std::uint32_t>(rows_.size());
      if (needs_rows_) columns_.back().rows = Array<std::uint32_t>(rows_.size());
    }
    const std::uint32_t* rows = rows_.data() + place.begin;
    const std::int64_t n = place.size();
    for (std::int64_t begin = 0; begin < n; begin += gather_rows) {
      const std::int64_t end = std::min(n, begin + gather_rows);
      for (std::size_t j = first; j < sampled_.size(); ++j) {
        const std::uint32_t* keys = ranks_.keys.data() + sampled_[j];
        std::uint32_t* to = columns_[j].keys.data();
        for (std::int64_t i = begin; i < end; ++i) to[i] = keys[rows[i] * ranks_.features];
      }
    }
    for (std::size_t j = first; needs_rows_ && j < sampled_.size(); ++j) {
      std::copy_n(rows, n, columns_[j].rows.data());
    }
  }

  void sort_column(std::int64_t n, Column& column) {
    // They change places with a column's.
    if (other_keys_.empty()) {
      other_keys_ = Array<std::uint32_t>(rows_.size());
      if (needs_rows_) other_rows_ = Array<std::uint32_t>(rows_.size());
    }
    if (needs_rows_) {
      sort_by_rank<true>(n, column);
    } else {
      sort_by_rank<false>(n, column);
    }
    NodeRange& range = column.range;
    range = {column.keys.data(),
             needs_rows_ ? column.rows.data() : nullptr,
             ranks_.class_bits,
             n,
             n,
             least_};
    if (column.keys[n - 1] >> ranks_.class_bits < ranks_.missing_rank) return;
    const std::uint32_t missing = ranks_.missing_rank << ranks_.class_bits;
    range.known = std::lower_bound(range.keys, range.keys + n, missing) - range.keys;
  }

  /// Least digit first, over the bits of ranks alone: classes of equal values need no order.
  template <bool with_rows>
  void sort_by_rank(std::int64_t n, Column& column) {
    std::uint32_t* keys = column.keys.data();
    std::uint32_t* rows = column.rows.data();
    if (n <= small_keys) return insert_by_rank<with_rows>(n, keys, rows);
    const int rank_bits = ranks_.key_bits - ranks_.class_bits;
    const int max_bits = n < large_keys ? small_digit : large_digit;
    const int digits = divide_up(rank_bits, max_bits);
    const int width = divide_up(rank_bits, digits);
    const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
    counts_.assign(static_cast<std::size_t>(digits) << width, 0);
    for (std::int64_t i = 0; i < n; ++i) {
      std::uint32_t rank = keys[i] >> ranks_.class_bits;
      for (int digit = 0; digit < digits; ++digit, rank >>= width) {
        ++counts_[(static_cast<std::size_t>(digit) << width) + (rank & mask)];
      }
    }
    for (int digit = 0; digit < digits; ++digit) {
      std::uint32_t* next = counts_.data() + (static_cast<std::size_t>(digit) << width);
      std::uint32_t place = 0;
      for (std::uint32_t b = 0; b <= mask; ++b) place += std::exchange(next[b], place);
      const int shift = ranks_.class_bits + digit * width;
      for (std::int64_t i = 0; i < n; ++i) {
        const std::uint32_t to = next[keys[i] >> shift & mask]++;
        other_keys_[to] = keys[i];
        if (with_rows) other_rows_[to] = rows[i];
      }
      std::swap(column.keys, other_keys_);
      keys = column.keys.data();
      if (with_rows) {
        std::swap(column.rows, other_rows_);
        rows = column.rows.data();
      }
    }
  }

  template <bool with_rows>
  static void insert_by_rank(std::int64_t n, std::uint32_t* keys, std::uint32_t* rows) {
    for (std::int64_t i = 1; i < n; ++i) {
      const std::uint32_t key = keys[i], row = with_rows ? rows[i] : 0;
      std::int64_t j = i;
      for (; j > 0 && keys[j - 1] > key; --j) {
        keys[j] = keys[j - 1];
        if (with_rows) rows[j] = rows[j - 1];
      }
      keys[j] = key;
      if (with_rows) rows[j] = row;
    }
  }

  void partition_rows(const Segment& place, const Split& split, const NodeRange& range) {
    if (!params_.is_categorical(split.feature)) {
      const std::uint32_t last = range.keys[split.known_left - 1] >> range.class_bits;
      const std::uint32_t missing = split.missing_left ? ranks_.missing_rank : ~std::uint32_t{0};
      return partition_rows(place, split.feature, [=](std::uint32_t rank) {
        return static_cast<int>(rank <= last) | static_cast<int>(rank == missing);
      });
    }
    goes_left_.resize(std::size_t{ranks_.missing_rank} + 1);
    goes_left_[ranks_.missing_rank] = split.missing_left ? 1 : 0;
    for (std::int64_t i = 0; i < range.known; ++i) {
      goes_left_[range.keys[i] >> range.class_bits] = i < split.known_left ? 1 : 0;
    }
    partition_rows(place, split.feature, [&](std::uint32_t rank) { return goes_left_[rank]; });
  }

  /// Stable: rows stay in order, which is the order of memory.
  template <class IsLeft>
  void partition_rows(const Segment& place, std::int32_t feature, const IsLeft& is_left_rank) {
    const std::uint32_t* keys = ranks_.keys.data() + feature;
    std::uint32_t* rows = rows_.data() + place.begin;
    const std::int64_t n = place.size();
    std::int64_t left = 0, right = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint32_t row = rows[i];
      const std::int64_t is_left = is_left_rank(keys[row * ranks_.features] >> ranks_.class_bits);
      rows[left] = row;
      right_[right] = row;
      left += is_left;
      right += 1 - is_left;
    }
    std::copy_n(right_.data(), right, rows + left);
  }

  Totals totals_in(const Segment& place, std::int32_t feature) const {
    const std::uint32_t* rows = rows_.data() + place.begin;
    if (needs_rows_) return totals_of(problem_, rows, place.size());
    Totals totals;
    totals.rows = totals.weight = place.size();
    totals.classes.resize(problem_.classes);
    std::int64_t* const counts = totals.classes.begin();
    const std::uint32_t mask = (std::uint32_t{1} << ranks_.class_bits) - 1;
    const std::uint32_t* keys = ranks_.keys.data() + feature;
    for (std::int64_t i = 0; i < place.size(); ++i) {
      ++counts[keys[rows[i] * ranks_.features] & mask];
    }
    return totals;
  }

  // Rows whose lines of keys stay in the first cache while one feature after the other is read.
  static constexpr std::int64_t gather_rows = 128;
  // Few keys are inserted; counters of digits of 7 bits cost a node of hundreds little.
  static constexpr std::int64_t small_keys = 40;
  static constexpr std::int64_t large_keys = 4096;
  static constexpr int small_digit = 7;
  static constexpr int large_digit = 11;

  Context& context_;
  const RowRanks<T>& ranks_;
  const Problem& problem_;
  const TreeParams& params_;
  const GrowthRules& rules_;
  TreeMemory memory_;
  bool needs_rows_;
  Array<std::uint32_t> rows_;   ///< of the tree, a row as often as it was drawn
  Array<std::uint32_t> right_;  ///< that go to the right
  std::vector<std::int32_t> sampled_;
  std::vector<Column> columns_;  ///< of each of sampled_
  Array<std::uint32_t> other_keys_, other_rows_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint8_t> goes_left_;  ///< of each rank, in a split of categories
  std::int64_t all_weight_ = 0;
  LeafLimits least_;
};

}  // namespace

template <class T>
Tree grow_sampled(Context& context,
                  const RowRanks<T>& ranks,
                  const Problem& problem,
                  const std::uint8_t* repeats,
                  const TreeParams& params,
                  const GrowthRules& rules) {
  return SampledGrower<T>(context, ranks, problem, repeats, params, rules).grow();
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, grow_sampled)

}  // namespace yupana::forest
