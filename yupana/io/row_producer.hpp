#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "yupana/core/matrix.hpp"

namespace yupana::io {

/// Computes row i of an n x n matrix into row[0 .. n). Called from several threads at once, for
/// every row exactly once, in no fixed order: a matrix is written without being held.
using RowProducer = std::function<void(std::int64_t i, double* row)>;

/// The rows of a matrix in memory, which must outlive the producer.
template <class T>
RowProducer rows_of(MatrixView<const T> matrix) {
  return [matrix](std::int64_t i, double* row) {
    std::transform(matrix.row(i), matrix.row(i) + matrix.cols, row, [](T value) {
      return static_cast<double>(value);
    });
  };
}

}  // namespace yupana::io
