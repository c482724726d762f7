#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/sparse/arithmetic.hpp"
#include "yupana/sparse/triangular_backends.hpp"

/// One row of a triangular system, for the CPU's methods.
namespace yupana::sparse::cpu {

/// Columns of the right-hand side that one pass over a row takes.
inline constexpr int row_tile = 8;

/// For more than four entries: `rest` less the products, added in `lanes` partial sums by halves.
template <int lanes, int width, class Value, class Index>
inline void subtract_by_halves(const Index* columns,
                               const Value* values,
                               std::int64_t count,
                               const Value* x,
                               std::int64_t stride,
                               Value (&rest)[width]) {
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
  for (int j = 0; j < width; ++j) rest[j] -= partial[0][j];
}

/// out[0, width) = x of row p, for `width` columns of the right-hand side b.
template <int width, class Value, class Index>
inline void solve_row(const Split<Value, Index>& matrix,
                      std::int64_t p,
                      const Value* b,
                      const Value* x,
                      std::int64_t stride,
                      Value* out) {
  const std::int64_t begin = matrix.begin[p];
  const std::int64_t count = matrix.begin[p + 1] - begin;
  const Index* columns = matrix.columns.data() + begin;
  const Value* values = matrix.values.data() + begin;
  Value rest[width];
  for (int j = 0; j < width; ++j) rest[j] = b[j];
  if (count <= 4) {
    for (std::int64_t k = 0; k < count; ++k) {
      const Value* from = x + static_cast<std::int64_t>(columns[k]) * stride;
      for (int j = 0; j < width; ++j) rest[j] -= product(values[k], from[j]);
    }
  } else if (count <= 8) {
    subtract_by_halves<8, width>(columns, values, count, x, stride, rest);
  } else if (count <= 16) {
    subtract_by_halves<16, width>(columns, values, count, x, stride, rest);
  } else {
    subtract_by_halves<32, width>(columns, values, count, x, stride, rest);
  }
  const Value pivot = matrix.diagonal[p];
  for (int j = 0; j < width; ++j) out[j] = without_payload(quotient(rest[j], pivot));
}

/// All `columns` of a row.
template <class Value, class Index>
inline void solve_row(const Split<Value, Index>& matrix,
                      std::int64_t p,
                      const Value* b,
                      const Value* x,
                      std::int64_t stride,
                      Value* out,
                      std::int64_t columns) {
  std::int64_t j = 0;
  for (; j + row_tile <= columns; j += row_tile) {
    solve_row<row_tile>(matrix, p, b + j, x + j, stride, out + j);
  }
  for (; j < columns; ++j) solve_row<1>(matrix, p, b + j, x + j, stride, out + j);
}

}  // namespace yupana::sparse::cpu
