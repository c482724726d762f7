#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::graph {

/// Ranks in a grid, as square as their number allows (a prime number of ranks is one row).
struct RankGrid {
  int rows = 1;
  int columns = 1;
  static RankGrid of(int ranks);
  /// The rank that holds tile (a, b), a <= b.
  int owner(std::int64_t a, std::int64_t b) const {
    return static_cast<int>(a % rows * columns + b % columns);
  }
};

/// Tiles of a range that fall to one of `parts`: part, part + parts, ...
struct DealtTiles {
  Range range;
  std::int64_t part = 0;
  std::int64_t parts = 1;
  std::int64_t first() const { return range.begin + (part - range.begin % parts + parts) % parts; }
  std::int64_t size() const {
    return first() < range.end ? divide_up(range.end - first(), parts) : 0;
  }
  std::int64_t at(std::int64_t k) const { return first() + k * parts; }
};

/// Rows [0, n) in stretches of whole tiles, about as many rows for each rank.
std::vector<Range> even_rows(std::int64_t n, int ranks);

/// A symmetric n x n matrix spread over the ranks of a run: its upper triangle in tiles of 64 x 64,
/// tile (a, b) with the rank at (a mod grid rows, b mod grid columns). Every rank has about n^2 / 2
/// ranks values. What is said to be called by every rank is called by all, in the same order.
template <class T>
class RankTiles {
 public:
  static constexpr std::int64_t edge = 64;

  /// No edge anywhere: unreachable<T> in every cell.
  RankTiles(Comm& comm, std::int64_t n);

  Comm& comm() const { return *comm_; }
  const RankGrid& grid() const { return grid_; }
  std::int64_t size() const { return n_; }
  std::int64_t tiles() const { return divide_up(n_, edge); }
  /// Tile rows and tile columns of this rank.
  DealtTiles my_rows(Range range) const;
  DealtTiles my_columns(Range range) const;
  /// A tile of this rank, a <= b. Cells behind row or column n hold unreachable<T> and are no part
  /// of the matrix; nor is what lies below the diagonal of a tile on it.
  MatrixView<T> tile(std::int64_t a, std::int64_t b);
  /// body(a, b, tile) for every tile of this rank, by several threads.
  void each_tile(
      Context& context,
      const std::function<void(std::int64_t a, std::int64_t b, MatrixView<T> tile)>& body);
  /// How many tile columns of this rank, from the first on, lie side by side in memory.
  std::int64_t side_by_side(const DealtTiles& columns) const;
  /// Tiles of this rank that lie side by side, none of them left of the diagonal's last column.
  MatrixView<T> block(const DealtTiles& rows, const DealtTiles& columns);

  /// What this rank holds, in groups of tile columns that lie side by side.
  std::vector<MatrixView<T>> memory();

  /// Every rank gets the cells (rows, columns) it asks for, from those that hold them: `wanted`
  /// says what any rank asks for, on every rank alike. `to` has whole tiles.
  ///   sent: the cells asked for; memory: twice that, as messages
  struct Wanted {
    DealtTiles rows;
    DealtTiles columns;
  };
  void fetch(Context& context, const std::function<Wanted(int rank)>& wanted, MatrixView<T> to);

  /// The same in two steps, of two such pieces at once: they travel beside what the caller does
  /// until place(), and do not change until then. One at a time.
  using WantedTwo = std::array<Wanted, 2>;
  struct Coming {
    std::unique_ptr<Exchange> messages;
    WantedTwo mine;
  };
  Coming ask(Context& context, const std::function<WantedTwo(int rank)>& wanted);
  void place(Context& context, Coming coming, MatrixView<T> first, MatrixView<T> second);

  /// Takes rows of the lower triangle in: rank r has shares[r] and `lower(i, row)` fills columns
  /// [0, i] of one of its rows; called by several threads. Every rank calls it.
  void take_rows(Context& context,
                 const std::vector<Range>& shares,
                 const std::function<void(std::int64_t i, T* row)>& lower);
  /// body(rows, values) with whole rows, some at a time, until this rank has seen shares[rank].
  /// Shares are whole tiles. Every rank calls it.
  void give_rows(Context& context,
                 const std::vector<Range>& shares,
                 const std::function<void(Range rows, MatrixView<const T> values)>& body);

  /// Most bytes that one of the ranks holds, and what take_rows and give_rows need beside them.
  static std::uint64_t most_bytes(std::int64_t n, int ranks);
  static std::uint64_t moving_bytes(std::int64_t n);

 private:
  // Tile columns side by side in memory: enough for the product to run at full speed, few enough
  // that the cells left of the diagonal that are stored in vain are few.
  static constexpr std::int64_t group_tiles = 16;
  struct Group {
    std::int64_t columns = 0;  // tiles
    std::int64_t rows = 0;
    Array<T> values;
  };
  static Group shape_of(const RankGrid& grid, int rank, std::int64_t tiles, std::int64_t group);
  static std::int64_t rows_a_round(std::int64_t n);
  /// The rank that holds tile (a, b) or its mirror image.
  int owner_of(std::int64_t a, std::int64_t b) const {
    return grid_.owner(std::min(a, b), std::max(a, b));
  }
  Messages wanted_tiles(Context& context, const std::function<WantedTwo(int rank)>& wanted);
  void place_piece(Context& context,
                   const Wanted& mine,
                   std::vector<const std::byte*>& next,
                   MatrixView<T> to);
  Messages row_messages(Context& context,
                        Range rows,
                        const std::function<void(std::int64_t i, T* row)>& lower);
  std::vector<std::int64_t> places_of(Context& context, Range rows, int rank) const;
  void take_message(Context& context, Range rows, const std::vector<std::byte>& message);
  template <class Body>
  void each_run(Range rows, int rank, const Body& body) const;

  Comm* comm_;
  RankGrid grid_;
  std::int64_t n_ = 0;
  std::vector<Group> groups_;
  Messages spare_;  ///< memory for the next ones
};

/// Shortest paths between all vertices, in place: the symmetric closure of one process (R-Kleene),
/// step by step. A product takes panels of 1,024 steps, as there; of each a rank gets what its own
/// tile rows and columns need, while it multiplies the panel before. Products run on the GPUs of
/// the context if it has some and they hold the tiles. Every sum is the same, and so is every bit.
/// Every rank calls it. Weights are not negative and zero on the diagonal.
///   work: n^3 / 2 add+min in all; sent to each rank: 2 n^2 (1 / grid rows + 1 / grid columns)
///   values of panels and 1,024 n of squares that each closes for itself
///   memory: closure_bytes() beside the tiles
template <class T>
void close_tiles(Context& context, RankTiles<T>& weights);

/// Bytes of panels and messages that close_tiles needs on a rank.
std::uint64_t closure_bytes(std::int64_t n, int ranks, std::int64_t value_bytes);

}  // namespace yupana::graph
