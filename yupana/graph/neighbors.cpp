#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph {
namespace {

struct Neighbor {
  std::int64_t vertex = 0;
  std::int64_t rank = 0;
};

// The k nearest of `self` by (weight, index), best first.
template <class T>
std::vector<std::int64_t> nearest(const T* row, std::int64_t n, std::int64_t self, std::int64_t k) {
  std::vector<std::int64_t> order;
  for (std::int64_t j = 0; j < n; ++j) {
    if (j != self && row[j] != unreachable<T>) order.push_back(j);
  }
  const auto closer = [row](std::int64_t a, std::int64_t b) {
    return std::pair(row[a], a) < std::pair(row[b], b);
  };
  const auto count = std::min(k, static_cast<std::int64_t>(order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), closer);
  order.resize(static_cast<std::size_t>(count));
  return order;
}

std::int64_t count_components(const NeighborGraph& graph) {
  const std::size_t n = graph.offsets.size() - 1;
  std::vector<bool> seen(n, false);
  std::vector<std::int64_t> stack;
  std::int64_t components = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (seen[i]) continue;
    ++components;
    seen[i] = true;
    stack.push_back(static_cast<std::int64_t>(i));
    while (!stack.empty()) {
      const auto x = static_cast<std::size_t>(stack.back());
      stack.pop_back();
      for (auto e = graph.offsets[x]; e < graph.offsets[x + 1]; ++e) {
        const std::int64_t y = graph.targets[static_cast<std::size_t>(e)];
        if (seen[static_cast<std::size_t>(y)]) continue;
        seen[static_cast<std::size_t>(y)] = true;
        stack.push_back(y);
      }
    }
  }
  return components;
}

/// Weight of the lightest edge at every vertex that the graph leaves out; unreachable if none.
template <class T>
std::vector<double> lightest_left_out(Context& context,
                                      const SquareMatrix<T>& weights,
                                      const NeighborGraph& graph) {
  const std::int64_t n = weights.size();
  std::vector<double> lightest(static_cast<std::size_t>(n), unreachable<double>);
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      auto next = graph.offsets[static_cast<std::size_t>(i)];
      const auto last = graph.offsets[static_cast<std::size_t>(i) + 1];
      double& least = lightest[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < n; ++j) {  // targets of a vertex ascend
        const bool kept = next < last && graph.targets[static_cast<std::size_t>(next)] == j;
        next += kept;
        if (kept || j == i || weights(i, j) == unreachable<T>) continue;
        least = std::min(least, static_cast<double>(weights(i, j)));
      }
    }
  });
  return lightest;
}

/// Share of pairs whose length L on the graph of nearest neighbours is that of all edges.
///   Let R(u) be the weight of the lightest edge at u that the graph leaves out. A path from i to j
///   that uses such edges follows the graph from i to an end u of the first one, and from an end v
///   of the last one to j. It is at least L(i,u) + R(u) long, likewise L(j,v) + R(v); and since one
///   edge u-v weighs at least (R(u) + R(v)) / 2 and two of them at least R(u) + R(v), it is at
///   least (L(i,u) + R(u) / 2) + (L(j,v) + R(v) / 2) long. The minima over u of these are `whole`
///   and `half`: where L(i,j) is at most one of the bounds, no edge left out shortens it. work:
///   O(n^2)
template <class T>
double certified_share(Context& context,
                       const SquareMatrix<T>& weights,
                       const NeighborGraph& graph,
                       const SquareMatrix<T>& lengths) {
  const std::int64_t n = weights.size();
  if (n < 2) return 1;
  const std::vector<double> left_out = lightest_left_out(context, weights, graph);
  const auto length = [&](std::int64_t i, std::int64_t j) {
    const T value = lengths(i, j);
    return value == unreachable<T> ? unreachable<double> : static_cast<double>(value);
  };
  std::vector<double> whole(left_out), half(left_out);
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      double& all = whole[static_cast<std::size_t>(i)];
      double& part = half[static_cast<std::size_t>(i)];
      part /= 2;
      for (std::int64_t u = 0; u < n; ++u) {
        const double here = left_out[static_cast<std::size_t>(u)];
        all = std::min(all, length(i, u) + here);
        part = std::min(part, length(i, u) + here / 2);
      }
    }
  });
  std::atomic<std::int64_t> certified{0};
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t mine = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto a = static_cast<std::size_t>(i);
      for (std::int64_t j = i + 1; j < n; ++j) {
        const auto b = static_cast<std::size_t>(j);
        mine += length(i, j) <= std::max({whole[a], whole[b], half[a] + half[b]});
      }
    }
    certified.fetch_add(mine, std::memory_order_relaxed);
  });
  return static_cast<double>(certified.load()) / static_cast<double>(n * (n - 1) / 2);
}

}  // namespace

template <class T>
NeighborGraph neighbor_graph(Context& context, const SquareMatrix<T>& weights, std::int64_t k) {
  const std::int64_t n = weights.size();
  std::vector<std::vector<std::int64_t>> chosen(static_cast<std::size_t>(n));
  context.parallel_for(n, 8, [&](std::int64_t begin, std::int64_t end) {
    context.check_cancelled();
    for (std::int64_t i = begin; i < end; ++i) {
      chosen[static_cast<std::size_t>(i)] = nearest(weights.row(i), n, i, k);
    }
  });
  // Both directions, then one of each: the edge that either end chose, with the better rank.
  std::vector<std::vector<Neighbor>> joined(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t rank = 0;
    for (const std::int64_t j : chosen[static_cast<std::size_t>(i)]) {
      joined[static_cast<std::size_t>(i)].push_back({j, ++rank});
      joined[static_cast<std::size_t>(j)].push_back({i, rank});
    }
  }
  NeighborGraph graph;
  graph.offsets.push_back(0);
  for (std::vector<Neighbor>& row : joined) {
    std::sort(row.begin(), row.end(), [](const Neighbor& a, const Neighbor& b) {
      return std::pair(a.vertex, a.rank) < std::pair(b.vertex, b.rank);
    });
    for (std::size_t e = 0; e < row.size(); ++e) {
      if (e > 0 && row[e].vertex == row[e - 1].vertex) continue;
      graph.targets.push_back(row[e].vertex);
      graph.ranks.push_back(row[e].rank);
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.targets.size()));
  }
  graph.components = count_components(graph);
  return graph;
}

template <class T>
SquareMatrix<T> close_neighbors(Context& context,
                                const SquareMatrix<T>& weights,
                                std::int64_t k,
                                FermatFacts& facts) {
  const NeighborGraph neighbors = neighbor_graph(context, weights, k);
  SparseGraph<T> graph;
  graph.offsets = neighbors.offsets;
  graph.targets = neighbors.targets;
  const std::int64_t n = weights.size();
  for (std::int64_t i = 0; i < n; ++i) {
    for (auto e = graph.offsets[static_cast<std::size_t>(i)];
         e < graph.offsets[static_cast<std::size_t>(i) + 1];
         ++e) {
      graph.weights.push_back(weights(i, graph.targets[static_cast<std::size_t>(e)]));
    }
  }
  SquareMatrix<T> lengths(n);
  std::vector<std::int64_t> sources(static_cast<std::size_t>(n));
  std::iota(sources.begin(), sources.end(), 0);
  if (context.backend() == Backend::reference) {
    reference::sparse_paths(context, graph, sources, lengths);
  } else {
    cpu::sparse_paths(context, graph, sources, SparseMethod::dijkstra, lengths);
  }
  // Sums from the other end may round differently; the smaller index is the one that counts.
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) lengths(i, j) = lengths(j, i);
  }
  // An edge is on a shortest path exactly if it is one itself.
  for (std::int64_t i = 0; i < n; ++i) {
    for (auto e = graph.offsets[static_cast<std::size_t>(i)];
         e < graph.offsets[static_cast<std::size_t>(i) + 1];
         ++e) {
      const auto edge = static_cast<std::size_t>(e);
      if (lengths(i, graph.targets[edge]) != graph.weights[edge]) continue;
      facts.max_neighbor_rank = std::max(facts.max_neighbor_rank, neighbors.ranks[edge]);
    }
  }
  facts.components = neighbors.components;
  facts.certified = certified_share(context, weights, neighbors, lengths);
  return lengths;
}

template <class T>
void keep_neighbors(Context& context, SquareMatrix<T>& weights, std::int64_t k) {
  const NeighborGraph graph = neighbor_graph(context, weights, k);
  const std::int64_t n = weights.size();
  context.parallel_for(n, 16, [&](std::int64_t begin, std::int64_t end) {
    std::vector<bool> edge(static_cast<std::size_t>(n));
    for (std::int64_t i = begin; i < end; ++i) {
      const auto first = graph.targets.begin() + graph.offsets[static_cast<std::size_t>(i)];
      const auto last = graph.targets.begin() + graph.offsets[static_cast<std::size_t>(i) + 1];
      edge.assign(edge.size(), false);
      std::for_each(first, last, [&](std::int64_t j) { edge[static_cast<std::size_t>(j)] = true; });
      for (std::int64_t j = 0; j < n; ++j) {
        if (j != i && !edge[static_cast<std::size_t>(j)]) weights(i, j) = unreachable<T>;
      }
    }
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, keep_neighbors, neighbor_graph, close_neighbors)

}  // namespace yupana::graph
