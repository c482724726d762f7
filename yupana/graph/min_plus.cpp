#include "yupana/graph/min_plus.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph::cpu {
namespace {

// Steps of k packed at once: bounds the buffers to 2 x 1,024 rows of half the matrix, while each
// cell of c is still read only once per 1,024 add+mins.
constexpr std::int64_t panel_depth = min_plus_panel;
// Steps of k in one call of the register kernel. Left and right blocks of that depth and the block
// of c (192 x 4 register tiles) fill 650 KB of the second-level cache.
constexpr std::int64_t kernel_depth = 256;
constexpr std::int64_t block_rows = 192;
constexpr std::int64_t max_block_rows = block_rows + 6;
constexpr std::int64_t block_tiles = 4;
// Below this many add+mins the threads cost more than they bring (about 5 us of work).
constexpr std::int64_t min_parallel = std::int64_t{1} << 18;

template <class T>
void copy_transposed(const T* from,
                     std::int64_t from_stride,
                     Range rows,
                     Range columns,
                     T* to,
                     std::int64_t to_stride) {
  // Squares small enough for the first-level cache; rows are read in whole lines, since rows a
  // power of two apart share few cache sets.
  constexpr std::int64_t tile_size = 64;
  for (std::int64_t j0 = 0; j0 < columns.size(); j0 += tile_size) {
    const std::int64_t j1 = std::min(j0 + tile_size, columns.size());
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      const T* source = from + (rows.begin + i) * from_stride + columns.begin;
      for (std::int64_t j = j0; j < j1; ++j) to[j * to_stride + i] = source[j];
    }
  }
}

// One packed panel: to[k * width + c] = operand(first + k, column + c), `unreachable` beyond the
// operand's last column.
template <class T>
void pack_panel(const Operand<T>& operand,
                std::int64_t first,
                std::int64_t depth,
                std::int64_t column,
                std::int64_t width,
                T* to) {
  const MatrixView<const T>& m = operand.stored;
  const bool transposed = operand.layout == Layout::transposed;
  const std::int64_t columns = std::min(width, (transposed ? m.rows : m.cols) - column);
  if (columns < width) std::fill(to, to + depth * width, unreachable<T>);
  // Rows of a symmetric operand up to `column` lie right of the diagonal for the whole panel, rows
  // from the panel's last column on lie below it.
  std::int64_t plain = depth;
  std::int64_t below = depth;
  if (transposed) plain = below = 0;
  if (operand.layout == Layout::symmetric) {
    plain = std::clamp<std::int64_t>(column + 1 - first, 0, depth);
    below = std::clamp<std::int64_t>(column + columns - first, plain, depth);
  }
  for (std::int64_t k = 0; k < plain; ++k) {
    std::memcpy(
        to + k * width, m.row(first + k) + column, static_cast<std::size_t>(columns) * sizeof(T));
  }
  for (std::int64_t k = plain; k < below; ++k) {
    for (std::int64_t c = 0; c < columns; ++c) {
      to[k * width + c] = m(std::min(first + k, column + c), std::max(first + k, column + c));
    }
  }
  if (below < depth) {
    copy_transposed(m.data,
                    m.stride,
                    {column, column + columns},
                    {first + below, first + depth},
                    to + below * width,
                    width);
  }
}

/// Cells of a block above the diagonal, and half of those on it.
double upper_cells(Range rows, Range columns) {
  double cells = 0;
  for (std::int64_t i = rows.begin; i < std::min(rows.end, columns.end); ++i) {
    const std::int64_t first = std::max(columns.begin, i);
    cells += static_cast<double>(columns.end - first) - (first == i ? 0.5 : 0.0);
  }
  return cells;
}

}  // namespace

template <class T>
struct MinPlus<T>::Blocks {
  std::int64_t depth = 0;
  std::int64_t rows = 0;     ///< of a block, whole register tiles
  std::int64_t columns = 0;  ///< of a block, whole register tiles
  std::int64_t across = 0;   ///< blocks side by side
  std::int64_t count = 0;
  bool parallel = false;
  Part part = Part::whole;
};

template <class T>
MinPlus<T>::MinPlus(Context& context, Stage& stage, Signs signs, std::int64_t largest)
    : context_(context),
      stage_(stage),
      kernels_(simd_table<T>().kernels(signs)),
      left_((largest + kernels_.rows) * std::min(largest, panel_depth)),
      right_((largest + kernels_.columns) * std::min(largest, panel_depth)) {}

template <class T>
void MinPlus<T>::pack(Operand<T> operand,
                      std::int64_t first,
                      std::int64_t depth,
                      std::int64_t width,
                      Array<T>& packed) {
  const bool transposed = operand.layout == Layout::transposed;
  const std::int64_t columns = transposed ? operand.stored.rows : operand.stored.cols;
  const std::int64_t panels = divide_up(columns, width);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      pack_panel(operand, first, depth, p * width, width, &packed[p * width * depth]);
    }
  };
  const std::int64_t grain = std::max<std::int64_t>(1, 32768 / (width * depth));
  if (panels <= grain) return body(0, panels);
  context_.parallel_for(panels, grain, body);
}

// Moves a block between c and a buffer of whole register tiles, each tile contiguous: calls
// move(cells of c, place in the buffer, cells). `upper` leaves out what lies below c's diagonal.
template <class T>
template <class Move>
void MinPlus<T>::each_tile_row(
    MatrixView<T> c, Range rows, Range columns, bool upper, const Move& move) {
  const std::int64_t tile_rows = kernels_.rows;
  const std::int64_t tile_columns = kernels_.columns;
  const std::int64_t across = divide_up(columns.size(), tile_columns);
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const std::int64_t row = i - rows.begin;
    for (std::int64_t t = 0; t < across; ++t) {
      const std::int64_t column = columns.begin + t * tile_columns;
      const std::int64_t first = upper ? std::max(i, column) : column;
      const std::int64_t last = std::min(column + tile_columns, columns.end);
      if (first >= last) continue;
      const std::int64_t tile = row / tile_rows * across + t;
      move(c.row(i) + first,
           (tile * tile_rows + row % tile_rows) * tile_columns + first - column,
           static_cast<std::size_t>(last - first) * sizeof(T));
    }
  }
}

template <class T>
void MinPlus<T>::multiply_block(const Blocks& blocks, std::int64_t index, MatrixView<T> c) {
  const std::int64_t tile_rows = kernels_.rows;
  const std::int64_t tile_columns = kernels_.columns;
  const std::int64_t down = index / blocks.across;
  const std::int64_t along = index % blocks.across;
  const Range rows = {down * blocks.rows, std::min(c.rows, (down + 1) * blocks.rows)};
  const Range columns = {along * blocks.columns, std::min(c.cols, (along + 1) * blocks.columns)};
  const bool upper = blocks.part == Part::upper_triangle;
  if (upper && rows.begin >= columns.end) return;
  // A copy of the block: its rows would lie a power of two apart for many n and share a few sets
  // of the caches (n = 4,096: 42 G (add+min)/s in place, 55 so). Tails need no code of their own.
  Array<T>& tiles = tiles_.local();
  if (tiles.empty()) tiles = Array<T>(max_block_rows * block_tiles * tile_columns);
  each_tile_row(c, rows, columns, upper, [&](const T* from, std::int64_t to, std::size_t bytes) {
    std::memcpy(&tiles[to], from, bytes);
  });
  for (std::int64_t k = 0; k < blocks.depth; k += kernel_depth) {
    const std::int64_t depth = std::min(kernel_depth, blocks.depth - k);
    const std::int64_t across = divide_up(columns.size(), tile_columns);
    for (std::int64_t j = 0; j < across; ++j) {
      const std::int64_t column = columns.begin + j * tile_columns;
      const T* right = &right_[column * blocks.depth + k * tile_columns];
      for (std::int64_t i = rows.begin; i < rows.end; i += tile_rows) {
        if (upper && i >= column + tile_columns) break;
        const std::int64_t tile = (i - rows.begin) / tile_rows * across + j;
        kernels_.tile(depth,
                      &left_[i * blocks.depth + k * tile_rows],
                      right,
                      &tiles[tile * tile_rows * tile_columns],
                      tile_columns);
      }
    }
  }
  each_tile_row(c, rows, columns, upper, [&](T* to, std::int64_t from, std::size_t bytes) {
    std::memcpy(to, &tiles[from], bytes);
  });
  const double cells =
      upper ? upper_cells(rows, columns) : static_cast<double>(rows.size() * columns.size());
  stage_.advance(cells * static_cast<double>(blocks.depth));
}

template <class T>
void MinPlus<T>::multiply(const Blocks& blocks, MatrixView<T> c) {
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = begin; b < end; ++b) multiply_block(blocks, b, c);
  };
  if (blocks.count == 1 || !blocks.parallel) return body(0, blocks.count);
  context_.parallel_for(blocks.count, 1, body);
}

template <class T>
void MinPlus<T>::product(Operand<T> left, Operand<T> right, MatrixView<T> c, Part part) {
  const std::int64_t depth =
      right.layout == Layout::transposed ? right.stored.cols : right.stored.rows;
  if (c.rows == 0 || c.cols == 0 || depth == 0) return;
  // The left operand is packed by columns: as the right one of its transpose.
  if (left.layout != Layout::symmetric) {
    left.layout = left.layout == Layout::plain ? Layout::transposed : Layout::plain;
  }
  Blocks blocks;
  blocks.part = part;
  blocks.rows = round_up(std::min(c.rows, block_rows), kernels_.rows);
  blocks.columns = round_up(std::min(c.cols, block_tiles * kernels_.columns), kernels_.columns);
  const auto count = [&] {
    return divide_up(c.rows, blocks.rows) * divide_up(c.cols, blocks.columns);
  };
  blocks.parallel = context_.threads() > 1 && c.rows * c.cols * depth > min_parallel;
  while (blocks.parallel && count() < 6 * context_.threads()) {
    if (blocks.columns > kernels_.columns && blocks.columns >= blocks.rows) {
      blocks.columns = round_up(blocks.columns / 2, kernels_.columns);
    } else if (blocks.rows > 4 * kernels_.rows) {
      blocks.rows = round_up(blocks.rows / 2, kernels_.rows);
    } else {
      break;
    }
  }
  blocks.across = divide_up(c.cols, blocks.columns);
  blocks.count = count();
  for (std::int64_t k = 0; k < depth; k += panel_depth) {
    blocks.depth = std::min(panel_depth, depth - k);
    pack(left, k, blocks.depth, kernels_.rows, left_);
    pack(right, k, blocks.depth, kernels_.columns, right_);
    multiply(blocks, c);
  }
}

template <class T>
std::int64_t mirror(Context& context, MatrixView<T> square, Triangle from) {
  constexpr std::int64_t tile_size = 64;
  const std::int64_t side = divide_up(square.rows, tile_size);
  const bool up = from == Triangle::lower;
  std::atomic<std::int64_t> unchanged{0};
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t equal = 0;
    for (std::int64_t index = begin; index < end; ++index) {
      const Tile tile = triangle_tile(index, side, side);
      const std::int64_t row = up ? tile.column : tile.row;
      const std::int64_t column = up ? tile.row : tile.column;
      const Range rows = {row * tile_size, std::min(square.rows, (row + 1) * tile_size)};
      const Range columns = {column * tile_size, std::min(square.rows, (column + 1) * tile_size)};
      T transposed[tile_size * tile_size];
      copy_transposed<T>(square.data, square.stride, columns, rows, transposed, tile_size);
      for (std::int64_t i = rows.begin; i < rows.end; ++i) {
        const T* source = transposed + (i - rows.begin) * tile_size - columns.begin;
        T* to = square.row(i);
        const std::int64_t first = up ? std::max(columns.begin, i + 1) : columns.begin;
        const std::int64_t last = up ? columns.end : std::min(columns.end, i);
        for (std::int64_t j = first; j < last; ++j) {
          equal += to[j] == source[j];
          to[j] = source[j];
        }
      }
    }
    unchanged.fetch_add(equal, std::memory_order_relaxed);
  };
  context.parallel_for(triangle_tiles(square.rows, tile_size), 8, body);
  return unchanged.load();
}

YUPANA_CLASSES(YUPANA_DISTANCES, MinPlus)
YUPANA_FUNCTIONS(YUPANA_DISTANCES, mirror)

}  // namespace yupana::graph::cpu
