#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/array.hpp"

namespace yupana {

/// View of a table of numbers, column after column: value (row, column) is at
/// data[column * stride + row]. NaN is a missing value. Does not own.
template <class T>
struct TableView {
  const T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;

  const T* column(std::int64_t c) const { return data + c * stride; }
  T operator()(std::int64_t row, std::int64_t c) const { return data[c * stride + row]; }
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
