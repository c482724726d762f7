#include <algorithm>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

namespace yupana::sparse::cpu {
namespace {

/// Rows between two looks at Ctrl-C.
constexpr std::int64_t breath = 1 << 18;

/// Positions of [0, n) in stable order of key(i) in [0, bins): `in` lists them in the order before.
template <class Index, class Key>
void counting_sort(const Index* in, std::int64_t n, std::int64_t bins, const Key& key, Index* out) {
  std::vector<std::int64_t> next(static_cast<std::size_t>(bins) + 1, 0);
  for (std::int64_t i = 0; i < n; ++i) ++next[static_cast<std::size_t>(key(i)) + 1];
  for (std::size_t bin = 1; bin < next.size(); ++bin) next[bin] += next[bin - 1];
  for (std::int64_t i = 0; i < n; ++i) {
    const Index row = in == nullptr ? static_cast<Index>(i) : in[i];
    out[next[static_cast<std::size_t>(key(row))]++] = row;
  }
}

}  // namespace

template <class Value, class Index>
LevelAnalysis<Index> analyse(Context& context, const Split<Value, Index>& matrix) {
  const std::int64_t n = matrix.rows;
  LevelAnalysis<Index> result;
  result.level = Array<Index>(n);
  result.row_class = Array<std::uint8_t>(n);
  result.order = Array<Index>(n);
  Index deepest = 0;
  for (std::int64_t k = 0; k < n; ++k) {
    if (k % breath == 0) context.check_cancelled();
    const std::int64_t i = row_at(matrix.triangle, n, k);
    Index level = 0;
    for (std::int64_t e = matrix.begin[i]; e < matrix.begin[i + 1]; ++e) {
      level = std::max(level, result.level[matrix.columns[e]]);
    }
    result.level[i] = ++level;
    result.row_class[i] =
        static_cast<std::uint8_t>(class_of(matrix.begin[i + 1] - matrix.begin[i]));
    deepest = std::max(deepest, level);
  }
  result.levels = deepest;
  // By class, then by level: as many bins as there are levels, not seven times as many.
  Array<Index> by_class(n);
  const auto class_key = [&](std::int64_t i) { return std::int64_t{result.row_class[i]}; };
  const auto level_key = [&](std::int64_t i) { return std::int64_t{result.level[i]} - 1; };
  counting_sort<Index>(nullptr, n, 7, class_key, by_class.data());
  counting_sort<Index>(by_class.data(), n, result.levels, level_key, result.order.data());
  const auto same_key = [&](std::int64_t p) {
    const Index row = result.order[p], before = result.order[p - 1];
    return result.level[row] == result.level[before] &&
           result.row_class[row] == result.row_class[before];
  };
  // Counted first: a vector that grows would hold them twice, up to 64 bytes a row.
  std::int64_t keys = 0;
  for (std::int64_t p = 0; p < n; ++p) keys += p == 0 || !same_key(p);
  result.keys.reserve(static_cast<std::size_t>(keys));
  for (std::int64_t p = 0; p < n;) {
    const Index row = result.order[p];
    const std::int64_t first = p++;
    while (p < n && same_key(p)) ++p;
    const int row_class = result.row_class[row];
    result.keys.push_back(
        {result.level[row], row_class, p - first, warps_of(p - first, row_class)});
    result.warps += result.keys.back().warps;
  }
  return result;
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, analyse)
YUPANA_FUNCTIONS(YUPANA_SPARSE_COMPLEX, analyse)

}  // namespace yupana::sparse::cpu
