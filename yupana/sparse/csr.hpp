#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"

namespace yupana::sparse {

/// A sparse matrix in compressed rows: entries [row_begin[i], row_begin[i + 1]) are those of row i.
/// Does not own. Value: float, double; Index: std::int32_t, std::int64_t; indices from 0.
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

}  // namespace yupana::sparse
