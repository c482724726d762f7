#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <variant>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::graph {

/// Ranks in a grid, as square as their number allows (a prime number of ranks is one row).
struct ProcessGrid {
  int rows = 1;
  int columns = 1;
  static ProcessGrid of(int ranks);
  /// The rank that holds tile (a, b), a <= b.
  int owner(std::int64_t a, std::int64_t b) const {
    return static_cast<int>(a % rows * columns + b % columns);
  }
};

/// The tiles of a range that belong to one of `parts`: part, part + parts, ...
struct CyclicTiles {
  Range range;
  std::int64_t part = 0;
  std::int64_t parts = 1;
  std::int64_t first() const { return range.begin + (part - range.begin % parts + parts) % parts; }
  std::int64_t size() const {
    return first() < range.end ? divide_up(range.end - first(), parts) : 0;
  }
  std::int64_t at(std::int64_t k) const { return first() + k * parts; }
};

/// Splits rows [0, n) at multiples of a tile, about as many rows for each rank.
std::vector<Range> split_rows(std::int64_t n, int ranks);

/// A symmetric n x n matrix distributed block-cyclically over the ranks of a run: its upper
/// triangle in tiles of 64 x 64, tile (a, b) on the rank at (a mod grid rows, b mod grid columns).
/// Every rank holds about n^2 / 2 ranks values. Collective functions are called by every rank, in
/// the same order.
template <class T>
class DistributedSymmetricMatrix {
 public:
  static constexpr std::int64_t tile_size = 64;
  static constexpr std::size_t tile_bytes = tile_size * tile_size * sizeof(T);

  /// Without an edge anywhere: every cell is unreachable<T>. Collective.
  DistributedSymmetricMatrix(Comm& comm, std::int64_t n);

  Comm& comm() const { return *comm_; }
  const ProcessGrid& grid() const { return grid_; }
  std::int64_t size() const { return n_; }
  std::int64_t tiles() const { return divide_up(n_, tile_size); }
  /// Tile rows and tile columns of this rank.
  CyclicTiles own_rows(Range range) const;
  CyclicTiles own_columns(Range range) const;
  /// A tile of this rank, a <= b. Cells past row or column n hold unreachable<T> and are no part
  /// of the matrix; nor is what lies below the diagonal of a tile on it.
  MatrixView<T> tile(std::int64_t a, std::int64_t b);
  /// Calls body(a, b, tile) for every tile of this rank, from several threads.
  void for_each_tile(
      Context& context,
      const std::function<void(std::int64_t a, std::int64_t b, MatrixView<T> tile)>& body);
  /// How many tile columns of this rank, from the first on, are contiguous in memory.
  std::int64_t contiguous(const CyclicTiles& columns) const;
  /// Contiguous tiles of this rank, none of them left of the diagonal's last column.
  MatrixView<T> block(const CyclicTiles& rows, const CyclicTiles& columns);

  /// The memory of this rank, in groups of contiguous tile columns.
  std::vector<MatrixView<T>> memory();

  /// Copies the cells (rows, columns) that every rank requests from the ranks that hold them. Every
  /// rank evaluates `request` for all of them. `to` has whole tiles. Collective.
  ///   sent: the cells requested; memory: twice that, as messages
  struct TileRequest {
    CyclicTiles rows;
    CyclicTiles columns;
  };
  void gather(Context& context,
              const std::function<TileRequest(int rank)>& request,
              MatrixView<T> to);

  /// The same in two steps, of two such pieces at once: they are in flight until finish_gather(),
  /// and the cells must not change before it. One gather at a time.
  using PanelRequest = std::array<TileRequest, 2>;
  struct PendingGather {
    std::unique_ptr<Exchange> messages;
    PanelRequest own;
  };
  PendingGather start_gather(Context& context,
                             const std::function<PanelRequest(int rank)>& request);
  void finish_gather(Context& context,
                     PendingGather pending,
                     MatrixView<T> first,
                     MatrixView<T> second);

  /// Bytes of the rank that holds most.
  static std::uint64_t max_bytes(std::int64_t n, int ranks);

 private:
  // Contiguous tile columns: enough for the product to run at full speed, few enough that the cells
  // left of the diagonal that are stored in vain are few.
  static constexpr std::int64_t group_tiles = 16;
  struct Group {
    std::int64_t columns = 0;  // tiles
    std::int64_t rows = 0;
    Array<T> values;
  };
  static Group shape_of(const ProcessGrid& grid, int rank, std::int64_t tiles, std::int64_t group);
  /// The rank that holds tile (a, b) or its mirror image.
  int owner_of(std::int64_t a, std::int64_t b) const {
    return grid_.owner(std::min(a, b), std::max(a, b));
  }
  Messages pack_tiles(Context& context, const std::function<PanelRequest(int rank)>& request);
  void unpack_tiles(Context& context,
                    const TileRequest& own,
                    std::vector<const std::byte*>& next,
                    MatrixView<T> to);

  Comm* comm_;
  ProcessGrid grid_;
  std::int64_t n_ = 0;
  std::vector<Group> groups_;
  Messages spare_messages_;  ///< memory for the next ones
};

using AnyDistributedMatrix = std::variant<DistributedSymmetricMatrix<std::int32_t>,
                                          DistributedSymmetricMatrix<float>,
                                          DistributedSymmetricMatrix<double>>;

/// Takes rows of the lower triangle: rank r has shares[r], and `lower(i, row)` fills columns [0, i]
/// of one of its rows, from several threads. Collective.
template <class T>
void scatter_rows(Context& context,
                  DistributedSymmetricMatrix<T>& matrix,
                  const std::vector<Range>& shares,
                  const std::function<void(std::int64_t i, std::type_identity_t<T>* row)>& lower);

/// Calls body(rows, values) with whole rows, some at a time, until this rank has seen shares[rank].
/// Shares begin and end at tiles. Collective.
template <class T>
void gather_rows(
    Context& context,
    DistributedSymmetricMatrix<T>& matrix,
    const std::vector<Range>& shares,
    const std::function<void(Range rows, MatrixView<const std::type_identity_t<T>> values)>& body);

/// Bytes that scatter_rows and gather_rows need on a rank.
template <class T>
std::uint64_t transfer_bytes(std::int64_t n);

}  // namespace yupana::graph
