#include "yupana/graph/shortest_paths.hpp"

#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/shared_closure.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"

namespace yupana::graph {
namespace {

template <class T>
std::int64_t dispatch(Context& context,
                      MatrixView<T> weights,
                      PathMethod method,
                      Signs signs,
                      SharedClosure& shared) {
  if (context.backend() == Backend::reference) return reference::shortest_paths(context, weights);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    if (method != PathMethod::symmetric) {
      return cuda::shortest_paths_directed(context, weights, signs);
    }
    cuda::shortest_paths_symmetric(context, weights);
    return -1;
  }
#endif
  if (method != PathMethod::symmetric) {
    return cpu::shortest_paths_directed(context, weights, signs, method);
  }
  shared.compute(context, weights);
  return -1;
}

// Sums of int32 weights stay below `unreachable` if nothing is negative and either there is an edge
// between all vertices, which no path exceeds, or n - 1 of the largest weight do not reach it.
bool sums_fit(const WeightStats<std::int32_t>& stats, std::int64_t n) {
  if (stats.smallest < 0) return false;
  return !stats.unreachable || (n - 1) * std::max(stats.largest, 0) < unreachable<std::int32_t>;
}

/// There is no such copy of weights on a GPU.
void check_on_host(const Context& context, MatrixView<std::int32_t> weights, std::int32_t least) {
  if (yupana::cuda::device_of(context, weights.data) < 0) return;
  throw input_error("shortest paths: {} array on a GPU{}; use float64 weights, or host memory",
                    least < 0 ? "a negative integer weight in an" : "a path of an",
                    least < 0 ? "" : " might be 2^30 long");
}

// Doubles hold every sum of 2^22 integers below 2^30 exactly, and their infinity stays one.
std::int64_t close_as_double(Context& context,
                             MatrixView<std::int32_t> weights,
                             PathMethod method,
                             Signs signs,
                             SharedClosure& shared) {
  constexpr std::int32_t none = unreachable<std::int32_t>;
  SquareMatrix<double> wide(weights.rows);
  const auto rows = [&](const auto& body) {
    context.parallel_for(weights.rows, 16, [&](std::int64_t i) {
      for (std::int64_t j = 0; j < weights.cols; ++j) body(weights(i, j), wide(i, j));
    });
  };
  rows([](std::int32_t& narrow, double& value) {
    value = narrow == none ? unreachable<double> : narrow;
  });
  const std::int64_t vertex = dispatch(context, wide.view(), method, signs, shared);
  if (vertex >= 0) return vertex;
  rows([](std::int32_t& narrow, double& value) {
    if (value == unreachable<double>) {
      narrow = none;
    } else if (std::abs(value) < none) {
      narrow = static_cast<std::int32_t>(value);
    } else {
      throw input_error("shortest paths: a path is 2^30 long or more; use float64 weights");
    }
  });
  return -1;
}

}  // namespace

template <class T>
void shortest_paths(Context& context, MatrixView<T> weights, const ShortestPathsParams& params) {
  if (context.rank() > 0) return join_closure(context);
  SharedClosure shared(context);
  const WeightKind<T> kind = check_weights(context, weights);
  const Signs signs = kind.stats.smallest < 0 ? Signs::any : Signs::nonnegative;
  PathMethod method = params.method;
  if (method == PathMethod::automatic) {
    // A negative edge of a symmetric graph is a negative cycle, there and back: directed names it.
    method = kind.symmetric && signs == Signs::nonnegative ? PathMethod::symmetric
                                                           : PathMethod::directed;
  }
  if (method == PathMethod::symmetric && !(kind.symmetric && signs == Signs::nonnegative)) {
    throw input_error(
        "shortest paths: the symmetric method wants {}; use directed",
        kind.symmetric ? "weights that are not negative" : "weights equal in both directions");
  }
  std::int64_t vertex = -1;
  if constexpr (std::is_integral_v<T>) {
    const bool fit = sums_fit(kind.stats, weights.rows);
    if (!fit) check_on_host(context, weights, kind.stats.smallest);
    vertex = fit ? dispatch(context, weights, method, signs, shared)
                 : close_as_double(context, weights, method, signs, shared);
  } else {
    vertex = dispatch(context, weights, method, signs, shared);
  }
  if (vertex >= 0) {
    throw input_error(
        "shortest paths: vertex {} lies on a cycle of negative length, so that no path through it "
        "is shortest",
        vertex);
  }
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, shortest_paths)

}  // namespace yupana::graph
