// Rows of a matrix that is spread over ranks: on their way into its tiles, and out of them.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "yupana/graph/rank_tiles.hpp"

namespace yupana::graph {
namespace {

// Cells of rows that a rank holds at once while they move; a row of tiles if that is more.
constexpr std::int64_t round_cells = std::int64_t{1} << 20;

}  // namespace

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
  for (int to = 0; to < comm_->size(); ++to) {
    std::vector<std::byte>& message = messages[static_cast<std::size_t>(to)];
    const std::vector<std::int64_t> places = places_of(context, rows, to);
    message.resize(static_cast<std::size_t>(places.back()) * sizeof(T));
    context.parallel_for(rows.size(), 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        std::byte* next =
            message.data() + places[static_cast<std::size_t>(i)] * std::int64_t{sizeof(T)};
        each_run({rows.begin + i, rows.begin + i + 1}, to, [&](std::int64_t at, Range run) {
          const auto bytes = static_cast<std::size_t>(run.size()) * sizeof(T);
          std::memcpy(next, row(at) + run.begin, bytes);
          next += bytes;
        });
      }
    });
  }
  return messages;
}

// Cells of the rows that lie in tiles of `rank`, before each row and in all.
template <class T>
std::vector<std::int64_t> RankTiles<T>::places_of(Context& context, Range rows, int rank) const {
  std::vector<std::int64_t> places(static_cast<std::size_t>(rows.size()) + 1);
  context.parallel_for(rows.size(), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::int64_t& cells = places[static_cast<std::size_t>(i) + 1];
      each_run({rows.begin + i, rows.begin + i + 1}, rank, [&](std::int64_t, Range run) {
        cells += run.size();
      });
    }
  });
  std::partial_sum(places.begin(), places.end(), places.begin());
  return places;
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
    for (int from = 0; from < comm_->size(); ++from) {
      take_message(context, rows_of(from, round), messages[static_cast<std::size_t>(from)]);
    }
  }
}

// Rows of the lower triangle as another rank sent them. A tile holds them as its columns: all that
// fall to one tile column are one thread's, tile after tile.
template <class T>
void RankTiles<T>::take_message(Context& context,
                                Range rows,
                                const std::vector<std::byte>& message) {
  const std::vector<std::int64_t> places = places_of(context, rows, comm_->rank());
  const Range columns = {rows.begin / edge, divide_up(rows.end, edge)};
  context.parallel_for(columns.size(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t b = columns.begin + begin; b < columns.begin + end; ++b) {
      const Range some = {std::max(rows.begin, b * edge), std::min(rows.end, (b + 1) * edge)};
      if (some.size() <= 0) continue;
      const std::byte* next =
          message.data() +
          places[static_cast<std::size_t>(some.begin - rows.begin)] * std::int64_t{sizeof(T)};
      each_run(some, comm_->rank(), [&](std::int64_t i, Range run) {
        const MatrixView<T> cells = tile(run.begin / edge, b);
        for (std::int64_t j = 0; j < run.size(); ++j, next += sizeof(T)) {
          std::memcpy(&cells(j, i % edge), next, sizeof(T));
        }
      });
    }
  });
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

template void RankTiles<std::int32_t>::take_rows(
    Context&, const std::vector<Range>&, const std::function<void(std::int64_t, std::int32_t*)>&);
template void RankTiles<std::int32_t>::give_rows(
    Context&,
    const std::vector<Range>&,
    const std::function<void(Range, MatrixView<const std::int32_t>)>&);
template std::uint64_t RankTiles<std::int32_t>::moving_bytes(std::int64_t);
template void RankTiles<float>::take_rows(Context&,
                                          const std::vector<Range>&,
                                          const std::function<void(std::int64_t, float*)>&);
template void RankTiles<float>::give_rows(
    Context&,
    const std::vector<Range>&,
    const std::function<void(Range, MatrixView<const float>)>&);
template std::uint64_t RankTiles<float>::moving_bytes(std::int64_t);
template void RankTiles<double>::take_rows(Context&,
                                           const std::vector<Range>&,
                                           const std::function<void(std::int64_t, double*)>&);
template void RankTiles<double>::give_rows(
    Context&,
    const std::vector<Range>&,
    const std::function<void(Range, MatrixView<const double>)>&);
template std::uint64_t RankTiles<double>::moving_bytes(std::int64_t);

}  // namespace yupana::graph
