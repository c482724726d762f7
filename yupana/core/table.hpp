#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/error.hpp"

namespace yupana {

/// View of a table of numbers: value (row, column) is at data[column * stride + row * row_stride].
/// NaN is a missing value. Does not own. Tables lie column after column (row_stride 1); only what
/// says so takes others.
template <class T>
struct TableView {
  const T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;
  std::int64_t row_stride = 1;

  /// errors: usage if the column's values are not adjacent
  const T* column(std::int64_t c) const {
    if (row_stride != 1) {
      throw Error(ErrorCode::usage, "table: expected columns one after the other, got rows");
    }
    return data + c * stride;
  }
  T operator()(std::int64_t row, std::int64_t c) const {
    return data[c * stride + row * row_stride];
  }
  /// Rows [first, first + count).
  TableView part(std::int64_t first, std::int64_t count) const {
    return {data + first * row_stride, count, columns, stride, row_stride};
  }
};

/// An owning table of numbers, column after column without padding, with a name a column.
template <class T>
class Table {
 public:
  Table() = default;
  Table(std::int64_t rows, std::vector<std::string> names)
      : names_(std::move(names)),
        rows_(rows),
        values_(rows * static_cast<std::int64_t>(names_.size())) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return static_cast<std::int64_t>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }
  T* column(std::int64_t c) { return values_.data() + c * rows_; }
  const T* column(std::int64_t c) const { return values_.data() + c * rows_; }
  TableView<T> view() const { return {values_.data(), rows_, columns(), rows_}; }

 private:
  std::vector<std::string> names_;
  std::int64_t rows_ = 0;
  Array<T> values_;
};

}  // namespace yupana
