#include "yupana/graph/host_blocks.hpp"

#include <algorithm>

#include "yupana/core/instantiate.hpp"

namespace yupana::graph::cpu {
namespace {

// Smallest index with a negative (or NaN) diagonal, or -1.
template <class T>
std::int64_t negative_diagonal(MatrixView<T> w) {
  for (std::int64_t i = 0; i < w.rows; ++i) {
    if (!(w(i, i) >= 0)) return i;
  }
  return -1;
}

// In a copy with both triangles, so that the lower triangle of w keeps the weights.
template <class T>
void close_upper_triangle(const MinPlusKernels<T>& kernels, MatrixView<T> w) {
  constexpr std::int64_t size = HostBlocks<T>::block_size;
  alignas(64) T whole[size * size];
  for (std::int64_t i = 0; i < w.rows; ++i) {
    for (std::int64_t j = i; j < w.rows; ++j) whole[i * size + j] = whole[j * size + i] = w(i, j);
  }
  kernels.leaf(w.rows, whole, size);
  for (std::int64_t i = 0; i < w.rows; ++i) {
    std::copy(whole + i * size + i, whole + i * size + w.rows, w.row(i) + i);
  }
}

}  // namespace

// The walk found when pivot k is worked passes k, and what it visits besides was closed before
// without a negative cycle: so k lies on one. A diagonal that is negative before the block starts
// was made by detours through closed vertices alone, and its vertex lies on the cycle by the same
// argument.
template <class T>
std::int64_t HostBlocks<T>::close_block(Range v) {
  const MatrixView<T> w = block(v, v);
  const auto size = static_cast<double>(v.size());
  min_plus_.stage().advance(size * size * size * (symmetric() ? 0.5 : 1.0));
  std::int64_t vertex = -1;
  if (symmetric()) {
    close_upper_triangle(min_plus_.kernels(), w);
  } else {
    vertex = negative_diagonal(w);
    if (vertex < 0) vertex = min_plus_.kernels().leaf(w.rows, w.data, w.stride);
  }
  return vertex < 0 ? vertex : v.begin + vertex;
}

template <class T>
void HostBlocks<T>::product(Range rows, Range steps, Range columns) {
  const Part part = rows.begin == columns.begin ? stored_ : Part::whole;
  min_plus_.product(operand(rows, steps), operand(steps, columns), block(rows, columns), part);
}

template <class T>
MatrixView<T> HostBlocks<T>::block(Range rows, Range columns) const {
  return {matrix_.row(rows.begin) + columns.begin, rows.size(), columns.size(), matrix_.stride};
}

template <class T>
Operand<T> HostBlocks<T>::operand(Range rows, Range columns) const {
  if (!symmetric() || rows.begin < columns.begin) return {block(rows, columns)};
  if (rows.begin > columns.begin) return {block(columns, rows), Layout::transposed};
  return {block(rows, columns), Layout::symmetric};
}

YUPANA_CLASSES(YUPANA_DISTANCES, HostBlocks)

}  // namespace yupana::graph::cpu
