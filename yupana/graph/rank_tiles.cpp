#include "yupana/graph/rank_tiles.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {

namespace {

// A tile (a, b) of the whole matrix, either side of the diagonal, from the one (a <= b) stored.
template <class T>
void copy_tile(MatrixView<T> stored, std::int64_t a, std::int64_t b, MatrixView<T> to) {
  constexpr std::int64_t edge = RankTiles<T>::edge;
  for (std::int64_t i = 0; a < b && i < edge; ++i) std::copy_n(stored.row(i), edge, to.row(i));
  if (a < b) return;
  for (std::int64_t i = 0; i < edge; ++i) {
    for (std::int64_t j = 0; j < edge; ++j) to(j, i) = stored(i, j);
  }
  for (std::int64_t i = 0; a == b && i < edge; ++i) {
    std::copy(stored.row(i) + i, stored.row(i) + edge, to.row(i) + i);
  }
}

}  // namespace

RankGrid RankGrid::of(int ranks) {
  RankGrid grid = {1, ranks};
  for (int rows = 1; rows * rows <= ranks; ++rows) {
    if (ranks % rows == 0) grid = {rows, ranks / rows};
  }
  return grid;
}

std::vector<Range> even_rows(std::int64_t n, int ranks) {
  constexpr std::int64_t edge = RankTiles<float>::edge;
  const std::int64_t tiles = divide_up(n, edge);
  std::vector<Range> shares;
  for (std::int64_t r = 0; r < ranks; ++r) {
    shares.push_back(
        {std::min(n, tiles * r / ranks * edge), std::min(n, tiles * (r + 1) / ranks * edge)});
  }
  return shares;
}

template <class T>
typename RankTiles<T>::Group RankTiles<T>::shape_of(const RankGrid& grid,
                                                    int rank,
                                                    std::int64_t tiles,
                                                    std::int64_t group) {
  const DealtTiles columns = {{0, tiles}, rank % grid.columns, grid.columns};
  const std::int64_t begin = group * group_tiles;
  Group shape;
  shape.columns = std::clamp<std::int64_t>(columns.size() - begin, 0, group_tiles);
  if (shape.columns == 0) return shape;
  const std::int64_t last = columns.at(begin + shape.columns - 1);
  shape.rows = DealtTiles{{0, last + 1}, rank / grid.columns, grid.rows}.size();
  return shape;
}

template <class T>
RankTiles<T>::RankTiles(Comm& comm, std::int64_t n)
    : comm_(&comm), grid_(RankGrid::of(comm.size())), n_(n) {
  for (std::int64_t g = 0;; ++g) {
    Group group = shape_of(grid_, comm.rank(), tiles(), g);
    if (group.columns == 0) break;
    group.values = Array<T>(group.rows * group.columns * edge * edge);
    std::fill(group.values.begin(), group.values.end(), unreachable<T>);
    groups_.push_back(std::move(group));
  }
}

template <class T>
std::uint64_t RankTiles<T>::most_bytes(std::int64_t n, int ranks) {
  const RankGrid grid = RankGrid::of(ranks);
  std::int64_t most = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    std::int64_t tiles = 0;
    for (std::int64_t g = 0;; ++g) {
      const Group group = shape_of(grid, rank, divide_up(n, edge), g);
      if (group.columns == 0) break;
      tiles += group.rows * group.columns;
    }
    most = std::max(most, tiles);
  }
  return static_cast<std::uint64_t>(most * edge * edge) * sizeof(T);
}

template <class T>
DealtTiles RankTiles<T>::my_rows(Range range) const {
  return {range, comm_->rank() / grid_.columns, grid_.rows};
}

template <class T>
DealtTiles RankTiles<T>::my_columns(Range range) const {
  return {range, comm_->rank() % grid_.columns, grid_.columns};
}

template <class T>
MatrixView<T> RankTiles<T>::tile(std::int64_t a, std::int64_t b) {
  const std::int64_t place = b / grid_.columns;
  Group& group = groups_[static_cast<std::size_t>(place / group_tiles)];
  const std::int64_t stride = group.columns * edge;
  T* const begin = group.values.data() + a / grid_.rows * edge * stride;
  return {begin + place % group_tiles * edge, edge, edge, stride};
}

template <class T>
std::int64_t RankTiles<T>::side_by_side(const DealtTiles& columns) const {
  if (columns.size() == 0) return 0;
  const std::int64_t place = columns.first() / grid_.columns;
  return std::min(columns.size(), (place / group_tiles + 1) * group_tiles - place);
}

template <class T>
MatrixView<T> RankTiles<T>::block(const DealtTiles& rows, const DealtTiles& columns) {
  if (rows.size() == 0 || columns.size() == 0) return {};
  const MatrixView<T> first = tile(rows.first(), columns.first());
  return {first.data, rows.size() * edge, columns.size() * edge, first.stride};
}

template <class T>
std::vector<MatrixView<T>> RankTiles<T>::memory() {
  std::vector<MatrixView<T>> groups;
  for (Group& group : groups_) {
    const std::int64_t width = group.columns * edge;
    groups.push_back({group.values.data(), group.rows * edge, width, width});
  }
  return groups;
}

template <class T>
void RankTiles<T>::each_tile(
    Context& context,
    const std::function<void(std::int64_t a, std::int64_t b, MatrixView<T> tile)>& body) {
  const DealtTiles rows = my_rows({0, tiles()});
  context.parallel_for(rows.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      context.check_cancelled();
      const std::int64_t a = rows.at(r);
      const DealtTiles columns = my_columns({a, tiles()});
      for (std::int64_t c = 0; c < columns.size(); ++c) {
        body(a, columns.at(c), tile(a, columns.at(c)));
      }
    }
  });
}

namespace {

/// body(a, b) for the tiles of both pieces, in the order in which they travel.
template <class Two, class Body>
void each_tile_of(const Two& pieces, const Body& body) {
  for (const auto& piece : pieces) {
    for (std::int64_t r = 0; r < piece.rows.size(); ++r) {
      for (std::int64_t c = 0; c < piece.columns.size(); ++c) {
        body(piece.rows.at(r), piece.columns.at(c));
      }
    }
  }
}

}  // namespace

// What every rank wants of this one's tiles, in the order asked for.
template <class T>
Messages RankTiles<T>::wanted_tiles(Context& context,
                                    const std::function<WantedTwo(int rank)>& wanted) {
  struct Packed {
    std::size_t rank, place;  // a tile's, in the message
    std::int64_t a, b;
  };
  constexpr std::size_t bytes = edge * edge * sizeof(T);
  // Memory of the messages that came last: new memory costs more than what is copied into it.
  Messages messages = std::move(spare_);
  messages.resize(static_cast<std::size_t>(comm_->size()));
  std::vector<Packed> tiles;
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    std::size_t place = 0;
    each_tile_of(wanted(static_cast<int>(rank)), [&](std::int64_t a, std::int64_t b) {
      const bool sent = owner_of(a, b) == comm_->rank() && static_cast<int>(rank) != comm_->rank();
      if (sent) tiles.push_back({rank, bytes * place++, a, b});
    });
    messages[rank].resize(bytes * place);
  }
  context.parallel_for(std::ssize(tiles), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      const auto& [rank, place, a, b] = tiles[static_cast<std::size_t>(t)];
      T* const to = reinterpret_cast<T*>(messages[rank].data() + place);
      copy_tile(tile(std::min(a, b), std::max(a, b)), a, b, MatrixView<T>{to, edge, edge, edge});
    }
  });
  return messages;
}

template <class T>
typename RankTiles<T>::Coming RankTiles<T>::ask(Context& context,
                                                const std::function<WantedTwo(int rank)>& wanted) {
  Coming coming;
  coming.mine = wanted(comm_->rank());
  std::vector<std::size_t> sizes(static_cast<std::size_t>(comm_->size()));
  each_tile_of(coming.mine, [&](std::int64_t a, std::int64_t b) {
    const int owner = owner_of(a, b);
    if (owner == comm_->rank()) return;  // placed from where it lies
    sizes[static_cast<std::size_t>(owner)] += edge * edge * sizeof(T);
  });
  coming.messages = comm_->start_exchange(wanted_tiles(context, wanted), sizes);
  return coming;
}

template <class T>
void RankTiles<T>::place(Context& context,
                         Coming coming,
                         MatrixView<T> first,
                         MatrixView<T> second) {
  Messages messages = coming.messages->take();
  context.check_cancelled();
  std::vector<const std::byte*> next;  // in the message of each rank
  for (const auto& message : messages) next.push_back(message.data());
  place_piece(context, coming.mine[0], next, first);
  place_piece(context, coming.mine[1], next, second);
  spare_ = std::move(messages);
}

template <class T>
void RankTiles<T>::place_piece(Context& context,
                               const Wanted& mine,
                               std::vector<const std::byte*>& next,
                               MatrixView<T> to) {
  const std::int64_t across = mine.columns.size();
  struct Placed {
    const std::byte* from;  // null: this rank's own
    std::int64_t a, b;
  };
  std::vector<Placed> tiles;
  each_tile_of(std::array{mine}, [&](std::int64_t a, std::int64_t b) {
    const int owner = owner_of(a, b);
    if (owner == comm_->rank()) return tiles.push_back({nullptr, a, b});
    auto& at = next[static_cast<std::size_t>(owner)];
    tiles.push_back({at, a, b});
    at += edge * edge * sizeof(T);
  });
  context.parallel_for(std::ssize(tiles), 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      const auto& [from, a, b] = tiles[static_cast<std::size_t>(t)];
      const MatrixView<T> place = {
          to.row(t / across * edge) + t % across * edge, edge, edge, to.stride};
      if (from == nullptr) {
        copy_tile(tile(std::min(a, b), std::max(a, b)), a, b, place);
        continue;
      }
      for (std::int64_t i = 0; i < edge; ++i) {
        std::memcpy(
            place.row(i), from + i * edge * static_cast<std::int64_t>(sizeof(T)), edge * sizeof(T));
      }
    }
  });
}

template <class T>
void RankTiles<T>::fetch(Context& context,
                         const std::function<Wanted(int rank)>& wanted,
                         MatrixView<T> to) {
  const auto one = [&](int rank) -> WantedTwo { return {wanted(rank), Wanted{}}; };
  place(context, ask(context, one), to, {});
}

YUPANA_CLASSES(YUPANA_DISTANCES, RankTiles)

}  // namespace yupana::graph
