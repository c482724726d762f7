#pragma once

#include <cmath>
#include <type_traits>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/graph/min_plus_cell_cuda.cuh"
#include "yupana/graph/min_plus_cuda.hpp"
#include "yupana/graph/shortest_paths.hpp"

/// Private to the family: the kernel of the min-plus product and its tuning.
namespace yupana::graph::cuda {

/// Lanes of a warp make a rectangle of 4 x 8; a thread's cells are vectors of 16 bytes, a warp's
/// reads of an operand therefore whole lines of shared memory without conflicts.
template <class Kind, int WarpRows, int WarpColumns, int ThreadRows, int ThreadColumns>
struct TileShape {
  static constexpr int blocks = 2;  ///< on a multiprocessor at once, at least
  static constexpr int warp_columns = WarpColumns;
  static constexpr int thread_rows = ThreadRows;
  static constexpr int thread_columns = ThreadColumns;
  static constexpr int threads = WarpRows * WarpColumns * 32;
  static constexpr int vector = 16 / static_cast<int>(sizeof(typename Kind::Word));
  static constexpr int row_step = WarpRows * 4 * vector;  ///< between two vectors of a thread
  static constexpr int column_step = WarpColumns * 8 * vector;
  static constexpr int rows = WarpRows * 4 * ThreadRows;
  static constexpr int columns = WarpColumns * 8 * ThreadColumns;  ///< words
  static constexpr int cells_per_word =
      static_cast<int>(sizeof(typename Kind::Word) / sizeof(typename Kind::Stored));
  static constexpr int stages = 3;
  static constexpr int unroll = cells_per_word > 1 ? 1 : 2;  ///< pairs of rows; 128 registers
  /// Bytes of one row of both operands.
  static constexpr int row_bytes = (rows + columns) * static_cast<int>(sizeof(typename Kind::Word));
  /// Rows of the operands in one stage. Two blocks with stages of 32 rows need the shared memory of
  /// a Hopper multiprocessor; with 16 rows both find room on one of 100 KB.
  static constexpr int depth_for(int architecture) {
    constexpr int whole = static_cast<int>(depth_unit);
    return architecture < 90 && row_bytes > 512 ? whole / 2 : whole;
  }
  static constexpr int depth = depth_for(yupana::cuda::compiled_for);
  static constexpr int stage_words = depth * (rows + columns);
  static constexpr int shared_bytes(int architecture) {
    return stages * depth_for(architecture) * row_bytes;
  }
};

// The large tile: 16 x 8 cells a thread, two blocks of 128 threads a multiprocessor. Measured on an
// H200 (triangle of 24,576, depth 256, int32 and float32): 15.9 and 15.0 T (add+min)/s; 8 x 8 cells
// in 256 threads a little less; bulk copies and barriers in shared memory in place of cp.async 3 %
// less; other orders of the loops over the cells and
// tiles of half the size change 1 %. Registers alone reach 18.7 and 18.4. Stages of 16 rows make
// 15.8 T of int32 15.5; compiled for 8.0, one block instead of two makes 15.3 T 12.6, and 26.5 T of
// 16 bits 23.3.
template <class Kind>
struct LargeTile : TileShape<Kind, 2, 2, 16, 8> {};
template <>
struct LargeTile<Packed16> : TileShape<Packed16, 4, 2, 8, 8> {};
// The small tile: 64 x 64 cells, the result after a quarter of the time, at two thirds of the rate.
template <class Kind>
struct SmallTile : TileShape<Kind, 4, 2, 4, 4> {};

/// The tile of a kind and size.
template <class Kind, TileSize size>
struct TileOf {
  static constexpr bool small =
      !std::is_same_v<Kind, Packed16> && (std::is_same_v<Kind, Float64> || size == TileSize::small);
  using Shape = std::conditional_t<small, SmallTile<Kind>, LargeTile<Kind>>;
};

struct alignas(16) Vector16 {
  std::uint32_t parts[4];
};

// The 16 bytes at `from` as the first words of `to`, and back.
template <class Word>
__device__ __forceinline__ void load_vector(const void* from, Word* to) {
  union {
    Vector16 vector;
    Word words[16 / sizeof(Word)];
  } value;
  value.vector = *static_cast<const Vector16*>(from);
#pragma unroll
  for (int w = 0; w < static_cast<int>(16 / sizeof(Word)); ++w) to[w] = value.words[w];
}
template <class Word>
__device__ __forceinline__ void store_vector(const Word* from, void* to) {
  union {
    Vector16 vector;
    Word words[16 / sizeof(Word)];
  } value;
#pragma unroll
  for (int w = 0; w < static_cast<int>(16 / sizeof(Word)); ++w) value.words[w] = from[w];
  *static_cast<Vector16*>(to) = value.vector;
}

__device__ __forceinline__ void copy_async(void* to, const void* from) {
  const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from));
}

/// Where a block's tile lies.
template <class Stored>
struct TileCells {
  Stored* cells;  ///< of the tile's first row, from column 0 of the matrix; null: no work
  int row;        ///< first of the tile
  int column;     ///< likewise, in cells
  /// Inside the bounds, aligned and not cut by the diagonal. Packed tiles are taken for whole:
  /// their matrices are padded, and nobody reads their upper triangle.
  bool whole;
};

template <int size>
__host__ __device__ std::int64_t pieces(const Range& range) {
  return (range.end - range.begin + size - 1) / size;
}

template <class Shape, class Kind>
__device__ __forceinline__ TileCells<typename Kind::Stored> find_tile(
    const MinPlusTask<Kind>& task) {
  using Stored = typename Kind::Stored;
  constexpr int tile_cells = Shape::columns * Shape::cells_per_word;
  int index = static_cast<int>(blockIdx.x);
  TileCells<Stored> tile{};
  if (task.tiles != nullptr) {
    const TilePlace place = task.tiles[index];
    tile.row = place.row * Shape::rows;
    tile.column = place.column * tile_cells;
  } else {
    const Rectangle& first = task.areas[0];
    int down = static_cast<int>(pieces<Shape::rows>(first.rows));
    const int tiles = down * static_cast<int>(pieces<tile_cells>(first.columns));
    const bool second = index >= tiles;
    const Rectangle& area = task.areas[second ? 1 : 0];
    if (second) {
      index -= tiles;
      down = static_cast<int>(pieces<Shape::rows>(area.rows));
    }
    tile.row = static_cast<int>(area.rows.begin) + index % down * Shape::rows;
    tile.column = static_cast<int>(area.columns.begin) + index / down * tile_cells;
    if (second && tile.row >= first.rows.begin && tile.row < first.rows.end) return tile;
  }
  const int end_row = tile.row + Shape::rows;
  const int end_column = tile.column + tile_cells;
  const Range skip = task.skipped;
  if ((tile.row < skip.end && end_row > skip.begin) ||
      (tile.column < skip.end && end_column > skip.begin) ||
      (task.lower && tile.column >= end_row)) {
    return tile;
  }
  Stored* base = task.c;
  std::int64_t row = tile.row;
  if (task.strips != nullptr) {
    base = task.strips[tile.row / task.strip];
    row = tile.row % task.strip;
    if (base == nullptr) return tile;
  }
  tile.cells = base + row * task.stride;
  tile.whole = task.stride * sizeof(Stored) % 16 == 0 &&
               reinterpret_cast<std::uintptr_t>(base) % 16 == 0 && end_row <= task.rows &&
               end_column <= task.columns && !(task.lower && end_column > tile.row + 1);
  return tile;
}

template <class Kind>
__device__ __forceinline__ typename Kind::Word unreachable_word() {
  if constexpr (std::is_same_v<Kind, Int32>) return unreachable<std::int32_t>;
  if constexpr (std::is_same_v<Kind, Float32>) return __float_as_int(HUGE_VALF);
  if constexpr (std::is_same_v<Kind, SignedFloat32>) return HUGE_VALF;
  if constexpr (std::is_same_v<Kind, Float64>) return HUGE_VAL;
  if constexpr (std::is_same_v<Kind, Packed16>)
    return (packed_zero - packed_unreachable) * 0x10001u;
}

enum class Move { clear, load, store };

// A thread's cells from or to the matrix; `row` and `column` are the thread's, in words of the
// tile.
template <class Shape, class Kind, Move move>
__device__ __forceinline__ void move_cells(
    const TileCells<typename Kind::Stored>& tile,
    const MinPlusTask<Kind>& task,
    int row,
    int column,
    typename Kind::Word (&cells)[Shape::thread_rows][Shape::thread_columns]) {
  using Word = typename Kind::Word;
  constexpr int vector = Shape::vector;
#pragma unroll
  for (int i = 0; i < Shape::thread_rows; ++i) {
    const int r = row + i / vector * Shape::row_step + i % vector;
    typename Kind::Stored* const line = tile.cells + r * task.stride + tile.column;
#pragma unroll
    for (int j = 0; j < Shape::thread_columns; j += vector) {
      const int c = column + j / vector * Shape::column_step;
      Word* const place = reinterpret_cast<Word*>(line) + c;
      const bool whole = move != Move::clear && (Shape::cells_per_word > 1 || tile.whole);
      if (whole && move == Move::load) load_vector(place, &cells[i][j]);
      if (whole && move == Move::store) store_vector(&cells[i][j], place);
#pragma unroll
      for (int w = 0; !whole && w < vector; ++w) {
        const bool inside = move != Move::clear && tile.row + r < task.rows &&
                            tile.column + c + w < task.columns &&
                            !(task.lower && tile.column + c + w > tile.row + r);
        if (move == Move::store) {
          if (inside) place[w] = cells[i][j + w];
        } else {
          cells[i][j + w] = inside ? place[w] : unreachable_word<Kind>();
        }
      }
    }
  }
}

template <class Shape, class Kind>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    min_plus_kernel(const __grid_constant__ MinPlusTask<Kind> task, int one) {
  using Word = typename Kind::Word;
  using Stored = typename Kind::Stored;
  constexpr int vector = Shape::vector;
  constexpr int stages = Shape::stages;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Word* const operands = reinterpret_cast<Word*>(shared_memory);
  __shared__ TileCells<Stored> kept;  // until the end, where registers are free again
  const int thread = static_cast<int>(threadIdx.x);
  const TileCells<Stored> tile = find_tile<Shape>(task);
  if (tile.cells == nullptr) return;
  if (thread == 0) kept = tile;

  const Word* const left = task.left + tile.row;
  const Word* const right = task.right + tile.column / Shape::cells_per_word;
  const auto fetch = [&](int stage) {
    Word* const to = operands + stage % stages * Shape::stage_words;
    constexpr int left_vectors = Shape::rows / vector;
    constexpr int right_vectors = Shape::columns / vector;
#pragma unroll
    for (int v = thread; v < Shape::depth * left_vectors; v += Shape::threads) {
      const int k = stage * Shape::depth + v / left_vectors;
      copy_async(to + v * vector,
                 left + std::int64_t{k} * task.left_stride + v % left_vectors * vector);
    }
#pragma unroll
    for (int v = thread; v < Shape::depth * right_vectors; v += Shape::threads) {
      const int k = stage * Shape::depth + v / right_vectors;
      copy_async(to + (Shape::depth * left_vectors + v) * vector,
                 right + std::int64_t{k} * task.right_stride + v % right_vectors * vector);
    }
  };
  const int count = task.depth / Shape::depth;
#pragma unroll 1
  for (int stage = 0; stage < stages - 1; ++stage) {
    if (stage < count) fetch(stage);
    asm volatile("cp.async.commit_group;");
  }

  const int warp = thread / 32;
  const int row = (warp / Shape::warp_columns * 4 + thread % 32 / 8) * vector;
  const int column = (warp % Shape::warp_columns * 8 + thread % 8) * vector;
  Word cells[Shape::thread_rows][Shape::thread_columns];
  if (task.assign) {
    move_cells<Shape, Kind, Move::clear>(tile, task, row, column, cells);
  } else {
    move_cells<Shape, Kind, Move::load>(tile, task, row, column, cells);
  }
#pragma unroll 1
  for (int stage = 0; stage < count; ++stage) {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2));
    __syncthreads();
    if (stage + stages - 1 < count) fetch(stage + stages - 1);
    asm volatile("cp.async.commit_group;");
    const Word* l = operands + stage % stages * Shape::stage_words + row;
    const Word* r =
        operands + stage % stages * Shape::stage_words + Shape::depth * Shape::rows + column;
#pragma unroll(Shape::unroll)
    for (int k = 0; k < Shape::depth; k += 2) {
      Word a[2][Shape::thread_rows];
      Word b[2][Shape::thread_columns];
#pragma unroll
      for (int step = 0; step < 2; ++step) {
#pragma unroll
        for (int v = 0; v < Shape::thread_rows / vector; ++v) {
          load_vector(l + (k + step) * Shape::rows + v * Shape::row_step, a[step] + v * vector);
        }
#pragma unroll
        for (int v = 0; v < Shape::thread_columns / vector; ++v) {
          load_vector(r + (k + step) * Shape::columns + v * Shape::column_step,
                      b[step] + v * vector);
        }
      }
#pragma unroll
      for (int i = 0; i < Shape::thread_rows; ++i) {
#pragma unroll
        for (int j = 0; j < Shape::thread_columns; ++j) {
          Cell<Kind>::lower(
              a[0][i], b[0][j], a[1][i], b[1][j], cells[i][j], i * Shape::thread_columns + j, one);
        }
      }
    }
  }
  move_cells<Shape, Kind, Move::store>(kept, task, row, column, cells);
}

template <class Shape, class Kind>
void launch(const MinPlusTask<Kind>& task, cudaStream_t stream) {
  std::int64_t blocks = task.count;
  if (task.tiles == nullptr) {
    for (const Rectangle& area : task.areas) {
      blocks += pieces<Shape::rows>(area.rows) *
                pieces<Shape::columns * Shape::cells_per_word>(area.columns);
    }
  }
  if (blocks == 0) return;
  constexpr auto kernel = min_plus_kernel<Shape, Kind>;
  const int shared_bytes = Shape::shared_bytes(yupana::cuda::architecture_of(kernel));
  yupana::cuda::launch(
      "min-plus product", kernel, {blocks, Shape::threads, shared_bytes}, stream, task, 1);
}

}  // namespace yupana::graph::cuda
