#include "yupana/forest/coded.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "yupana/core/instantiate.hpp"
#include "yupana/forest/descent.hpp"

namespace yupana::forest {
namespace {

// 16 KiB of starts: they stay in the first cache while a column is coded.
constexpr std::int64_t max_buckets = 8192;
// A bucket of more thresholds is searched: rare, where values crowd in a few places of their range.
constexpr std::int64_t max_windows = 4;

/// Fills starts and windows for the map that is set.
template <class T>
void fill_starts(CodedColumn<T>& column, std::int64_t buckets) {
  column.starts.assign(static_cast<std::size_t>(buckets) + 1, 0);
  for (std::int64_t i = 0; i < column.count; ++i) {
    const Key<T> key = column.thresholds[i];
    const auto last = static_cast<std::int32_t>(buckets - 1);
    ++column.starts[static_cast<std::size_t>(bucket_of(column, value_of<T>(key), key, last)) + 1];
  }
  const auto fullest = *std::max_element(column.starts.begin(), column.starts.end());
  column.windows = std::max<std::int64_t>(1, (fullest + threshold_window - 1) / threshold_window);
  for (std::size_t b = 1; b < column.starts.size(); ++b) {
    column.starts[b] = static_cast<std::uint16_t>(column.starts[b] + column.starts[b - 1]);
  }
}

/// Buckets of equal width of the numbers, or, where these are crowded, of their keys (nearly
/// logarithms).
template <class T>
void find_map(CodedColumn<T>& column) {
  const auto wanted = std::bit_ceil(static_cast<std::uint64_t>(column.count) * 2);
  const std::int64_t buckets =
      std::min<std::int64_t>(static_cast<std::int64_t>(wanted), max_buckets);
  const auto last = static_cast<std::size_t>(column.count) - 1;
  column.low_key = column.thresholds[0];
  const Key<T> span = column.thresholds[last] - column.low_key;
  const int bits = std::bit_width(static_cast<std::uint64_t>(buckets)) - 1;
  column.shift = std::max(0, static_cast<int>(std::bit_width(span)) - bits);
  fill_starts(column, buckets);
  const CodedColumn<T> by_key = column;
  column.low = value_of<T>(column.thresholds[0]);
  const T width = value_of<T>(column.thresholds[last]) - column.low;
  const T scale = static_cast<T>(buckets) / width;
  if (width > 0 && width <= std::numeric_limits<T>::max() && scale > 0 &&
      scale <= std::numeric_limits<T>::max()) {
    column.scale = scale;
    fill_starts(column, buckets);
    if (by_key.windows < column.windows) column = by_key;
  }
  if (column.windows > max_windows) column.windows = 0;
}

template <class T>
class Coder {
 public:
  Coder(const Tree& tree, const std::vector<CodedColumn<T>>& columns, bool with_missing)
      : tree_(tree), columns_(columns), with_missing_(with_missing) {}

  CodedTree code() {
    const auto nodes = static_cast<double>(tree_.nodes.size());
    const auto depth = static_cast<int>(std::min<std::int64_t>(tree_.depth(), coded_levels));
    const int filled = static_cast<int>(std::ceil(std::log2(2 * nodes)));
    result_.levels = std::max(compared_levels, std::min(depth, filled));
    const std::int64_t places = result_.places();
    result_.thresholds = Array<std::uint16_t>(places);
    std::fill(result_.thresholds.begin(), result_.thresholds.end(), last_code);
    result_.columns = Array<std::uint16_t>::zeros(places);
    std::vector<std::int32_t> level{0};
    for (int l = 0; l < result_.levels; ++l) level = next_level(level);
    result_.origin = level;
    grow_deep();
    while (result_.offsets.size() % 4 != 0) result_.offsets.push_back(result_.offsets[0]);
    return std::move(result_);
  }

 private:
  const Node& node(std::int32_t i) const { return tree_.nodes[i]; }

  std::size_t column_of(const Node& node) const {
    const auto found = std::ranges::lower_bound(
        columns_, node.feature, {}, [](const auto& column) { return column.feature; });
    return static_cast<std::size_t>(found - columns_.begin());
  }

  std::uint32_t offset(const Node& node) const {
    const std::size_t copy = with_missing_ && node.missing_left ? columns_.size() : 0;
    return static_cast<std::uint32_t>((column_of(node) + copy) * coded_rows);
  }

  std::uint16_t threshold(const Node& node) const {
    const CodedColumn<T>& column = columns_[column_of(node)];
    const auto end = column.thresholds.begin() + column.count;
    const auto key = key_of(rounded_down<T>(node.threshold));
    return static_cast<std::uint16_t>(std::lower_bound(column.thresholds.begin(), end, key) -
                                      column.thresholds.begin());
  }

  std::uint16_t own_column(std::uint32_t offset) {
    auto& offsets = result_.offsets;
    const auto found = std::find(offsets.begin(), offsets.end(), offset) - offsets.begin();
    if (found == std::ssize(offsets)) offsets.push_back(offset);
    return static_cast<std::uint16_t>(found);
  }

  std::vector<std::int32_t> next_level(const std::vector<std::int32_t>& level) {
    std::vector<std::int32_t> next;
    for (std::size_t i = 0; i < level.size(); ++i) {
      const Node& own = node(level[i]);
      const auto at = static_cast<std::int64_t>(level.size() + i);
      if (!own.is_leaf()) {
        result_.thresholds[at] = threshold(own);
        result_.columns[at] = own_column(offset(own));
      }
      next.push_back(own.is_leaf() ? level[i] : own.left);
      next.push_back(own.is_leaf() ? level[i] : own.right);
    }
    return next;
  }

  void grow_deep() {
    auto& origin = result_.origin;
    if (std::all_of(origin.begin(), origin.end(), [&](auto i) { return node(i).is_leaf(); }))
      return;
    for (std::size_t i = 0; i < origin.size(); ++i) {
      const Node& own = node(origin[i]);
      if (own.is_leaf()) {
        result_.deep.push_back({last_code, 0, static_cast<std::uint32_t>(i)});
        continue;
      }
      const auto child = static_cast<std::uint32_t>(origin.size());
      result_.deep.push_back({threshold(own), offset(own), child});
      origin.push_back(own.left);
      origin.push_back(own.right);
    }
  }

  const Tree& tree_;
  const std::vector<CodedColumn<T>>& columns_;
  bool with_missing_;
  CodedTree result_;
};

}  // namespace

bool codes_pay(const std::vector<Tree>& trees, std::int64_t rows, std::int64_t features) {
  std::int64_t nodes = 0;
  for (const Tree& tree : trees) nodes += std::ssize(tree.nodes);
  // Making a tree's tables takes some hundred cycles a node.
  if (rows * std::ssize(trees) < 32 * nodes) return false;
  // Clock cycles a row, measured on Zen 4.
  double coded = 0, packed = 0;
  std::vector<std::size_t> seen(features, 0);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    std::int64_t split = 0;
    for (const Node& node : trees[t].nodes) {
      if (node.is_leaf()) continue;
      auto& last = seen[node.feature];
      if (last == 0) coded += 10;
      if (last != t + 1) ++split;
      last = t + 1;
    }
    const auto depth = static_cast<double>(trees[t].depth());
    const double own = std::clamp<double>(depth, compared_levels, coded_levels) - compared_levels;
    coded += 4 + own * (0.5 + 0.08 * static_cast<double>(split));
    coded += 5 * std::max(0.0, depth - coded_levels);
    packed += 2.7 * std::min(depth, 12.0) + 4 * std::max(0.0, depth - 12);
  }
  return coded < packed;
}

template <class T>
std::vector<CodedColumn<T>> coded_columns(const std::vector<Tree>& trees, std::int64_t features) {
  std::vector<std::vector<Key<T>>> keys(features);
  for (const Tree& tree : trees) {
    for (const Node& node : tree.nodes) {
      if (node.is_leaf()) continue;
      keys[node.feature].push_back(key_of(rounded_down<T>(node.threshold)));
    }
  }
  std::vector<CodedColumn<T>> columns;
  for (std::int64_t f = 0; f < features; ++f) {
    auto& own = keys[f];
    if (own.empty()) continue;
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    if (std::ssize(own) >= last_code) return {};
    CodedColumn<T>& column = columns.emplace_back();
    column.feature = f;
    column.count = std::ssize(own);
    column.thresholds = std::move(own);
    column.thresholds.resize(column.count + max_windows * threshold_window, ~Key<T>{0});
    find_map(column);
  }
  return columns;
}

template <class T>
std::vector<CodedColumn<T>> columns_if_coded(const Model& model, const TableView<T>& table) {
  if (!cpu::codes_are_fast() || !codes_pay(model.trees, table.rows, table.columns)) return {};
  return coded_columns<T>(model.trees, table.columns);
}

template <class T>
CodedTree coded(const Tree& tree, const std::vector<CodedColumn<T>>& columns, bool with_missing) {
  return Coder<T>(tree, columns, with_missing).code();
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, coded_columns, columns_if_coded, coded)

}  // namespace yupana::forest
