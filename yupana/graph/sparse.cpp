#include "yupana/graph/sparse.hpp"

#include <cmath>

#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph {
namespace {

Error malformed(const std::string& what) {
  return Error(ErrorCode::bad_input, "sparse graph: " + what);
}

template <class T>
void check_rows(const SparseGraph<T>& graph) {
  const auto edges = static_cast<std::int64_t>(graph.targets.size());
  if (graph.offsets.empty() || graph.offsets.front() != 0 || graph.offsets.back() != edges) {
    throw malformed(fmt::format(
        "offsets must start at 0 and end at the number of edges ({}), one more than vertices",
        edges));
  }
  for (std::size_t i = 1; i < graph.offsets.size(); ++i) {
    if (graph.offsets[i] >= graph.offsets[i - 1]) continue;
    throw malformed(fmt::format("the edges of vertex {} end before they begin", i - 1));
  }
  for (std::size_t e = 0; e < graph.targets.size(); ++e) {
    if (graph.targets[e] >= 0 && graph.targets[e] < graph.vertices()) continue;
    throw malformed(fmt::format("edge {} leads to vertex {} of a graph of {} vertices",
                                e,
                                graph.targets[e],
                                graph.vertices()));
  }
  if (!graph.weights.empty() && graph.weights.size() != graph.targets.size()) {
    throw malformed(fmt::format(
        "{} weights for {} edges; give one an edge, or none at all", graph.weights.size(), edges));
  }
}

// Returns the first edge of negative weight, or -1.
template <class T>
std::int64_t check_edges(const SparseGraph<T>& graph) {
  std::int64_t negative = -1;
  for (std::size_t e = 0; e < graph.weights.size(); ++e) {
    const T weight = graph.weights[e];
    if (weight != weight) throw malformed(fmt::format("the weight of edge {} is not a number", e));
    if (weight > unreachable<T> || weight <= -unreachable<T>) {
      throw malformed(fmt::format("the weight of edge {} is {}", e, weight));
    }
    if (weight < 0 && negative < 0) negative = static_cast<std::int64_t>(e);
  }
  return negative;
}

template <class T>
SparseMethod choose(const SparseGraph<T>& graph, SparseMethod method, std::int64_t negative) {
  if (method == SparseMethod::automatic) {
    if (graph.weights.empty()) return SparseMethod::bfs;
    return negative >= 0 ? SparseMethod::johnson : SparseMethod::dijkstra;
  }
  if (method == SparseMethod::bfs && !graph.weights.empty()) {
    throw usage_error("sparse paths: bfs counts edges; use dijkstra for weights");
  }
  if (method == SparseMethod::dijkstra && negative >= 0) {
    throw malformed(fmt::format("edge {} has the negative weight {}; use johnson",
                                negative,
                                graph.weights[static_cast<std::size_t>(negative)]));
  }
  return method;
}

std::vector<std::int64_t> checked_sources(std::int64_t vertices,
                                          std::vector<std::int64_t> sources) {
  if (sources.empty()) {
    sources = first_integers<std::int64_t>(vertices);
  }
  for (const std::int64_t source : sources) {
    if (source >= 0 && source < vertices) continue;
    throw usage_error("sparse paths: sources 0 to {} wanted, {} given", vertices - 1, source);
  }
  return sources;
}

template <class T>
SparsePaths<T> paths_of(Context& context,
                        const SparseGraph<T>& graph,
                        const std::vector<std::int64_t>& sources,
                        SparseMethod method,
                        bool with_predecessors) {
  check_rows(graph);
  method = choose(graph, method, check_edges(graph));
  const std::vector<std::int64_t> from = checked_sources(graph.vertices(), sources);
  SparsePaths<T> paths{Matrix<T>(std::ssize(from), graph.vertices()), {}};
  if (with_predecessors)
    paths.predecessors = Matrix<std::int32_t>(std::ssize(from), graph.vertices());
  Matrix<std::int32_t>* const before = with_predecessors ? &paths.predecessors : nullptr;
  switch (context.backend()) {
    case Backend::reference:
      reference::sparse_paths(context, graph, from, paths.lengths, before);
      return paths;
    case Backend::cpu:
    case Backend::cuda:  // a search from every source has no useful CUDA form: it runs on the CPU
      cpu::sparse_paths(context, graph, from, method, paths.lengths, TooLong::refused, before);
      break;
  }
  return paths;
}

}  // namespace

template <class T>
T narrow(Length<T> length, TooLong too_long) {
  if constexpr (std::is_integral_v<T>) {
    if (length == unreachable<Length<T>>) return unreachable<T>;
    if (std::abs(length) >= unreachable<T>) {
      if (too_long == TooLong::unreachable) return unreachable<T>;
      throw malformed("a path is 2^30 long or more; use float64 weights");
    }
  }
  return static_cast<T>(length);
}

void throw_negative_cycle(std::int64_t vertex) {
  throw malformed(fmt::format(
      "vertex {} reaches or lies on a cycle of negative length, so that no path through "
      "it is shortest",
      vertex));
}

template <class T>
Matrix<T> shortest_paths(Context& context,
                         const SparseGraph<T>& graph,
                         const std::vector<std::int64_t>& sources,
                         SparseMethod method) {
  return paths_of(context, graph, sources, method, false).lengths;
}

template <class T>
SparsePaths<T> shortest_paths_and_predecessors(Context& context,
                                               const SparseGraph<T>& graph,
                                               const std::vector<std::int64_t>& sources,
                                               SparseMethod method) {
  return paths_of(context, graph, sources, method, true);
}

template std::int32_t narrow<std::int32_t>(std::int64_t, TooLong);
template float narrow<float>(double, TooLong);
template double narrow<double>(double, TooLong);
#define YUPANA_SPARSE_PATHS(T)                                                          \
  template Matrix<T> shortest_paths(                                                    \
      Context&, const SparseGraph<T>&, const std::vector<std::int64_t>&, SparseMethod); \
  template SparsePaths<T> shortest_paths_and_predecessors(                              \
      Context&, const SparseGraph<T>&, const std::vector<std::int64_t>&, SparseMethod);
YUPANA_SPARSE_PATHS(std::int32_t)
YUPANA_SPARSE_PATHS(float)
YUPANA_SPARSE_PATHS(double)
#undef YUPANA_SPARSE_PATHS

}  // namespace yupana::graph
