// Rows of a distributed matrix: into its tiles, and out of them.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/distributed_matrix.hpp"

namespace yupana::graph {
namespace {

// Cells of rows that a rank holds at once during a transfer; a row of tiles if that is more.
constexpr std::int64_t round_cells = std::int64_t{1} << 20;
constexpr std::int64_t tile_side = DistributedSymmetricMatrix<float>::tile_size;

std::int64_t rows_per_round(std::int64_t n) {
  return std::max<std::int64_t>(1, round_cells / tile_side / std::max<std::int64_t>(n, 1)) *
         tile_side;
}

/// Calls body(rows_of) for every round of a transfer, with rows_of(rank) the rows of a rank in it.
template <class Body>
void for_each_round(std::int64_t n, const std::vector<Range>& shares, const Body& body) {
  const std::int64_t step = rows_per_round(n);
  std::int64_t rounds = 0;
  for (const Range share : shares) rounds = std::max(rounds, divide_up(share.size(), step));
  for (std::int64_t round = 0; round < rounds; ++round) {
    body([&, round](int rank) {
      const Range share = shares[static_cast<std::size_t>(rank)];
      const std::int64_t begin = std::min(share.end, share.begin + round * step);
      return Range{begin, std::min(share.end, begin + step)};
    });
  }
}

/// Calls body(i, columns) for the parts of rows of the lower triangle that lie in one tile of
/// `rank`, in one order on both sides of a message.
template <class Body>
void for_each_run(const ProcessGrid& grid, int rank, Range rows, const Body& body) {
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t a = 0; a <= i / tile_side; ++a) {
      if (grid.owner(a, i / tile_side) != rank) continue;
      body(i, Range{a * tile_side, std::min((a + 1) * tile_side, i + 1)});
    }
  }
}

/// Cells of the rows that lie in tiles of `rank`, before each row and in all.
std::vector<std::int64_t> row_offsets(Context& context,
                                      const ProcessGrid& grid,
                                      int rank,
                                      Range rows) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(rows.size()) + 1);
  context.parallel_for(rows.size(), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t& cells = offsets[static_cast<std::size_t>(i) + 1];
      const Range row = {rows.begin + i, rows.begin + i + 1};
      for_each_run(grid, rank, row, [&](std::int64_t, Range run) { cells += run.size(); });
    }
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

template <class T>
using LowerRow = std::function<void(std::int64_t i, T* row)>;

// The part of these rows that every rank holds.
template <class T>
Messages pack_rows(Context& context,
                   const DistributedSymmetricMatrix<T>& matrix,
                   Range rows,
                   const LowerRow<T>& lower) {
  Array<T> values(rows.size() * rows.end);
  const auto row = [&](std::int64_t i) { return values.data() + (i - rows.begin) * rows.end; };
  context.parallel_for(rows.size(), 8, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = rows.begin + begin; i < rows.begin + end; ++i) lower(i, row(i));
  });
  Messages messages(static_cast<std::size_t>(matrix.comm().size()));
  for (int to = 0; to < matrix.comm().size(); ++to) {
    std::vector<std::byte>& message = messages[static_cast<std::size_t>(to)];
    const std::vector<std::int64_t> offsets = row_offsets(context, matrix.grid(), to, rows);
    message.resize(static_cast<std::size_t>(offsets.back()) * sizeof(T));
    context.parallel_for(rows.size(), 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::byte* next =
            message.data() + offsets[static_cast<std::size_t>(i)] * std::int64_t{sizeof(T)};
        const Range one = {rows.begin + i, rows.begin + i + 1};
        for_each_run(matrix.grid(), to, one, [&](std::int64_t at, Range run) {
          const auto bytes = static_cast<std::size_t>(run.size()) * sizeof(T);
          std::memcpy(next, row(at) + run.begin, bytes);
          next += bytes;
        });
      }
    });
  }
  return messages;
}

// Rows of the lower triangle as another rank sent them. A tile holds them as its columns; those of
// one tile row are one thread's.
template <class T>
void unpack_rows(Context& context,
                 DistributedSymmetricMatrix<T>& matrix,
                 Range rows,
                 const std::vector<std::byte>& message) {
  const auto offsets = row_offsets(context, matrix.grid(), matrix.comm().rank(), rows);
  const std::int64_t end = divide_up(rows.end, tile_side);
  const CyclicTiles tile_rows = matrix.own_rows({0, end});
  const CyclicTiles columns = matrix.own_columns({rows.begin / tile_side, end});
  context.parallel_for(tile_rows.size() * columns.size(), 4, [&](std::int64_t k) {
    const std::int64_t before = k / columns.size();  // tiles of this rank before it in a row
    const std::int64_t a = tile_rows.at(before), b = columns.at(k % columns.size());
    if (a > b) return;
    const MatrixView<T> cells = matrix.tile(a, b);
    for (std::int64_t i = std::max(rows.begin, b * tile_side);
         i < std::min(rows.end, (b + 1) * tile_side);
         ++i) {
      const std::int64_t at =
          offsets[static_cast<std::size_t>(i - rows.begin)] + before * tile_side;
      const std::byte* next = message.data() + at * std::int64_t{sizeof(T)};
      const std::int64_t count = std::min(tile_side, i + 1 - a * tile_side);
      for (std::int64_t j = 0; j < count; ++j, next += sizeof(T)) {
        std::memcpy(&cells(j, i % tile_side), next, sizeof(T));
      }
    }
  });
}

}  // namespace

template <class T>
std::uint64_t transfer_bytes(std::int64_t n) {
  // The rows, and the messages that a rank sends and receives, some more than others.
  return static_cast<std::uint64_t>(4 * std::min(rows_per_round(n), round_up(n, tile_side)) * n) *
         sizeof(T);
}

template <class T>
void scatter_rows(Context& context,
                  DistributedSymmetricMatrix<T>& matrix,
                  const std::vector<Range>& shares,
                  const std::function<void(std::int64_t i, std::type_identity_t<T>* row)>& lower) {
  Comm& comm = matrix.comm();
  for_each_round(matrix.size(), shares, [&](const auto& rows_of) {
    const Messages messages =
        comm.exchange(pack_rows(context, matrix, rows_of(comm.rank()), lower));
    for (int from = 0; from < comm.size(); ++from) {
      unpack_rows(context, matrix, rows_of(from), messages[static_cast<std::size_t>(from)]);
    }
  });
}

template <class T>
void gather_rows(
    Context& context,
    DistributedSymmetricMatrix<T>& matrix,
    const std::vector<Range>& shares,
    const std::function<void(Range rows, MatrixView<const std::type_identity_t<T>> values)>& body) {
  using Request = typename DistributedSymmetricMatrix<T>::TileRequest;
  const std::int64_t n = matrix.size(), width = matrix.tiles() * tile_side;
  for_each_round(n, shares, [&](const auto& rows_of) {
    const Range own = rows_of(matrix.comm().rank());
    Matrix<T> values(round_up(own.size(), tile_side), width);
    const auto request = [&](int rank) -> Request {
      const Range rows = rows_of(rank);
      if (rows.size() == 0) return {};
      return {{{rows.begin / tile_side, divide_up(rows.end, tile_side)}}, {{0, matrix.tiles()}}};
    };
    matrix.gather(context, request, values.view());
    if (own.size() > 0) body(own, MatrixView<const T>{values.data(), own.size(), n, width});
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, transfer_bytes, scatter_rows, gather_rows)

}  // namespace yupana::graph
