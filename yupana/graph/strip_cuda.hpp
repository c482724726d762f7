#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/core/tiles.hpp"

/// Private to the family: the steps of blocked Floyd-Warshall around the min-plus product, on a
/// GPU. Only files of the CUDA build include this.
namespace yupana::graph::cuda {

/// Edge of the tiles in which a square is closed.
inline constexpr std::int64_t square_tile = 64;

/// A square matrix, or some rows of it, in device memory: one behind the other, or in strips that
/// may lie on several devices.
template <class Stored>
struct StripRows {
  Stored* const* strips = nullptr;  ///< first rows of the strips; null: not to be touched
  Stored* base = nullptr;           ///< if `strips` is null: where row 0 lies or would lie
  Range held;                       ///< if `strips` is null: the rows that are there
  std::int64_t strip = 0;           ///< rows of a strip
  std::int64_t stride = 0;
  std::int64_t size = 0;  ///< of the whole matrix
};

/// Which cells make the strip of vertex k: its row, its column, or the row up to the diagonal and
/// then the column (a symmetric matrix of which the lower triangle is stored).
enum class Side { rows, columns, mirrored };

/// Row k of `to` becomes the strip of vertex first + k, from column columns.begin on; vertices from
/// `size` on are joined to nothing. `none`: "no edge".
template <class Stored, class Value>
void launch_gather(const StripRows<Stored>& from,
                   Side side,
                   std::int64_t first,
                   Range columns,
                   Value none,
                   Value* to,
                   std::int64_t to_stride,
                   cudaStream_t stream);

/// The other way: the strip from `first` on, of to.strip rows, back into the matrix. `values` has a
/// row a vertex, the whole width; the square on the diagonal is taken from `square`, and with
/// Side::columns left alone.
template <class Stored, class Value>
void launch_scatter(const Value* values,
                    std::int64_t stride,
                    const Value* square,
                    std::int64_t square_stride,
                    Side side,
                    std::int64_t first,
                    const StripRows<Stored>& to,
                    cudaStream_t stream);

/// One step of closing a square of `tiles` x `tiles` tiles: paths through the vertices of tile
/// `pivot`. Reads `from`, writes all of `to`, whose rows lie one
/// behind the other. Where a cycle of negative length shows, `vertex`
/// becomes first + a vertex on it, if it was -1. Floats: a symmetric square stays so but for
/// rounding.
template <class Kind>
void launch_square_step(const typename Kind::Value* from,
                        std::int64_t from_stride,
                        typename Kind::Value* to,
                        std::int64_t tiles,
                        std::int64_t pivot,
                        std::int64_t first,
                        std::int64_t* vertex,
                        cudaStream_t stream);

template <class Value>
void launch_transpose(const Value* from, Value* to, std::int64_t size, cudaStream_t stream);

/// Operands of the packed product from `count` values: each twice in a word, and two in a word.
void launch_pack(const std::int32_t* values,
                 std::int64_t count,
                 std::uint32_t* twice,
                 std::uint32_t* pairs,
                 cudaStream_t stream);

/// The upper triangle of the rows in `rows` becomes the mirror image of the lower one in `all`;
/// adds to `unchanged` the number of cells that were so before.
template <class Stored>
void launch_mirror(const StripRows<Stored>& rows,
                   const StripRows<Stored>& all,
                   unsigned long long* unchanged,
                   cudaStream_t stream);

/// Contiguous tiles of 64 x 64 of an upper triangle, in device memory: in tile rows first_row,
/// first_row + row_step, ..., and so the tile columns.
template <class T>
struct TileGroup {
  T* cells = nullptr;
  std::int64_t rows = 0, columns = 0;  ///< cells
  std::int64_t first_row = 0, row_step = 1;
  std::int64_t first_column = 0, column_step = 1;
};
/// The cells of the tiles become cells of the lower triangle in `to`.
template <class T>
void launch_tiles_to_rows(const TileGroup<T>& from, const StripRows<T>& to, cudaStream_t stream);
/// And back; cells outside the triangle become `none`.
template <class T>
void launch_rows_to_tiles(const StripRows<T>& from,
                          const TileGroup<T>& to,
                          T none,
                          cudaStream_t stream);

/// The largest value that is not `unreachable`, and whether any is, in the lower triangle; into two
/// values that were zero.
void launch_facts(const StripRows<std::int32_t>& rows, std::int32_t* facts, cudaStream_t stream);

/// The lower triangle in 16 bits and back; both have the same strips.
void launch_narrow(const StripRows<std::int32_t>& from,
                   const StripRows<std::uint16_t>& to,
                   cudaStream_t stream);
void launch_widen(const StripRows<std::uint16_t>& from,
                  const StripRows<std::int32_t>& to,
                  cudaStream_t stream);

}  // namespace yupana::graph::cuda
