#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"

namespace yupana::sparse {

/// A sparse matrix in compressed rows: entries [row_begin[i], row_begin[i + 1]) are those of row i.
/// Does not own. Value: float, double, std::complex of them; Index: std::int32_t, std::int64_t;
/// indices from 0.
template <class Value, class Index>
struct CsrView {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  const Index* row_begin = nullptr;  ///< rows + 1 numbers
  const Index* columns = nullptr;
  const Value* values = nullptr;

  std::int64_t entries() const { return rows > 0 ? static_cast<std::int64_t>(row_begin[rows]) : 0; }
};

/// The same, owning.
template <class Value, class Index>
struct CsrMatrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<Index> row_begin;
  Array<Index> columns;
  Array<Value> values;

  CsrView<Value, Index> view() const {
    return {rows, cols, row_begin.data(), columns.data(), values.data()};
  }
};

/// The transpose, each row's entries in ascending order of columns, those of one place in the order
/// they had. work: O(entries + rows + columns)
template <class Value, class Index>
CsrMatrix<Value, Index> transposed(const CsrView<Value, Index>& matrix) {
  const std::int64_t entries = matrix.entries();
  CsrMatrix<Value, Index> result{matrix.cols,
                                 matrix.rows,
                                 Array<Index>::zeros(matrix.cols + 1),
                                 Array<Index>(entries),
                                 Array<Value>(entries)};
  // Of row r its begin stands at r + 1 until its entries have moved it to its end: the next begin.
  Index* const next = result.row_begin.data() + 1;
  for (std::int64_t e = 0; e < entries; ++e) {
    if (matrix.columns[e] + 1 < matrix.cols) ++next[matrix.columns[e] + 1];
  }
  for (std::int64_t r = 1; r < matrix.cols; ++r) next[r] += next[r - 1];
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (Index e = matrix.row_begin[row]; e < matrix.row_begin[row + 1]; ++e) {
      const Index to = next[matrix.columns[e]]++;
      result.columns[to] = static_cast<Index>(row);
      result.values[to] = matrix.values[e];
    }
  }
  return result;
}

}  // namespace yupana::sparse
