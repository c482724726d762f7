#pragma once

#include <cstdint>

#include "yupana/core/matrix.hpp"

/// What the kernels of the classical matrix product share.
namespace yupana::spectral::cuda {

/// A factor; whether 16 bytes may be read at once from every column that is a multiple of 4.
template <class T>
struct Operand {
  const T* data;
  std::int64_t rows, cols, stride;
  bool aligned;
};

template <class T>
Operand<T> operand(MatrixView<const T> m) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 &&
                       m.stride % static_cast<std::int64_t>(16 / sizeof(T)) == 0;
  return {m.data, m.rows, m.cols, m.stride, aligned};
}

template <class T>
struct Product {
  Operand<T> a, b;
  MatrixView<T> c;
  bool add;
};

/// Four values of a row, zeros beyond the edges.
__device__ __forceinline__ float4 quad(const Operand<float>& m, std::int64_t i, std::int64_t j) {
  if (i >= m.rows || j >= m.cols) return {0, 0, 0, 0};
  const float* const from = m.data + i * m.stride + j;
  if (m.aligned && j + 4 <= m.cols) return *reinterpret_cast<const float4*>(from);
  const std::int64_t left = m.cols - j;
  return {from[0], left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, left > 3 ? from[3] : 0};
}

/// Two values of a row, zeros beyond the edges.
__device__ __forceinline__ double2 pair(const Operand<double>& m, std::int64_t i, std::int64_t j) {
  if (i >= m.rows || j >= m.cols) return {0, 0};
  const double* const from = m.data + i * m.stride + j;
  if (m.aligned && j + 2 <= m.cols) return *reinterpret_cast<const double2*>(from);
  return {from[0], j + 1 < m.cols ? from[1] : 0};
}

template <class T>
__device__ __forceinline__ void put(const Product<T>& task, std::int64_t i, std::int64_t j, T sum) {
  if (i >= task.c.rows || j >= task.c.cols) return;
  T& cell = task.c.data[i * task.c.stride + j];
  cell = task.add ? cell + sum : sum;
}

/// Blocks go down eight rows of tiles, then right: what runs at a time shares rows and columns in
/// the second-level cache.
template <class T>
__device__ __forceinline__ void block_place(
    const MatrixView<T>& c, int height, int width, std::int64_t& i0, std::int64_t& j0) {
  constexpr std::int64_t band = 8;
  const std::int64_t down = (c.rows + height - 1) / height, across = (c.cols + width - 1) / width;
  const std::int64_t block = blockIdx.x;
  const std::int64_t first = block / (band * across) * band;
  const std::int64_t rows = down - first < band ? down - first : band;
  const std::int64_t within = block - first * across;
  i0 = (first + within % rows) * height;
  j0 = within / rows * width;
}

}  // namespace yupana::spectral::cuda
