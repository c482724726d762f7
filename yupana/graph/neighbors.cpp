#include <algorithm>
#include <atomic>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph {
namespace {

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

/// The smaller rank, from 1, of i and j among each other's k nearest; 0 where neither is. Joined
/// so, neighbours go both ways.
template <class T>
SquareMatrix<std::int32_t> neighbor_ranks(Context& context,
                                          const SquareMatrix<T>& weights,
                                          std::int64_t k) {
  const std::int64_t n = weights.size();
  SquareMatrix<std::int32_t> ranks(n);
  context.parallel_for(n, 8, [&](std::int64_t i) {
    context.check_cancelled();
    std::fill_n(ranks.row(i), n, 0);
    std::int32_t rank = 0;
    for (const std::int64_t j : nearest(weights.row(i), n, i, k)) ranks(i, j) = ++rank;
  });
  context.parallel_for(n, 16, [&](std::int64_t i) {
    for (std::int64_t j = i + 1; j < n; ++j) {
      std::int32_t &there = ranks(i, j), &back = ranks(j, i);
      if (there == 0 || (back != 0 && back < there)) there = back;
      back = there;
    }
  });
  return ranks;
}

template <class T>
SparseGraph<T> graph_of(const SquareMatrix<T>& weights, const SquareMatrix<std::int32_t>& ranks) {
  const std::int64_t n = weights.size();
  const auto edges =
      static_cast<std::size_t>(n * n - std::count(ranks.data(), ranks.data() + n * n, 0));
  SparseGraph<T> graph;
  graph.targets.reserve(edges);
  graph.weights.reserve(edges);
  graph.offsets.push_back(0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (ranks(i, j) == 0) continue;
      graph.targets.push_back(j);
      graph.weights.push_back(weights(i, j));
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.targets.size()));
  }
  return graph;
}

/// Weight of the lightest edge at every vertex that the graph leaves out; unreachable if none.
template <class T>
std::vector<double> lightest_left_out(Context& context,
                                      const SquareMatrix<T>& weights,
                                      const SquareMatrix<std::int32_t>& ranks) {
  const std::int64_t n = weights.size();
  std::vector<double> lightest(static_cast<std::size_t>(n), unreachable<double>);
  context.parallel_for(n, 16, [&](std::int64_t i) {
    double& least = lightest[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < n; ++j) {
      if (ranks(i, j) != 0 || j == i || weights(i, j) == unreachable<T>) continue;
      least = std::min(least, static_cast<double>(weights(i, j)));
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
                       const SquareMatrix<std::int32_t>& ranks,
                       const SquareMatrix<T>& lengths) {
  const std::int64_t n = weights.size();
  if (n < 2) return 1;
  const std::vector<double> left_out = lightest_left_out(context, weights, ranks);
  const auto length = [&](std::int64_t i, std::int64_t j) {
    const T value = lengths(i, j);
    return value == unreachable<T> ? unreachable<double> : static_cast<double>(value);
  };
  std::vector<double> whole(left_out), half(left_out);
  context.parallel_for(n, 16, [&](std::int64_t i) {
    double& all = whole[static_cast<std::size_t>(i)];
    double& part = half[static_cast<std::size_t>(i)];
    part /= 2;
    for (std::int64_t u = 0; u < n; ++u) {
      const double here = left_out[static_cast<std::size_t>(u)];
      all = std::min(all, length(i, u) + here);
      part = std::min(part, length(i, u) + here / 2);
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

template <class T>
void search_from_all(Context& context, const SparseGraph<T>& graph, SquareMatrix<T>& lengths) {
  auto sources = first_integers<std::int64_t>(lengths.size());
  if (context.backend() == Backend::reference) {
    reference::sparse_paths(context, graph, sources, lengths);
  } else {
    cpu::sparse_paths(context, graph, sources, SparseMethod::dijkstra, lengths);
  }
}

}  // namespace

template <class T>
SquareMatrix<T> close_neighbors(Context& context,
                                const SquareMatrix<T>& weights,
                                std::int64_t k,
                                FermatFacts& facts) {
  const SquareMatrix<std::int32_t> ranks = neighbor_ranks(context, weights, k);
  const std::int64_t n = weights.size();
  SquareMatrix<T> lengths(n);
  search_from_all(context, graph_of(weights, ranks), lengths);
  // Sums from the other end may round differently; the smaller index is the one that counts.
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) lengths(i, j) = lengths(j, i);
  }
  // An edge is on a shortest path exactly if it is one itself.
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (ranks(i, j) <= facts.max_neighbor_rank || lengths(i, j) != weights(i, j)) continue;
      facts.max_neighbor_rank = ranks(i, j);
    }
  }
  facts.certified = certified_share(context, weights, ranks, lengths);
  return lengths;
}

template <class T>
void keep_neighbors(Context& context, SquareMatrix<T>& weights, std::int64_t k) {
  if (k < 0) throw usage_error("k: expected 0 or more neighbours, got {}", k);
  const SquareMatrix<std::int32_t> ranks = neighbor_ranks(context, weights, k);
  const std::int64_t n = weights.size();
  context.parallel_for(n, 16, [&](std::int64_t i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (j != i && ranks(i, j) == 0) weights(i, j) = unreachable<T>;
    }
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, keep_neighbors, close_neighbors)

}  // namespace yupana::graph
