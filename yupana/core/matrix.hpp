#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

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

/// What a matrix of distances d holds: d, or d^2.
enum class Entries { distances, squares };

/// An n x n row-major matrix in the memory of one GPU, kept as long as anyone holds it. One
/// family leaves it on a device and another continues with it. Default: empty.
struct DeviceMatrix {
  enum class Type { int32, float32, float64 };
  /// Of std::int32_t, float or double.
  template <class T>
  static constexpr Type type_of = std::is_integral_v<T>      ? Type::int32
                                  : std::is_same_v<T, float> ? Type::float32
                                                             : Type::float64;

  int device = 0;
  std::int64_t n = 0;
  Type type = Type::int32;
  std::shared_ptr<void> memory;

  bool empty() const { return memory == nullptr; }
  std::uint64_t bytes() const {
    return empty() ? 0 : static_cast<std::uint64_t>(n * n) * (type == Type::float64 ? 8 : 4);
  }
};

}  // namespace yupana
