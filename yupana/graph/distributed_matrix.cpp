#include "yupana/graph/distributed_matrix.hpp"

#include <cstring>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {

namespace {

// A tile (a, b) of the whole matrix, either side of the diagonal, from the one (a <= b) stored.
template <class T>
void copy_tile(MatrixView<T> stored, std::int64_t a, std::int64_t b, MatrixView<T> to) {
  constexpr std::int64_t size = DistributedSymmetricMatrix<T>::tile_size;
  for (std::int64_t i = 0; a < b && i < size; ++i) std::copy_n(stored.row(i), size, to.row(i));
  if (a < b) return;
  for (std::int64_t i = 0; i < size; ++i) {
    for (std::int64_t j = 0; j < size; ++j) to(j, i) = stored(i, j);
  }
  for (std::int64_t i = 0; a == b && i < size; ++i) {
    std::copy(stored.row(i) + i, stored.row(i) + size, to.row(i) + i);
  }
}

/// Calls body(a, b) for the tiles of the pieces, in the order in which they are sent.
template <class Pieces, class Body>
void for_each_requested_tile(const Pieces& pieces, const Body& body) {
  for (const auto& piece : pieces) {
    for (std::int64_t r = 0; r < piece.rows.size(); ++r) {
      for (std::int64_t c = 0; c < piece.columns.size(); ++c) {
        body(piece.rows.at(r), piece.columns.at(c));
      }
    }
  }
}

}  // namespace

ProcessGrid ProcessGrid::of(int ranks) {
  ProcessGrid grid = {1, ranks};
  for (int rows = 1; rows * rows <= ranks; ++rows) {
    if (ranks % rows == 0) grid = {rows, ranks / rows};
  }
  return grid;
}

std::vector<Range> split_rows(std::int64_t n, int ranks) {
  constexpr std::int64_t size = DistributedSymmetricMatrix<float>::tile_size;
  const std::int64_t tiles = divide_up(n, size);
  std::vector<Range> shares;
  for (std::int64_t r = 0; r < ranks; ++r) {
    shares.push_back(
        {std::min(n, tiles * r / ranks * size), std::min(n, tiles * (r + 1) / ranks * size)});
  }
  return shares;
}

template <class T>
typename DistributedSymmetricMatrix<T>::Group DistributedSymmetricMatrix<T>::shape_of(
    const ProcessGrid& grid, int rank, std::int64_t tiles, std::int64_t group) {
  const CyclicTiles columns = {{0, tiles}, rank % grid.columns, grid.columns};
  const std::int64_t begin = group * group_tiles;
  Group shape;
  shape.columns = std::clamp<std::int64_t>(columns.size() - begin, 0, group_tiles);
  if (shape.columns == 0) return shape;
  const std::int64_t last = columns.at(begin + shape.columns - 1);
  shape.rows = CyclicTiles{{0, last + 1}, rank / grid.columns, grid.rows}.size();
  return shape;
}

template <class T>
DistributedSymmetricMatrix<T>::DistributedSymmetricMatrix(Comm& comm, std::int64_t n)
    : comm_(&comm), grid_(ProcessGrid::of(comm.size())), n_(n) {
  for (std::int64_t g = 0;; ++g) {
    Group group = shape_of(grid_, comm.rank(), tiles(), g);
    if (group.columns == 0) break;
    group.values = Array<T>(group.rows * group.columns * tile_size * tile_size);
    std::fill(group.values.begin(), group.values.end(), unreachable<T>);
    groups_.push_back(std::move(group));
  }
}

template <class T>
std::uint64_t DistributedSymmetricMatrix<T>::max_bytes(std::int64_t n, int ranks) {
  const ProcessGrid grid = ProcessGrid::of(ranks);
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t tiles = 0;
    for (std::int64_t g = 0;; ++g) {
      const Group group = shape_of(grid, rank, divide_up(n, tile_size), g);
      if (group.columns == 0) break;
      tiles += group.rows * group.columns;
    }
    most = std::max(most, tiles);
  }
  return static_cast<std::uint64_t>(most * tile_size * tile_size) * sizeof(T);
}

template <class T>
CyclicTiles DistributedSymmetricMatrix<T>::own_rows(Range range) const {
  return {range, comm_->rank() / grid_.columns, grid_.rows};
}

template <class T>
CyclicTiles DistributedSymmetricMatrix<T>::own_columns(Range range) const {
  return {range, comm_->rank() % grid_.columns, grid_.columns};
}

template <class T>
MatrixView<T> DistributedSymmetricMatrix<T>::tile(std::int64_t a, std::int64_t b) {
  const std::int64_t place = b / grid_.columns;
  Group& group = groups_[static_cast<std::size_t>(place / group_tiles)];
  const std::int64_t stride = group.columns * tile_size;
  T* const begin = group.values.data() + a / grid_.rows * tile_size * stride;
  return {begin + place % group_tiles * tile_size, tile_size, tile_size, stride};
}

template <class T>
std::int64_t DistributedSymmetricMatrix<T>::contiguous(const CyclicTiles& columns) const {
  if (columns.size() == 0) return 0;
  const std::int64_t place = columns.first() / grid_.columns;
  return std::min(columns.size(), (place / group_tiles + 1) * group_tiles - place);
}

template <class T>
MatrixView<T> DistributedSymmetricMatrix<T>::block(const CyclicTiles& rows,
                                                   const CyclicTiles& columns) {
  if (rows.size() == 0 || columns.size() == 0) return {};
  const MatrixView<T> first = tile(rows.first(), columns.first());
  return {first.data, rows.size() * tile_size, columns.size() * tile_size, first.stride};
}

template <class T>
std::vector<MatrixView<T>> DistributedSymmetricMatrix<T>::memory() {
  std::vector<MatrixView<T>> groups;
  for (Group& group : groups_) {
    const std::int64_t width = group.columns * tile_size;
    groups.push_back({group.values.data(), group.rows * tile_size, width, width});
  }
  return groups;
}

template <class T>
void DistributedSymmetricMatrix<T>::for_each_tile(
    Context& context,
    const std::function<void(std::int64_t a, std::int64_t b, MatrixView<T> tile)>& body) {
  const CyclicTiles rows = own_rows({0, tiles()});
  context.parallel_for(rows.size(), 1, [&](std::int64_t r) {
    context.check_cancelled();
    const std::int64_t a = rows.at(r);
    const CyclicTiles columns = own_columns({a, tiles()});
    for (std::int64_t c = 0; c < columns.size(); ++c) {
      body(a, columns.at(c), tile(a, columns.at(c)));
    }
  });
}

// The tiles of this rank that every rank requests, in the order of the requests.
template <class T>
Messages DistributedSymmetricMatrix<T>::pack_tiles(
    Context& context, const std::function<PanelRequest(int rank)>& request) {
  struct Packed {
    std::size_t rank, place;  // a tile's, in the message
    std::int64_t a, b;
  };
  // Memory of the messages that came last: new memory costs more than what is copied into it.
  Messages messages = std::move(spare_messages_);
  messages.resize(static_cast<std::size_t>(comm_->size()));
  std::vector<Packed> packed;
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    std::size_t place = 0;
    for_each_requested_tile(request(static_cast<int>(rank)), [&](std::int64_t a, std::int64_t b) {
      const bool sent = owner_of(a, b) == comm_->rank() && static_cast<int>(rank) != comm_->rank();
      if (sent) packed.push_back({rank, tile_bytes * place++, a, b});
    });
    messages[rank].resize(tile_bytes * place);
  }
  context.parallel_for(std::ssize(packed), 16, [&](std::int64_t t) {
    const auto& [rank, place, a, b] = packed[static_cast<std::size_t>(t)];
    T* const to = reinterpret_cast<T*>(messages[rank].data() + place);
    const MatrixView<T> copy = {to, tile_size, tile_size, tile_size};
    copy_tile(tile(std::min(a, b), std::max(a, b)), a, b, copy);
  });
  return messages;
}

template <class T>
auto DistributedSymmetricMatrix<T>::start_gather(
    Context& context, const std::function<PanelRequest(int rank)>& request) -> PendingGather {
  PendingGather pending;
  pending.own = request(comm_->rank());
  std::vector<std::size_t> sizes(static_cast<std::size_t>(comm_->size()));
  for_each_requested_tile(pending.own, [&](std::int64_t a, std::int64_t b) {
    const int owner = owner_of(a, b);
    if (owner == comm_->rank()) return;  // copied within this rank
    sizes[static_cast<std::size_t>(owner)] += tile_bytes;
  });
  pending.messages = comm_->start_exchange(pack_tiles(context, request), sizes);
  return pending;
}

template <class T>
void DistributedSymmetricMatrix<T>::finish_gather(Context& context,
                                                  PendingGather pending,
                                                  MatrixView<T> first,
                                                  MatrixView<T> second) {
  Messages messages = pending.messages->take();
  context.check_cancelled();
  std::vector<const std::byte*> next;  // in the message of each rank
  for (const auto& message : messages) next.push_back(message.data());
  unpack_tiles(context, pending.own[0], next, first);
  unpack_tiles(context, pending.own[1], next, second);
  spare_messages_ = std::move(messages);
}

template <class T>
void DistributedSymmetricMatrix<T>::unpack_tiles(Context& context,
                                                 const TileRequest& own,
                                                 std::vector<const std::byte*>& next,
                                                 MatrixView<T> to) {
  const std::int64_t across = own.columns.size();
  struct Placed {
    const std::byte* from;  // null: this rank's own
    std::int64_t a, b;
  };
  std::vector<Placed> placed;
  for_each_requested_tile(std::array{own}, [&](std::int64_t a, std::int64_t b) {
    const int owner = owner_of(a, b);
    if (owner == comm_->rank()) return placed.push_back({nullptr, a, b});
    auto& at = next[static_cast<std::size_t>(owner)];
    placed.push_back({at, a, b});
    at += tile_bytes;
  });
  context.parallel_for(std::ssize(placed), 16, [&](std::int64_t t) {
    const auto& [from, a, b] = placed[static_cast<std::size_t>(t)];
    T* const cell = to.row(t / across * tile_size) + t % across * tile_size;
    const MatrixView<T> copy = {cell, tile_size, tile_size, to.stride};
    if (from == nullptr) {
      copy_tile(tile(std::min(a, b), std::max(a, b)), a, b, copy);
      return;
    }
    constexpr std::size_t row_bytes = tile_bytes / tile_size;
    for (std::int64_t i = 0; i < tile_size; ++i) {
      std::memcpy(copy.row(i), from + static_cast<std::size_t>(i) * row_bytes, row_bytes);
    }
  });
}

template <class T>
void DistributedSymmetricMatrix<T>::gather(Context& context,
                                           const std::function<TileRequest(int rank)>& request,
                                           MatrixView<T> to) {
  const auto one = [&](int rank) -> PanelRequest { return {request(rank), TileRequest{}}; };
  finish_gather(context, start_gather(context, one), to, {});
}

YUPANA_CLASSES(YUPANA_DISTANCES, DistributedSymmetricMatrix)

}  // namespace yupana::graph
