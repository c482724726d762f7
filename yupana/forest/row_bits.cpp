#include "yupana/forest/row_bits.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/one_hot.hpp"

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

template <class T>
bool is_known(const T* column, std::int64_t rows) {
  return std::all_of(column, column + rows, [](T x) { return x == x; });
}

/// Sets the bits of rows [begin, end) of one column.
template <class T>
void set_bits(const T* column,
              std::int64_t begin,
              std::int64_t end,
              bool is_category,
              std::int32_t first,
              RowBits<T>& bits) {
  const T low = bits.values[first].first;
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int32_t bit = is_category ? first + static_cast<std::int32_t>(column[i]) : first;
    const std::uint64_t is_set = is_category || column[i] > low ? 1 : 0;
    bits.of_rows[i * bits.words + bit / 64] |= is_set << (bit % 64);
  }
}

}  // namespace

template <class T>
RowBits<T> row_bits(Context& context,
                    TableView<T> table,
                    const Problem& problem,
                    const TreeParams& params) {
  const bool counts = problem.classes >= 2 && problem.weights.empty();
  if (!counts || params.has_rules() || !params.categorical.empty()) return {};
  const FeatureColumns features(table.columns, params.one_hot);
  RowBits<T> bits;
  bits.is_bits.resize(table.columns);
  std::vector<std::pair<T, T>> values(table.columns);
  for (std::int64_t c = 0; c < table.columns; ++c) {
    if (features.is_one_hot(c)) check_categories(table.column(c), table.rows, params.one_hot[c]);
  }
  context.parallel_for(table.columns, 1, [&](std::int64_t c) {
    const T* const column = table.column(c);
    if (features.is_one_hot(c)) {
      values[c] = {T{0}, T{1}};
      bits.is_bits[c] = is_known(column, table.rows) ? 1 : 0;
    } else {
      bits.is_bits[c] = has_two_values(column, table.rows, values[c]) ? 1 : 0;
    }
  });
  std::vector<std::int32_t> numbers(features.count(), -1);
  for (std::int32_t f = 0; f < features.count(); ++f) {
    const std::int32_t column = features.column(f);
    if (bits.is_bits[column] == 0) continue;
    numbers[f] = static_cast<std::int32_t>(bits.values.size());
    bits.values.push_back(values[column]);
  }
  if (2 * std::ssize(bits.values) < features.count()) return {};
  bits.numbers = std::move(numbers);
  bits.words = divide_up(std::ssize(bits.values), 64);
  bits.of_rows = Array<std::uint64_t>::zeros(table.rows * bits.words);
  // Few rows at a time: their bits stay in the first cache while one column after the other is
  // read.
  constexpr std::int64_t some = 256;
  context.parallel_for(divide_up(table.rows, some), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin * some; first < end * some; first += some) {
      for (std::int64_t c = 0; c < table.columns; ++c) {
        if (bits.is_bits[c] == 0) continue;
        const std::int32_t bit = bits.numbers[features.first(c)];
        const std::int64_t last = std::min(first + some, table.rows);
        set_bits(table.column(c), first, last, features.is_one_hot(c), bit, bits);
      }
    }
  });
  return bits;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, row_bits)

}  // namespace yupana::forest
