#include "yupana/graph/rank_tiles.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {

namespace {

// Cells of rows that a rank holds at once while they move; a row of tiles if that is more.
constexpr std::int64_t round_cells = std::int64_t{1} << 20;

template <class T>
void append(std::vector<std::byte>& message, const T* values, std::int64_t count) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(values);
  message.insert(message.end(), bytes, bytes + count * static_cast<std::int64_t>(sizeof(T)));
}

// A tile (a, b) of the whole matrix, either side of the diagonal, from the one (a <= b) stored.
template <class T>
void append_tile(std::vector<std::byte>& message,
                 MatrixView<T> stored,
                 std::int64_t a,
                 std::int64_t b) {
  constexpr std::int64_t edge = RankTiles<T>::edge;
  if (a < b) {
    for (std::int64_t i = 0; i < edge; ++i) append(message, stored.row(i), edge);
    return;
  }
  T turned[edge * edge];
  for (std::int64_t i = 0; i < edge; ++i) {
    for (std::int64_t j = 0; j < edge; ++j) turned[j * edge + i] = stored(i, j);
  }
  if (a == b) {
    for (std::int64_t i = 0; i < edge; ++i) {
      std::copy(stored.row(i) + i, stored.row(i) + edge, turned + i * edge + i);
    }
  }
  append(message, turned, edge * edge);
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
  Messages messages(static_cast<std::size_t>(comm_->size()));
  context.parallel_for(comm_->size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t rank = begin; rank < end; ++rank) {
      auto& message = messages[static_cast<std::size_t>(rank)];
      const WantedTwo some = wanted(static_cast<int>(rank));
      const auto each_of_mine = [&](const auto& body) {
        each_tile_of(some, [&](std::int64_t a, std::int64_t b) {
          if (owner_of(a, b) == comm_->rank()) body(a, b);
        });
      };
      std::size_t count = 0;
      each_of_mine([&](std::int64_t, std::int64_t) { ++count; });
      message.reserve(count * edge * edge * sizeof(T));
      each_of_mine([&](std::int64_t a, std::int64_t b) {
        append_tile(message, tile(std::min(a, b), std::max(a, b)), a, b);
      });
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
    sizes[static_cast<std::size_t>(owner_of(a, b))] += edge * edge * sizeof(T);
  });
  coming.messages = comm_->start_exchange(wanted_tiles(context, wanted), sizes);
  return coming;
}

template <class T>
void RankTiles<T>::place(Context& context,
                         Coming coming,
                         MatrixView<T> first,
                         MatrixView<T> second) {
  const Messages messages = coming.messages->take();
  context.check_cancelled();
  std::vector<const std::byte*> next;  // in the message of each rank
  for (const auto& message : messages) next.push_back(message.data());
  place_piece(context, coming.mine[0], next, first);
  place_piece(context, coming.mine[1], next, second);
}

template <class T>
void RankTiles<T>::place_piece(Context& context,
                               const Wanted& mine,
                               std::vector<const std::byte*>& next,
                               MatrixView<T> to) {
  const std::int64_t across = mine.columns.size();
  std::vector<const std::byte*> places;  // of each tile
  each_tile_of(std::array{mine}, [&](std::int64_t a, std::int64_t b) {
    auto& at = next[static_cast<std::size_t>(owner_of(a, b))];
    places.push_back(at);
    at += edge * edge * sizeof(T);
  });
  context.parallel_for(mine.rows.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin * across; t < end * across; ++t) {
      const std::byte* const from = places[static_cast<std::size_t>(t)];
      for (std::int64_t i = 0; i < edge; ++i) {
        std::memcpy(to.row(t / across * edge + i) + t % across * edge,
                    from + i * edge * static_cast<std::int64_t>(sizeof(T)),
                    edge * sizeof(T));
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

template <class T>
std::int64_t RankTiles<T>::rows_a_round(std::int64_t n) {
  return std::max<std::int64_t>(1, round_cells / edge / std::max<std::int64_t>(n, 1)) * edge;
}

template <class T>
std::uint64_t RankTiles<T>::moving_bytes(std::int64_t n) {
  // The rows, and the messages that a rank sends and receives, some more than others.
  return static_cast<std::uint64_t>(4 * std::min(rows_a_round(n), round_up(n, edge)) * n) *
         sizeof(T);
}

// body(i, columns) for the stretches of rows of the lower triangle that lie in one tile of `rank`,
// in one order on both sides of a message.
template <class T>
template <class Body>
void RankTiles<T>::each_run(Range rows, int rank, const Body& body) const {
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t a = 0; a <= i / edge; ++a) {
      if (grid_.owner(a, i / edge) != rank) continue;
      body(i, Range{a * edge, std::min((a + 1) * edge, i + 1)});
    }
  }
}

// What every rank holds of these rows of this one.
template <class T>
Messages RankTiles<T>::row_messages(Context& context,
                                    Range rows,
                                    const std::function<void(std::int64_t i, T* row)>& lower) {
  Array<T> values(rows.size() * rows.end);
  const auto row = [&](std::int64_t i) { return values.data() + (i - rows.begin) * rows.end; };
  context.parallel_for(rows.size(), 8, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = rows.begin + begin; i < rows.begin + end; ++i) lower(i, row(i));
  });
  Messages messages(static_cast<std::size_t>(comm_->size()));
  context.parallel_for(comm_->size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t to = begin; to < end; ++to) {
      each_run(rows, static_cast<int>(to), [&](std::int64_t i, Range run) {
        append(messages[static_cast<std::size_t>(to)], row(i) + run.begin, run.size());
      });
    }
  });
  return messages;
}

template <class T>
void RankTiles<T>::take_rows(Context& context,
                             const std::vector<Range>& shares,
                             const std::function<void(std::int64_t i, T* row)>& lower) {
  const std::int64_t step = rows_a_round(n_);
  // Rows of a rank in a round.
  const auto rows_of = [&](std::int64_t rank, std::int64_t round) {
    const Range share = shares[static_cast<std::size_t>(rank)];
    const std::int64_t begin = std::min(share.end, share.begin + round * step);
    return Range{begin, std::min(share.end, begin + step)};
  };
  std::int64_t rounds = 0;
  for (const Range share : shares) rounds = std::max(rounds, divide_up(share.size(), step));
  for (std::int64_t round = 0; round < rounds; ++round) {
    const Messages messages =
        comm_->exchange(row_messages(context, rows_of(comm_->rank(), round), lower));
    // Ranks have rows of their own: no two write the same cell.
    context.parallel_for(comm_->size(), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t from = begin; from < end; ++from) {
        const std::byte* next = messages[static_cast<std::size_t>(from)].data();
        each_run(rows_of(from, round), comm_->rank(), [&](std::int64_t i, Range run) {
          const MatrixView<T> cells = tile(run.begin / edge, i / edge);
          for (std::int64_t j = 0; j < run.size(); ++j, next += sizeof(T)) {
            std::memcpy(&cells(j, i % edge), next, sizeof(T));
          }
        });
      }
    });
  }
}

template <class T>
void RankTiles<T>::give_rows(
    Context& context,
    const std::vector<Range>& shares,
    const std::function<void(Range rows, MatrixView<const T> values)>& body) {
  const std::int64_t step = rows_a_round(n_);
  const auto rows_of = [&](int rank, std::int64_t round) {
    const Range share = shares[static_cast<std::size_t>(rank)];
    const std::int64_t begin = std::min(share.end, share.begin + round * step);
    return Range{begin, std::min(share.end, begin + step)};
  };
  std::int64_t rounds = 0;
  for (const Range share : shares) rounds = std::max(rounds, divide_up(share.size(), step));
  const std::int64_t width = tiles() * edge;
  for (std::int64_t round = 0; round < rounds; ++round) {
    const Range mine = rows_of(comm_->rank(), round);
    Matrix<T> values(round_up(mine.size(), edge), width);
    fetch(
        context,
        [&](int rank) -> Wanted {
          const Range rows = rows_of(rank, round);
          if (rows.size() == 0) return {};
          return {{{rows.begin / edge, divide_up(rows.end, edge)}}, {{0, tiles()}}};
        },
        values.view());
    if (mine.size() > 0) {
      body(mine, MatrixView<const T>{values.data(), mine.size(), n_, width});
    }
  }
}

template class RankTiles<std::int32_t>;
template class RankTiles<float>;
template class RankTiles<double>;

}  // namespace yupana::graph
