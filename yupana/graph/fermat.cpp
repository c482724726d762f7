#include "yupana/graph/fermat.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "yupana/core/counted.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/fermat_weights.hpp"
#include "yupana/graph/shared_closure.hpp"

namespace yupana::graph {
namespace {

// That of one process, whose choices and bits do not change where ranks share the work.
template <class T>
DenseClosure<T> dense_closure(const Context& context, std::int64_t n, SharedClosure& shared) {
  DenseClosure<T> dense = cpu::dense_closure<T>(context, n);
  dense.compute = [&shared](Context& all, MatrixView<T> weights) {
    return shared.compute(all, weights);
  };
  return dense;
}

template <class T>
ClosureResult dispatch(Context& context,
                       SquareMatrix<T>& weights,
                       const FermatParams& params,
                       [[maybe_unused]] const DeviceSource& source,
                       SharedClosure& shared) {
  const std::int64_t n = weights.size();
  if (context.backend() == Backend::reference) return reference::compute_closure(context, weights);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    return cpu::compute_closure(
        context, weights, params.prune, cuda::dense_closure<T>(context, n, source));
  }
#endif
  return cpu::compute_closure(context, weights, params.prune, dense_closure<T>(context, n, shared));
}

/// Adds up `counts_of(i, counts)` over the rows.
template <class CountsOf>
EdgeCounts count_rows(Context& context, std::int64_t n, const CountsOf& counts_of) {
  std::atomic<std::int64_t> kept{0}, longer{0}, unreached{0};
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    EdgeCounts mine;
    for (std::int64_t i = begin; i < end; ++i) counts_of(i, mine);
    kept.fetch_add(mine.kept, std::memory_order_relaxed);
    longer.fetch_add(mine.longer, std::memory_order_relaxed);
    unreached.fetch_add(mine.unreachable, std::memory_order_relaxed);
  });
  return {kept.load(), longer.load(), unreached.load()};
}

template <class T>
EdgeCounts compare(Context& context,
                   const SquareMatrix<T>& weights,
                   const SquareMatrix<T>& lengths) {
  return count_rows(context, weights.size(), [&](std::int64_t i, EdgeCounts& counts) {
    for (std::int64_t j = i + 1; j < weights.size(); ++j) {
      const bool far = lengths(i, j) == unreachable<T>;
      counts.unreachable += far;
      counts.kept += !far && lengths(i, j) == weights(i, j);
      counts.longer += !far && lengths(i, j) > weights(i, j);
    }
  });
}

/// From the pairs whose length is their weight; infinite lengths have infinite weights.
template <class T>
EdgeCounts without_unreachable(Context& context, const SquareMatrix<T>& lengths, EdgeCounts equal) {
  equal.unreachable = count_rows(context, lengths.size(), [&](std::int64_t i, EdgeCounts& counts) {
                        for (std::int64_t j = i + 1; j < lengths.size(); ++j) {
                          counts.unreachable += lengths(i, j) == unreachable<T>;
                        }
                      }).unreachable;
  equal.kept -= equal.unreachable;
  return equal;
}

/// Sets of vertices that edges join. O(n^2).
template <class T>
std::int64_t count_components(const SquareMatrix<T>& weights) {
  auto unseen = first_integers<std::int64_t>(weights.size());
  std::int64_t components = 0;
  std::vector<std::int64_t> open;
  for (; !unseen.empty(); ++components) {
    open.push_back(unseen.back());
    unseen.pop_back();
    while (!open.empty()) {
      const T* const row = weights.row(open.back());
      open.pop_back();
      const auto joined = std::stable_partition(
          unseen.begin(), unseen.end(), [&](std::int64_t j) { return row[j] == unreachable<T>; });
      open.insert(open.end(), joined, unseen.end());
      unseen.erase(joined, unseen.end());
    }
  }
  return components;
}

std::string landmark_method(const FermatParams& params) {
  static constexpr const char* kinds[] = {"upper bound", "lower bound", "mean of two bounds"};
  return fmt::format("estimate ({}) through {}",
                     kinds[static_cast<int>(params.estimate)],
                     counted(params.landmarks, "landmark"));
}

/// Weights become lengths. `far`: some pair has no edge.
template <class T>
EdgeCounts solve(Context& context,
                 SquareMatrix<T>& weights,
                 bool far,
                 const FermatParams& params,
                 const DeviceSource& source,
                 SharedClosure& shared,
                 FermatFacts& facts) {
  if (params.neighbors > 0) {
    SquareMatrix<T> lengths = close_neighbors(context, weights, params.neighbors, facts);
    const EdgeCounts counts = compare(context, weights, lengths);
    weights = std::move(lengths);
    if (counts.unreachable > 0) facts.components = count_components(weights);
    const std::int64_t nearest = std::min(params.neighbors, weights.size() - 1);
    facts.method = "Dijkstra on " + counted(nearest, "nearest neighbour");
    return counts;
  }
  if (far) facts.components = count_components(weights);
  EdgeCounts equal;
  if (params.landmarks > 0 && params.landmarks < weights.size()) {
    facts.method = landmark_method(params);
    equal.kept = estimate_by_landmarks(context, weights, params);
  } else {
    const ClosureResult closure = dispatch(context, weights, params, source, shared);
    facts.certified = closure.certified;
    facts.method = closure.method;
    equal.kept = closure.kept;
  }
  return far ? without_unreachable(context, weights, equal) : equal;
}

template <class T>
AnyMatrix rooted(Context& context, SquareMatrix<T> lengths, double alpha, double scale) {
  using To = RootOf<T>;
  const std::int64_t n = lengths.size();
  SquareMatrix<To> roots(n);
  context.parallel_for(n, 16, [&](std::int64_t i) {
    context.check_cancelled();
    for (std::int64_t j = 0; j < n; ++j) roots(i, j) = root_of<To>(lengths(i, j), alpha, scale);
  });
  return roots;
}

void check_params(const FermatParams& params) {
  if (params.neighbors < 0 || params.landmarks < 0) {
    throw input_error("fermat: expected 0 or more neighbors and landmarks, got {} and {}",
                      params.neighbors,
                      params.landmarks);
  }
  if (params.neighbors > 0 && params.landmarks > 0) {
    throw input_error("fermat: nearest neighbours and landmarks are two ways out; choose one");
  }
}

FermatResult solve_matrix(Context& context,
                          AnyMatrix distances,
                          bool squared,
                          const FermatParams& params,
                          const DeviceMatrix& on_device,
                          SharedClosure& shared) {
  FermatWeights weights = fermat_weights(context, std::move(distances), squared, params);
  FermatResult result;
  DeviceSource source;
  source.power = squared ? params.alpha / 2 : params.alpha;
  // Other powers, and scaled distances, are worked out on the host: its pow has other bits.
  if (weights.scale == 1 && (source.power == 1 || source.power == 2)) source.distances = on_device;
  std::visit(
      [&](auto& matrix) {
        using T = std::remove_cvref_t<decltype(matrix(0, 0))>;
        const std::int64_t n = matrix.size();
        FermatFacts& facts = result;
        facts = make_facts(params, weights.scale, precision_of<T>, n);
        const EdgeCounts counts =
            solve(context, matrix, weights.unreachable, params, source, shared, facts);
        set_shares(counts, n, weights.vanishing, facts);
        if (params.root) {
          result.lengths = rooted(context, std::move(matrix), params.alpha, weights.scale);
        } else {
          result.lengths = std::move(matrix);
        }
      },
      weights.values);
  return result;
}

}  // namespace

FermatFacts make_facts(const FermatParams& params,
                       double unit,
                       Precision precision,
                       std::int64_t n) {
  FermatFacts facts;
  facts.alpha = params.alpha;
  facts.rooted = params.root;
  facts.scale = params.root ? 1 : unit;
  facts.weight_scale = unit;
  facts.precision = precision;
  facts.components = n > 0 ? 1 : 0;
  return facts;
}

void set_shares(const EdgeCounts& counts, std::int64_t n, bool vanishing, FermatFacts& facts) {
  facts.kept_edges = 1;
  if (n < 2) return;
  const std::int64_t pairs = n * (n - 1) / 2;
  const auto share = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(pairs);
  };
  facts.kept_edges = share(counts.kept);
  facts.longer_edges = share(counts.longer);
  facts.unreachable_pairs = share(counts.unreachable);
  facts.replaced_edges = share(pairs - counts.kept - counts.longer - counts.unreachable);
  if (!vanishing) return;
  facts.kept_edges = facts.longer_edges = facts.replaced_edges =
      std::numeric_limits<double>::quiet_NaN();
}

template <class T>
std::int64_t equal_pairs(Context& context, const SquareMatrix<T>& a, const SquareMatrix<T>& b) {
  std::atomic<std::int64_t> equal{0};
  context.parallel_for(a.size(), 16, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t mine = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i + 1; j < a.size(); ++j) mine += a(i, j) == b(i, j);
    }
    equal.fetch_add(mine, std::memory_order_relaxed);
  });
  return equal.load();
}

FermatResult fermat(Context& context,
                    AnyMatrix distances,
                    bool squared,
                    const FermatParams& params,
                    const DeviceMatrix& on_device) {
  check_params(params);
  if (context.rank() > 0) {
    join_closure(context);
    return {};
  }
  SharedClosure shared(context);
  FermatResult result =
      solve_matrix(context, std::move(distances), squared, params, on_device, shared);
  if (std::isnan(result.kept_edges)) note_vanishing(context, params.alpha);
  return result;
}

FermatResult fermat_alone(Context& context,
                          AnyMatrix distances,
                          bool squared,
                          const FermatParams& params) {
  SharedClosure alone;
  return solve_matrix(context, std::move(distances), squared, params, {}, alone);
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, equal_pairs)

}  // namespace yupana::graph
