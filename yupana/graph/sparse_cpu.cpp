#include <algorithm>
#include <boost/graph/bellman_ford_shortest_paths.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <numeric>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph::cpu {
namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS,
                                                 boost::no_property,
                                                 boost::no_property,
                                                 boost::no_property,
                                                 std::int64_t,
                                                 std::int64_t>;

// Edges of weight `unreachable` are left out, so every weight here is finite.
template <class T>
struct Edges {
  std::vector<std::pair<std::int64_t, std::int64_t>> ends;
  std::vector<Length<T>> weights;
};

template <class T>
Edges<T> edges_of(const SparseGraph<T>& graph) {
  Edges<T> edges;
  for (std::int64_t i = 0; i < graph.vertices(); ++i) {
    for (std::int64_t e = graph.offsets[static_cast<std::size_t>(i)];
         e < graph.offsets[static_cast<std::size_t>(i) + 1];
         ++e) {
      const auto edge = static_cast<std::size_t>(e);
      const T weight = graph.weights.empty() ? T{1} : graph.weights[edge];
      if (weight == unreachable<T>) continue;
      edges.ends.emplace_back(i, graph.targets[edge]);
      edges.weights.push_back(weight);
    }
  }
  return edges;
}

// Row-major iterators keep the edges in order: edge number e of the graph is edge e of `edges`.
Graph graph_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& ends, std::int64_t n) {
  return Graph(boost::edges_are_sorted, ends.begin(), ends.end(), n);
}

template <class L>
auto weight_map(const Graph& graph, const std::vector<L>& weights) {
  return boost::make_iterator_property_map(weights.begin(), boost::get(boost::edge_index, graph));
}

// Potentials h with w(u, v) + h(u) - h(v) >= 0 for every edge (Johnson 1977): shortest lengths from
// an added vertex with an edge of length zero to each, which is what starting everywhere at zero
// comes to.
template <class L>
std::vector<L> potentials(const Graph& graph,
                          const std::vector<std::pair<std::int64_t, std::int64_t>>& ends,
                          const std::vector<L>& weights) {
  const auto n = static_cast<std::size_t>(boost::num_vertices(graph));
  std::vector<L> h(n, 0);
  std::vector<std::int64_t> before(n);
  std::iota(before.begin(), before.end(), 0);
  const bool fine = boost::bellman_ford_shortest_paths(graph,
                                                       static_cast<std::int64_t>(n),
                                                       boost::weight_map(weight_map(graph, weights))
                                                           .distance_map(h.data())
                                                           .predecessor_map(before.data()));
  if (fine) return h;
  // n steps back from an edge that still improves lead onto a cycle.
  for (std::size_t e = 0; e < ends.size(); ++e) {
    const auto [u, v] = ends[e];
    if (!(h[static_cast<std::size_t>(u)] + weights[e] < h[static_cast<std::size_t>(v)])) continue;
    std::int64_t vertex = u;
    for (std::size_t step = 0; step < n; ++step) vertex = before[static_cast<std::size_t>(vertex)];
    throw_negative_cycle(vertex);
  }
  throw_negative_cycle(0);
}

template <class L>
void dijkstra(const Graph& graph,
              const std::vector<L>& weights,
              std::int64_t source,
              std::vector<L>& length,
              std::vector<std::int64_t>& before) {
  boost::dijkstra_shortest_paths_no_color_map(graph,
                                              source,
                                              boost::weight_map(weight_map(graph, weights))
                                                  .distance_map(length.data())
                                                  .predecessor_map(before.data())
                                                  .distance_inf(unreachable<L>)
                                                  .distance_zero(L{0}));
}

template <class L>
void bfs(const Graph& graph,
         std::int64_t source,
         std::vector<L>& length,
         std::vector<std::int64_t>& before) {
  std::fill(length.begin(), length.end(), unreachable<L>);
  length[static_cast<std::size_t>(source)] = 0;
  std::iota(before.begin(), before.end(), 0);
  boost::breadth_first_search(
      graph,
      source,
      boost::visitor(boost::make_bfs_visitor(
          std::make_pair(boost::record_distances(length.data(), boost::on_tree_edge()),
                         boost::record_predecessors(before.data(), boost::on_tree_edge())))));
}

// Boost has a vertex before itself where none is.
void put_predecessors(const std::vector<std::int64_t>& before, std::int32_t* row) {
  for (std::size_t j = 0; j < before.size(); ++j) {
    const bool none = before[j] == static_cast<std::int64_t>(j);
    row[j] = none ? -1 : static_cast<std::int32_t>(before[j]);
  }
}

}  // namespace

template <class T>
void sparse_paths(Context& context,
                  const SparseGraph<T>& graph,
                  const std::vector<std::int64_t>& sources,
                  SparseMethod method,
                  Matrix<T>& lengths,
                  TooLong too_long,
                  Matrix<std::int32_t>* predecessors) {
  using L = Length<T>;
  Edges<T> edges = edges_of(graph);
  const Graph boost_graph = graph_of(edges.ends, graph.vertices());
  std::vector<L> h;
  if (method == SparseMethod::johnson) {
    h = potentials(boost_graph, edges.ends, edges.weights);
    for (std::size_t e = 0; e < edges.ends.size(); ++e) {
      const auto [u, v] = edges.ends[e];
      const L raised =
          edges.weights[e] + h[static_cast<std::size_t>(u)] - h[static_cast<std::size_t>(v)];
      edges.weights[e] = std::max(raised, L{0});  // rounding may leave a negative trace
    }
  }
  const auto count = static_cast<std::int64_t>(sources.size());
  Stage stage(context, "sparse shortest paths", static_cast<double>(count), "sources");
  context.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<L> length(static_cast<std::size_t>(graph.vertices()));
    std::vector<std::int64_t> before(length.size());
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t source = sources[static_cast<std::size_t>(s)];
      if (method == SparseMethod::bfs) {
        bfs(boost_graph, source, length, before);
      } else {
        dijkstra(boost_graph, edges.weights, source, length, before);
      }
      for (std::int64_t j = 0; j < graph.vertices(); ++j) {
        L l = length[static_cast<std::size_t>(j)];
        if (!h.empty() && l != unreachable<L>) {
          l += h[static_cast<std::size_t>(j)] - h[static_cast<std::size_t>(source)];
        }
        lengths(s, j) = narrow<T>(l, too_long);
      }
      if (predecessors != nullptr) put_predecessors(before, predecessors->row(s));
      stage.advance(1);
    }
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, sparse_paths)

}  // namespace yupana::graph::cpu
