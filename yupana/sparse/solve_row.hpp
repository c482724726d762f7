#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

/// One row of a triangular system, for the CPU's methods.
namespace yupana::sparse::cpu {

/// Columns of the right-hand side that one pass over a row takes.
inline constexpr int row_tile = 8;

/// For more than four entries: the products added in `lanes` partial sums by halves.
template <int lanes, int width, class Value, class Index>
inline void sum_by_halves(const Index* columns,
                          const Value* values,
                          std::int64_t count,
                          const Value* x,
                          std::int64_t stride,
                          Value (&sum)[width]) {
  Value partial[lanes][width];
  const std::int64_t first = std::min<std::int64_t>(count, lanes);
  for (std::int64_t k = 0; k < first; ++k) {
    const Value* from = x + static_cast<std::int64_t>(columns[k]) * stride;
    for (int j = 0; j < width; ++j) partial[k][j] = product(values[k], from[j]);
  }
  for (std::int64_t k = first; k < lanes; ++k) {
    for (int j = 0; j < width; ++j) partial[k][j] = 0;
  }
  for (std::int64_t k = lanes; k < count; ++k) {
    const Value* from = x + static_cast<std::int64_t>(columns[k]) * stride;
    for (int j = 0; j < width; ++j) partial[k % lanes][j] += product(values[k], from[j]);
  }
  for (int half = lanes / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) {
      for (int j = 0; j < width; ++j) partial[l][j] += partial[l + half][j];
    }
  }
  for (int j = 0; j < width; ++j) sum[j] = partial[0][j];
}

template <int width, class Value, class Index>
[[gnu::noinline]] void sum_many(const Index* columns,
                                const Value* values,
                                std::int64_t count,
                                const Value* x,
                                std::int64_t stride,
                                Value (&sum)[width]) {
  if (count <= 8) {
    sum_by_halves<8, width>(columns, values, count, x, stride, sum);
  } else if (count <= 16) {
    sum_by_halves<16, width>(columns, values, count, x, stride, sum);
  } else {
    sum_by_halves<32, width>(columns, values, count, x, stride, sum);
  }
}

/// The same sum of `count` products, 5 to 8, in registers.
template <int count, class Value, class Index, class Stride>
inline Value sum_few(const Index* columns, const Value* values, const Value* x, Stride stride) {
  const auto term = [&](int k) {
    return k < count ? product(values[k], x[static_cast<std::int64_t>(columns[k]) * stride])
                     : Value{};
  };
  return ((term(0) + term(4)) + (term(2) + term(6))) + ((term(1) + term(5)) + (term(3) + term(7)));
}
/// The same of half + 1 to 2 half products, half 8, 16 or 32.
template <int half, class Value, class Index, class Stride>
inline Value sum_pairs(
    const Index* columns, const Value* values, std::int64_t count, const Value* x, Stride stride) {
  const auto term = [&](std::int64_t k) {
    return product(values[k], x[static_cast<std::int64_t>(columns[k]) * stride]);
  };
  Value sums[half];
  const std::int64_t pairs = count - half;
  for (std::int64_t k = 0; k < pairs; ++k) sums[k] = term(k) + term(k + half);
  // A lane that is not there is +0; where all 32 are, one without a second product stays as it is.
  for (std::int64_t k = pairs; k < half; ++k) sums[k] = half == 32 ? term(k) : term(k) + Value{};
#pragma GCC unroll 8
  for (int step = half / 2; step > 0; step /= 2) {
    for (int k = 0; k < step; ++k) sums[k] += sums[k + step];
  }
  return sums[0];
}

template <class Value, class Index, class Stride>
[[gnu::always_inline]] inline Value sum_up_to_8(
    const Index* columns, const Value* values, std::int64_t count, const Value* x, Stride stride) {
  switch (count) {
    case 5:
      return sum_few<5>(columns, values, x, stride);
    case 6:
      return sum_few<6>(columns, values, x, stride);
    case 7:
      return sum_few<7>(columns, values, x, stride);
    default:
      return sum_few<8>(columns, values, x, stride);
  }
}

/// Pointers of a Split, for loops that keep them in registers.
template <class Value, class Index>
struct Rows {
  explicit Rows(const Split<Value, Index>& matrix)
      : begin(matrix.begin.data()),
        columns(matrix.columns.data()),
        values(matrix.values.data()),
        diagonal(matrix.diagonal.data()) {}

  const Index* begin;
  const Index* columns;
  const Value* values;
  const Value* diagonal;
};

/// out[0, width) = x of row p, for `width` columns of the right-hand side b. Stride: a number or
/// a constant. `ones`: without a division, which would delay all rows that need x.
template <int width, bool ones = false, class Value, class Index, class Stride>
[[gnu::always_inline]] inline void solve_row(const Rows<Value, Index>& rows,
                                             std::int64_t p,
                                             const Value* b,
                                             const Value* x,
                                             Stride stride,
                                             Value* out) {
  const std::int64_t begin = rows.begin[p];
  const std::int64_t count = rows.begin[p + 1] - begin;
  const Index* columns = rows.columns + begin;
  const Value* values = rows.values + begin;
  Value rest[width];
  for (int j = 0; j < width; ++j) rest[j] = b[j];
  if (count <= 4) {
    for (std::int64_t k = 0; k < count; ++k) {
      const Value* from = x + static_cast<std::int64_t>(columns[k]) * stride;
      for (int j = 0; j < width; ++j) rest[j] -= product(values[k], from[j]);
    }
  } else if (width == 1 && count <= 8) {
    rest[0] -= sum_up_to_8(columns, values, count, x, stride);
  } else if (width == 1 && count <= 32) {
    rest[0] -= count <= 16 ? sum_pairs<8>(columns, values, count, x, stride)
                           : sum_pairs<16>(columns, values, count, x, stride);
  } else if (width == 1 && count <= 64) {
    rest[0] -= sum_pairs<32>(columns, values, count, x, stride);
  } else {
    Value sum[width];
    sum_many<width>(columns, values, count, x, stride, sum);
    for (int j = 0; j < width; ++j) rest[j] -= sum[j];
  }
  for (int j = 0; j < width; ++j) {
    out[j] = without_payload(ones ? rest[j] : quotient(rest[j], rows.diagonal[p]));
  }
}

/// Rows p = place(k) of the matrix, which are rows row(k) of the system, for k in [first, last).
template <class Value, class Index, class Place, class Row>
void solve_rows(const Split<Value, Index>& matrix,
                std::int64_t first,
                std::int64_t last,
                const Place& place,
                const Row& row,
                MatrixView<const Value> b,
                MatrixView<Value> x) {
  const Rows<Value, Index> rows(matrix);
  if (b.cols == 1 && b.stride == 1 && x.stride == 1) {
    const Value* const from = b.data;
    Value* const to = x.data;
    constexpr std::integral_constant<std::int64_t, 1> one{};
    const auto solve = [&](auto ones) {
      for (std::int64_t k = first; k < last; ++k) {
        const std::int64_t i = row(k);
        solve_row<1, ones.value && !is_complex<Value>>(rows, place(k), from + i, to, one, to + i);
      }
    };
    if (matrix.ones) {
      solve(std::true_type{});
    } else {
      solve(std::false_type{});
    }
    return;
  }
  for (std::int64_t k = first; k < last; ++k) {
    const std::int64_t i = row(k), p = place(k);
    std::int64_t j = 0;
    for (; j + row_tile <= b.cols; j += row_tile) {
      solve_row<row_tile>(rows, p, b.row(i) + j, x.data + j, x.stride, x.row(i) + j);
    }
    for (; j < b.cols; ++j) solve_row<1>(rows, p, b.row(i) + j, x.data + j, x.stride, x.row(i) + j);
  }
}

}  // namespace yupana::sparse::cpu
