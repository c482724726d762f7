#include "yupana/forest/row_bits.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::forest {
namespace {

/// If a column has at most two values and none is missing; the two, ascending.
template <class T>
bool has_two_values(const T* column, std::int64_t rows, std::pair<T, T>& values) {
  auto& [low, high] = values;
  low = high = column[0];
  for (std::int64_t i = 0; i < rows; ++i) {
    const T x = column[i];
    if (x == low || x == high) continue;
    if (x != x || low != high) return false;
    (x < low ? low : high) = x;
  }
  return true;
}

}  // namespace

template <class T>
RowBits<T> row_bits(Context& context,
                    TableView<T> table,
                    const Problem& problem,
                    const TreeParams& params) {
  const bool counts = problem.classes >= 2 && problem.weights.empty();
  const bool plain = params.categorical.empty() && params.one_hot.empty() && !params.has_rules();
  if (!counts || !plain) return {};
  std::vector<std::pair<T, T>> values(table.columns);
  std::vector<std::uint8_t> is_bit(table.columns);
  context.parallel_for(table.columns, 1, [&](std::int64_t c) {
    is_bit[c] = has_two_values(table.column(c), table.rows, values[c]) ? 1 : 0;
  });
  if (2 * std::count(is_bit.begin(), is_bit.end(), 1) < table.columns) return {};
  RowBits<T> bits;
  for (std::int64_t c = 0; c < table.columns; ++c) {
    bits.numbers.push_back(is_bit[c] != 0 ? static_cast<std::int32_t>(bits.values.size()) : -1);
    if (is_bit[c] != 0) bits.values.push_back(values[c]);
  }
  bits.words = divide_up(std::ssize(bits.values), 64);
  bits.of_rows = Array<std::uint64_t>::zeros(table.rows * bits.words);
  // Few rows at a time: their bits stay in the first cache while one column after the other is
  // read.
  constexpr std::int64_t some = 256;
  context.parallel_for(divide_up(table.rows, some), 1, [&](std::int64_t part) {
    const std::int64_t begin = part * some, end = std::min(begin + some, table.rows);
    for (std::int64_t c = 0; c < table.columns; ++c) {
      const std::int32_t bit = bits.numbers[c];
      if (bit < 0) continue;
      const T* const column = table.column(c);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::uint64_t is_set = column[i] > values[c].first ? 1 : 0;
        bits.of_rows[i * bits.words + bit / 64] |= is_set << (bit % 64);
      }
    }
  });
  return bits;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, row_bits)

}  // namespace yupana::forest
