#include "yupana/graph/fermat_ranks.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/graph/fermat_weights.hpp"

namespace yupana::graph {
namespace {

template <class T>
constexpr std::int64_t edge = RankTiles<T>::edge;

/// body(i, j, columns): columns [j, j + columns) of row i lie in the tile, right of the diagonal.
template <class Body>
void each_run(std::int64_t a, std::int64_t b, std::int64_t n, const Body& body) {
  const std::int64_t side = edge<float>;
  for (std::int64_t i = a * side; i < std::min(n, (a + 1) * side); ++i) {
    const std::int64_t j = std::max(b * side, i + 1);
    const std::int64_t end = std::min(n, (b + 1) * side);
    if (j < end) body(i, j, end - j);
  }
}

template <class T>
Spread spread_of(Context& context, RankTiles<T>& distances) {
  Spread mine;
  std::mutex mutex;
  distances.each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<T> tile) {
    Spread some;
    each_run(a, b, distances.size(), [&](std::int64_t i, std::int64_t j, std::int64_t count) {
      some.add(spread_of_run(tile.row(i - a * edge<T>) + (j - b * edge<T>), count));
    });
    const std::lock_guard hold(mutex);
    mine.add(some);
  });
  Spread all = mine;
  Comm& comm = distances.comm();
  for (int rank = 0; rank < comm.size(); ++rank) {
    Spread theirs = mine;
    comm.broadcast(&theirs, sizeof(theirs), rank);
    all.add(theirs);
  }
  return all;
}

/// Cell by cell, whole tiles: what lies behind the last row or column stays without an edge.
template <class To, class From, class Map>
RankTiles<To> mapped(Context& context, RankTiles<From>& from, const Map& map) {
  RankTiles<To> to(from.comm(), from.size());
  from.each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<From> tile) {
    const MatrixView<To> result = to.tile(a, b);
    for (std::int64_t i = 0; i < edge<To>; ++i) {
      for (std::int64_t j = 0; j < edge<To>; ++j) result(i, j) = map(tile(i, j));
    }
  });
  return to;
}

/// Pairs of all ranks: edges that are their own shortest path, and pairs that no path joins.
struct EdgeCounts {
  std::uint64_t kept = 0;
  std::uint64_t unreachable = 0;
};

template <class T, class D>
EdgeCounts count_edges(Context& context,
                       RankTiles<T>& lengths,
                       RankTiles<D>& distances,
                       const WeightRule& rule) {
  std::atomic<std::uint64_t> kept{0}, unreached{0};
  lengths.each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<T> tile) {
    const MatrixView<D> start = distances.tile(a, b);
    std::uint64_t equal = 0, far = 0;
    each_run(a, b, lengths.size(), [&](std::int64_t i, std::int64_t j, std::int64_t count) {
      const T* const found = tile.row(i - a * edge<T>) + (j - b * edge<T>);
      const D* const d = start.row(i - a * edge<T>) + (j - b * edge<T>);
      for (std::int64_t c = 0; c < count; ++c) {
        const bool none = found[c] == unreachable<T>;
        far += none;
        equal += !none && found[c] == weight<T>(d[c], rule.power, 1 / rule.scale);
      }
    });
    kept.fetch_add(equal, std::memory_order_relaxed);
    unreached.fetch_add(far, std::memory_order_relaxed);
  });
  std::uint64_t all[] = {kept.load(), unreached.load()};
  lengths.comm().sum(all, 2);
  return {all[0], all[1]};
}

/// Sets of vertices that paths join: a closure joins every vertex but the first of a set to an
/// earlier one.
template <class T>
std::int64_t count_components(Context& context, RankTiles<T>& lengths) {
  const std::int64_t n = lengths.size();
  std::vector<std::uint64_t> joined(static_cast<std::size_t>(n), 0);
  std::mutex mutex;
  lengths.each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<T> tile) {
    const std::lock_guard hold(mutex);
    each_run(a, b, n, [&](std::int64_t i, std::int64_t j, std::int64_t count) {
      const T* const found = tile.row(i - a * edge<T>) + (j - b * edge<T>);
      for (std::int64_t c = 0; c < count; ++c) {
        joined[static_cast<std::size_t>(j + c)] += found[c] != unreachable<T>;
      }
    });
  });
  lengths.comm().sum(joined.data(), n);
  return std::count(joined.begin(), joined.end(), std::uint64_t{0});
}

template <class T, class D>
RankFermatResult close(Context& context,
                       RankTiles<D>& distances,
                       const WeightRule& rule,
                       bool far,
                       const FermatParams& params) {
  RankTiles<T> lengths = mapped<T>(context, distances, [&](D distance) {
    return weight<T>(distance, rule.power, 1 / rule.scale);
  });
  close_tiles(context, lengths);
  const std::int64_t n = distances.size();
  const EdgeCounts counts = count_edges(context, lengths, distances, rule);
  const std::int64_t components = far ? count_components(context, lengths) : n > 0 ? 1 : 0;
  RankFermatResult result{std::move(lengths)};
  result.components = components;
  result.weight_scale = rule.unit;
  result.precision = precision_of<T>;
  result.alpha = params.alpha;
  result.rooted = params.root;
  result.scale = params.root ? 1 : rule.unit;
  if (n > 1) {
    const auto pairs = static_cast<std::uint64_t>(n * (n - 1) / 2);
    const auto share = [&](std::uint64_t count) {
      return static_cast<double>(count) / static_cast<double>(pairs);
    };
    result.kept_edges = share(counts.kept);
    result.unreachable_pairs = share(counts.unreachable);
    result.replaced_edges = share(pairs - counts.kept - counts.unreachable);
  }
  if (params.root) {
    using Root = std::conditional_t<std::is_integral_v<T>, double, T>;
    result.lengths = mapped<Root>(context, std::get<RankTiles<T>>(result.lengths), [&](T length) {
      return root_of<Root>(length, params.alpha, rule.unit);
    });
  }
  return result;
}

}  // namespace

RankFermatResult fermat_ranks(Context& context,
                              AnyRankTiles& distances,
                              bool squared,
                              const FermatParams& params) {
  if (params.neighbors != 0 || params.landmarks != 0) {
    throw Error(ErrorCode::bad_input,
                "fermat: a matrix spread over ranks has the dense closure only; leave out nearest "
                "neighbours and landmarks");
  }
  return std::visit(
      [&](auto& tiles) {
        const Spread spread = spread_of(context, tiles);
        const bool far = spread.unreachable;
        const WeightRule rule = weight_rule(context, spread, tiles.size(), squared, params);
        switch (rule.precision) {
          case Precision::integer:
            return close<std::int32_t>(context, tiles, rule, far, params);
          case Precision::float64:
            return close<double>(context, tiles, rule, far, params);
          default:
            return close<float>(context, tiles, rule, far, params);
        }
      },
      distances);
}

std::uint64_t fermat_ranks_bytes(std::int64_t n, int ranks, const FermatParams& params) {
  const bool wide = params.precision == Precision::float64;
  const std::uint64_t lengths =
      wide ? RankTiles<double>::most_bytes(n, ranks) : RankTiles<float>::most_bytes(n, ranks);
  // Roots of integers are doubles, beside the lengths; the panels are gone by then.
  const std::uint64_t roots = params.root ? RankTiles<double>::most_bytes(n, ranks) : 0;
  return lengths + std::max(roots, closure_bytes(n, ranks, wide ? 8 : 4));
}

}  // namespace yupana::graph
