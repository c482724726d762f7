#include <algorithm>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/spectral/fft_transform.hpp"
#include "yupana/spectral/matmul_backends.hpp"

namespace yupana::spectral::cpu {
namespace {

// A panel of b (32 floats or 16 doubles wide) of this depth takes 24 KB of the first-level cache,
// a block of a (192 rows) 150 to 300 KB of the second.
constexpr std::int64_t panel_depth = 192;
constexpr std::int64_t block_rows = 192;
constexpr std::int64_t block_columns = 512;

/// Panels of the left factor: rows [first, first + width) of a, zeros beyond its last.
template <class T>
void pack_rows(MatrixView<const T> a, Range depth, std::int64_t first, std::int64_t width, T* to) {
  const std::int64_t rows = std::min(width, a.rows - first);
  for (std::int64_t i = 0; i < width; ++i) {
    for (std::int64_t k = 0; k < depth.size(); ++k) {
      to[k * width + i] = i < rows ? a(first + i, depth.begin + k) : T(0);
    }
  }
}

template <class T>
void pack_columns(
    MatrixView<const T> b, Range depth, std::int64_t first, std::int64_t width, T* to) {
  const std::int64_t columns = std::min(width, b.cols - first);
  for (std::int64_t k = 0; k < depth.size(); ++k) {
    const T* const from = b.row(depth.begin + k) + first;
    std::copy(from, from + columns, to + k * width);
    std::fill(to + k * width + columns, to + (k + 1) * width, T(0));
  }
}

/// One kernel's cells, whole or cut by the edge of c.
template <class T>
void put_tile(const MatmulKernel<T>& kernel,
              std::int64_t depth,
              const T* a,
              const T* b,
              MatrixView<T> c,
              std::int64_t i,
              std::int64_t j,
              bool add) {
  const std::int64_t rows = std::min(kernel.rows, c.rows - i);
  const std::int64_t columns = std::min(kernel.columns, c.cols - j);
  if (rows == kernel.rows && columns == kernel.columns) {
    return kernel.run(depth, a, b, c.row(i) + j, c.stride, add);
  }
  constexpr std::int64_t max_cells = 12 * 32;
  T cells[max_cells];
  kernel.run(depth, a, b, cells, kernel.columns, false);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t s = 0; s < columns; ++s) {
      T& cell = c(i + r, j + s);
      const T sum = cells[r * kernel.columns + s];
      cell = add ? cell + sum : sum;
    }
  }
}

}  // namespace

template <class T>
void classical(
    Context& context, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c, bool add) {
  const MatmulKernel<T> kernel = matmul_kernel<T>();
  const std::int64_t inner = a.cols;
  if (inner == 0 && !add) {
    for (std::int64_t i = 0; i < c.rows; ++i) std::fill(c.row(i), c.row(i) + c.cols, T(0));
  }
  if (c.rows == 0 || c.cols == 0 || inner == 0) return;
  const std::int64_t panels = divide_up(c.cols, kernel.columns);
  Array<T> right(panels * kernel.columns * std::min(inner, panel_depth));
  Scratch<T> left((block_rows + kernel.rows) * panel_depth);
  const std::int64_t rows = round_up(std::min(block_rows, c.rows), kernel.rows);
  const std::int64_t columns = round_up(std::min(block_columns, c.cols), kernel.columns);
  const std::int64_t across = divide_up(c.cols, columns);
  const std::int64_t blocks = divide_up(c.rows, rows) * across;
  const bool alone =
      static_cast<double>(c.rows) * static_cast<double>(c.cols) * static_cast<double>(inner) < 1e5;
  const auto loop = [&](std::int64_t count, const auto& body) {
    if (alone) return body(0, count);
    context.parallel_for(count, 1, body);
  };
  for (std::int64_t k = 0; k < inner; k += panel_depth) {
    const Range depth = {k, std::min(k + panel_depth, inner)};
    loop(panels, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        pack_columns(b,
                     depth,
                     p * kernel.columns,
                     kernel.columns,
                     &right[p * kernel.columns * depth.size()]);
      }
    });
    loop(blocks, [&](std::int64_t begin, std::int64_t end) {
      typename Scratch<T>::Block block(left);
      T* const packed = block.data();
      for (std::int64_t index = begin; index < end; ++index) {
        context.check_cancelled();
        const Range down = {index / across * rows, std::min(c.rows, (index / across + 1) * rows)};
        const Range along = {index % across * columns,
                             std::min(c.cols, (index % across + 1) * columns)};
        for (std::int64_t i = down.begin; i < down.end; i += kernel.rows) {
          pack_rows(a, depth, i, kernel.rows, packed + (i - down.begin) * depth.size());
        }
        for (std::int64_t j = along.begin; j < along.end; j += kernel.columns) {
          for (std::int64_t i = down.begin; i < down.end; i += kernel.rows) {
            put_tile(kernel,
                     depth.size(),
                     packed + (i - down.begin) * depth.size(),
                     &right[j * depth.size()],
                     c,
                     i,
                     j,
                     add || k > 0);
          }
        }
      }
    });
  }
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, classical)

}  // namespace yupana::spectral::cpu
