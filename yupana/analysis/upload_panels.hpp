#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::analysis {

/// Only files of the CUDA build include this. Rows of a matrix in page-locked memory, `width` cells
/// apart.
template <class T>
struct Panel {
  const T* cells;
  Range rows;
  std::int64_t width;
};
inline constexpr std::int64_t panel_bytes = std::int64_t{32} << 20;  ///< or one row

/// The rows of a panel of this width.
template <class T>
std::int64_t panel_rows(std::int64_t width) {
  return std::max<std::int64_t>(panel_bytes / (width * static_cast<std::int64_t>(sizeof(T))), 1);
}

/// Passes the rows of an n x n host matrix through two page-locked buffers that all threads fill,
/// padded with zeros to `width`. take(panel) queues copies of it on the stream; all have ended when
/// the call returns.
template <class T, class Take>
void upload_panels(Context& context,
                   const T* cells,
                   std::int64_t n,
                   std::int64_t stride,
                   std::int64_t width,
                   cudaStream_t stream,
                   const Take& take) {
  const std::int64_t row_bytes = width * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t rows = std::min(panel_rows<T>(width), n);
  yupana::cuda::PinnedArray<T> buffers[2] = {yupana::cuda::PinnedArray<T>(rows * width),
                                             yupana::cuda::PinnedArray<T>(rows * width)};
  yupana::cuda::Event free[2];
  for (std::int64_t first = 0, turn = 0; first < n; first += rows, turn ^= 1) {
    context.check_cancelled();
    const std::int64_t height = std::min(rows, n - first);
    T* const buffer = buffers[turn].data();
    free[turn].wait();
    context.parallel_for(
        height, divide_up(1 << 18, row_bytes), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            T* const row = buffer + i * width;
            std::copy_n(cells + (first + i) * stride, n, row);
            std::fill(row + n, row + width, T{});
          }
        });
    take(Panel<T>{buffer, {first, first + height}, width});
    free[turn].record(stream);
    context.count_moved(static_cast<std::uint64_t>(height * row_bytes));
  }
  yupana::cuda::check(cudaStreamSynchronize(stream), "copy a matrix");
}

}  // namespace yupana::analysis
