#pragma once

#include <cstdint>

#include "yupana/sparse/triangular.hpp"

namespace yupana::sparse {

/// The lower triangle of the five-point (depth 1) or seven-point Laplacian on a grid of
/// width x height x depth points in natural order: the model problem of the benches and tests.
/// Its levels are x + y + z + 1: width + height + depth - 2 of them.
template <class Value, class Index>
CsrMatrix<Value, Index> lower_poisson(std::int64_t width, std::int64_t height, std::int64_t depth) {
  const std::int64_t n = width * height * depth, layer = width * height;
  CsrMatrix<Value, Index> matrix;
  matrix.rows = matrix.cols = n;
  matrix.row_begin = Array<Index>(n + 1);
  const std::int64_t entries =
      n + (width - 1) * height * depth + (height - 1) * width * depth + (depth - 1) * layer;
  matrix.columns = Array<Index>(n > 0 ? entries : 0);
  matrix.values = Array<Value>(n > 0 ? entries : 0);
  std::int64_t e = 0;
  const auto add = [&](std::int64_t column, Value value) {
    matrix.columns[e] = static_cast<Index>(column);
    matrix.values[e++] = value;
  };
  for (std::int64_t i = 0; i < n; ++i) {
    matrix.row_begin[i] = static_cast<Index>(e);
    if (i >= layer) add(i - layer, -1);
    if (i % layer >= width) add(i - width, -1);
    if (i % width > 0) add(i - 1, -1);
    add(i, depth > 1 ? Value{6} : Value{4});
  }
  matrix.row_begin[n] = static_cast<Index>(e);
  return matrix;
}

}  // namespace yupana::sparse
