#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/core/tiles.hpp"

/// Private to the family: the min-plus product on a GPU. Only files of the CUDA build include this.
namespace yupana::graph::cuda {

/// Kinds of arithmetic. `Stored` is a cell of the matrix, `Word` what a register holds (two cells
/// where they are packed), `Value` what the operands are made in.
struct Int32 {
  using Stored = std::int32_t;
  using Word = std::int32_t;
  using Value = std::int32_t;
};
struct Float32 {  ///< no value below zero and no -0.0: ordered by their bits
  using Stored = float;
  using Word = std::int32_t;
  using Value = float;
};
struct SignedFloat32 {
  using Stored = float;
  using Word = float;
  using Value = float;
};
struct Float64 {
  using Stored = double;
  using Word = double;
  using Value = double;
};
/// Lengths up to packed_unreachable, two in a word. A matrix holds packed_zero - length, an operand
/// packed_zero / 2 - length: the sum of two operands is then what a matrix holds for the path over
/// both, no sum carries into its neighbour, and the shortest path is the largest number. It is the
/// smallest half-precision float too, see Cell<Packed16>.
struct Packed16 {
  using Stored = std::uint16_t;
  using Word = std::uint32_t;
  using Value = std::int32_t;
};
/// "No edge" of Packed16, and where it holds a length of 0: the patterns of infinity and -infinity.
inline constexpr std::int32_t packed_unreachable = 0x7c00;
inline constexpr std::int32_t packed_zero = 0xfc00;

/// Lists for core/instantiate.hpp.
#define YUPANA_WHOLE_KINDS(make, name) \
  make(name, Int32) make(name, Float32) make(name, SignedFloat32) make(name, Float64)
#define YUPANA_KINDS(make, name) YUPANA_WHOLE_KINDS(make, name) make(name, Packed16)

/// Rows of the operands are taken by as many at a time.
inline constexpr std::int64_t depth_unit = 32;

/// Rows and columns of a rectangle of cells.
struct Rectangle {
  Range rows;
  Range columns;
};
/// A tile by its row and column, counted in tiles.
struct TilePlace {
  std::int32_t row;
  std::int32_t column;
};

/// c(i, j) = min(c(i, j), left(k, i) + right(k, j)) over k in [0, depth), for the cells of some
/// tiles. Both operands have their rows along k, so that both stream the same way. Fewer than 2^31
/// rows and columns.
template <class Kind>
struct MinPlusTask {
  using Word = typename Kind::Word;
  using Stored = typename Kind::Stored;
  const Word* left = nullptr;  ///< for Packed16 each operand twice in its word
  int left_stride = 0;
  const Word* right = nullptr;
  int right_stride = 0;  ///< in words
  int depth = 0;         ///< a multiple of 32
  /// c by its strips: row i is row i % strip of strips[i / strip]; null: held by another device.
  Stored* const* strips = nullptr;
  int strip = 0;
  Stored* c = nullptr;  ///< if `strips` is null: where row 0 of c lies or would lie
  std::int64_t stride = 0;
  std::int64_t rows = 0;             ///< cells from here on are left alone
  std::int64_t columns = 0;          ///< likewise
  bool assign = false;               ///< c is written without being read
  bool lower = false;                ///< only cells with row >= column
  const TilePlace* tiles = nullptr;  ///< the tiles; if null all those of the two rectangles
  std::int64_t count = 0;            ///< of `tiles`
  Rectangle areas[2];                ///< begin at multiples of a tile
  Range skipped;                     ///< tiles with rows or columns in here are left alone
};

/// Tiles with many cells a thread where there are enough of them, with few where the time to the
/// result counts. Float64 has small ones only, Packed16 only large ones; either takes any size.
enum class TileSize { small, large };
template <class Kind>
std::int64_t tile_rows(TileSize size);
template <class Kind>
std::int64_t tile_columns(TileSize size);

/// Operands must be readable to the end of the last tile.
template <class Kind>
void launch_min_plus(const MinPlusTask<Kind>& task, TileSize size, cudaStream_t stream);

}  // namespace yupana::graph::cuda
