#include "yupana/graph/distributed_fermat.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/graph/distributed_closure.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/fermat_weights.hpp"

namespace yupana::graph {
namespace {

constexpr std::int64_t tile_size = DistributedSymmetricMatrix<float>::tile_size;

/// Cells [j, j + count) of row i, right of the diagonal, in tile (a, b).
struct Run {
  std::int64_t i, j, count;
  /// The first of them in the tile of any matrix of this size.
  template <class T>
  T* in(const MatrixView<T>& tile) const {
    return tile.row(i % tile_size) + j % tile_size;
  }
};

/// Calls body(run) for the rows of tile (a, b).
template <class Body>
void for_each_run(std::int64_t a, std::int64_t b, std::int64_t n, const Body& body) {
  for (std::int64_t i = a * tile_size; i < std::min(n, (a + 1) * tile_size); ++i) {
    const std::int64_t j = std::max(b * tile_size, i + 1);
    const std::int64_t end = std::min(n, (b + 1) * tile_size);
    if (j < end) body(Run{i, j, end - j});
  }
}

template <class T>
WeightRange distance_range(Context& context, DistributedSymmetricMatrix<T>& distances) {
  WeightRange mine;
  std::mutex mutex;
  distances.for_each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<T> tile) {
    WeightRange some;
    for_each_run(a, b, distances.size(), [&](const Run& run) {
      some.add(weight_range(run.in(tile), run.count));
    });
    const std::lock_guard hold(mutex);
    mine.add(some);
  });
  WeightRange all;
  for (const WeightRange& theirs : all_gather(distances.comm(), mine)) all.add(theirs);
  return all;
}

/// Cell by cell, whole tiles: cells past the last row or column stay without an edge.
template <class To, class From, class Map>
DistributedSymmetricMatrix<To> mapped(Context& context,
                                      DistributedSymmetricMatrix<From>& from,
                                      const Map& map) {
  DistributedSymmetricMatrix<To> to(from.comm(), from.size());
  from.for_each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<From> tile) {
    const MatrixView<To> result = to.tile(a, b);
    for (std::int64_t i = 0; i < tile_size; ++i) {
      for (std::int64_t j = 0; j < tile_size; ++j) result(i, j) = map(tile(i, j));
    }
  });
  return to;
}

/// Pairs of all ranks.
template <class T, class D>
EdgeCounts count_edges(Context& context,
                       DistributedSymmetricMatrix<T>& lengths,
                       DistributedSymmetricMatrix<D>& distances,
                       const WeightRule& rule) {
  std::atomic<std::uint64_t> kept{0}, unreached{0};
  lengths.for_each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<T> tile) {
    const MatrixView<D> start = distances.tile(a, b);
    std::uint64_t equal = 0, far = 0;
    for_each_run(a, b, lengths.size(), [&](const Run& run) {
      const T* const found = run.in(tile);
      const D* const d = run.in(start);
      for (std::int64_t c = 0; c < run.count; ++c) {
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
  EdgeCounts counts;
  counts.kept = static_cast<std::int64_t>(all[0]);
  counts.unreachable = static_cast<std::int64_t>(all[1]);
  return counts;
}

/// Sets of vertices that paths join: a closure joins every vertex but the first of a set to an
/// earlier one.
template <class T>
std::int64_t count_components(Context& context, DistributedSymmetricMatrix<T>& lengths) {
  const std::int64_t n = lengths.size();
  std::vector<std::uint64_t> joined(static_cast<std::size_t>(n), 0);
  std::mutex mutex;
  lengths.for_each_tile(context, [&](std::int64_t a, std::int64_t b, MatrixView<T> tile) {
    const std::lock_guard hold(mutex);
    for_each_run(a, b, n, [&](const Run& run) {
      const T* const found = run.in(tile);
      for (std::int64_t c = 0; c < run.count; ++c) {
        joined[static_cast<std::size_t>(run.j + c)] += found[c] != unreachable<T>;
      }
    });
  });
  lengths.comm().sum(joined.data(), n);
  return std::count(joined.begin(), joined.end(), std::uint64_t{0});
}

template <class T, class D>
DistributedFermatResult solve(Context& context,
                              DistributedSymmetricMatrix<D>& distances,
                              const WeightRule& rule,
                              bool has_unreachable,
                              const FermatParams& params) {
  DistributedSymmetricMatrix<T> lengths =
      mapped<T>(context, distances, [&](D d) { return weight<T>(d, rule.power, 1 / rule.scale); });
  const bool on_gpus = compute_closure(context, lengths);
  const std::int64_t n = distances.size();
  FermatFacts facts = make_facts(params, rule.unit, precision_of<T>, n);
  facts.method = on_gpus ? gpu_closure_method : cpu::dense_closure<T>(context, n).method;
  set_shares(count_edges(context, lengths, distances, rule), n, rule.vanishing, facts);
  if (rule.vanishing) note_vanishing(context, params.alpha);
  if (has_unreachable) facts.components = count_components(context, lengths);
  if (!params.root) return {facts, std::move(lengths)};
  using Root = RootOf<T>;
  return {facts, mapped<Root>(context, lengths, [&](T length) {
            return root_of<Root>(length, params.alpha, rule.unit);
          })};
}

}  // namespace

DistributedFermatResult fermat(Context& context,
                               AnyDistributedMatrix& distances,
                               Entries entries,
                               const FermatParams& params) {
  if (params.neighbors != 0 || params.landmarks != 0) {
    throw input_error(
        "fermat: a matrix spread over ranks has the dense closure only; leave out nearest "
        "neighbours and landmarks");
  }
  return std::visit(
      [&](auto& tiles) {
        const WeightRange range = distance_range(context, tiles);
        const WeightRule rule = weight_rule(range, tiles.size(), entries, params);
        switch (rule.precision) {
          case Precision::integer:
            return solve<std::int32_t>(context, tiles, rule, range.unreachable, params);
          case Precision::float64:
            return solve<double>(context, tiles, rule, range.unreachable, params);
          default:
            return solve<float>(context, tiles, rule, range.unreachable, params);
        }
      },
      distances);
}

std::uint64_t distributed_fermat_bytes(std::int64_t n, int ranks, const FermatParams& params) {
  const auto matrix_bytes = [&](bool wide) {
    return wide ? DistributedSymmetricMatrix<double>::max_bytes(n, ranks)
                : DistributedSymmetricMatrix<float>::max_bytes(n, ranks);
  };
  const bool wide = params.precision == Precision::float64;
  // Roots of integers are doubles, next to the lengths; the panels are gone by then.
  const std::uint64_t roots = params.root ? matrix_bytes(true) : 0;
  return matrix_bytes(wide) + std::max(roots, closure_bytes(n, ranks, wide ? 8 : 4));
}

}  // namespace yupana::graph
