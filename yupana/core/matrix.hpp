#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"

namespace yupana {

/// Row-major view of a matrix; row i starts at data + i * stride. Does not own.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t stride = 0;

  MatrixView() = default;
  MatrixView(T* data_, std::int64_t rows_, std::int64_t cols_, std::int64_t stride_)
      : data(data_), rows(rows_), cols(cols_), stride(stride_) {}
  MatrixView(T* data_, std::int64_t rows_, std::int64_t cols_)
      : MatrixView(data_, rows_, cols_, cols_) {}
  /// A view of mutable values reads as a view of constants.
  operator MatrixView<const T>() const { return {data, rows, cols, stride}; }

  T* row(std::int64_t i) const { return data + i * stride; }
  T& operator()(std::int64_t i, std::int64_t j) const { return data[i * stride + j]; }
};

/// An owning row-major matrix without padding; contents undefined after construction.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::int64_t rows, std::int64_t cols) : values_(rows * cols), rows_(rows), cols_(cols) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T* row(std::int64_t i) { return data() + i * cols_; }
  const T* row(std::int64_t i) const { return data() + i * cols_; }
  T& operator()(std::int64_t i, std::int64_t j) { return data()[i * cols_ + j]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return data()[i * cols_ + j]; }
  MatrixView<T> view() { return {data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {data(), rows_, cols_}; }

 private:
  Array<T> values_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
};

/// An owning n x n matrix: distances, weights and closures cross the families in this type.
template <class T>
class SquareMatrix : public Matrix<T> {
 public:
  SquareMatrix() = default;
  explicit SquareMatrix(std::int64_t n) : Matrix<T>(n, n) {}
  std::int64_t size() const { return this->rows(); }
};

}  // namespace yupana
