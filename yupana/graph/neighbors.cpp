#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
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

// Farthest first (Gonzalez 1985): each next landmark is the vertex whose nearest landmark is
// farthest by weight, the smallest index among equals. `unreachable` is farthest of all, so that
// every component gets a landmark before any gets two.
template <class T>
std::vector<std::int64_t> choose_landmarks(const SquareMatrix<T>& w,
                                           std::int64_t count,
                                           std::uint64_t seed) {
  const std::int64_t n = w.size();
  std::vector<std::int64_t> landmarks;
  std::vector<T> nearest(static_cast<std::size_t>(n), unreachable<T>);
  auto next = static_cast<std::int64_t>(Random(seed).word(0) % static_cast<std::uint64_t>(n));
  std::vector<bool> taken(static_cast<std::size_t>(n), false);
  while (static_cast<std::int64_t>(landmarks.size()) < count) {
    landmarks.push_back(next);
    taken[static_cast<std::size_t>(next)] = true;
    std::int64_t farthest = -1;
    for (std::int64_t j = 0; j < n; ++j) {
      T& here = nearest[static_cast<std::size_t>(j)];
      here = std::min(here, w(next, j));
      if (taken[static_cast<std::size_t>(j)]) continue;
      if (farthest < 0 || here > nearest[static_cast<std::size_t>(farthest)]) farthest = j;
    }
    next = farthest;
  }
  return landmarks;
}

// Dijkstra's search on a complete graph: the nearest open vertex by a scan, n^2 steps in all.
template <class T>
void lengths_from(const SquareMatrix<T>& w, std::int64_t source, Length<T>* length) {
  using L = Length<T>;
  const std::int64_t n = w.size();
  std::fill_n(length, n, unreachable<L>);
  std::vector<std::int64_t> open(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) open[static_cast<std::size_t>(i)] = i;
  length[source] = 0;
  while (!open.empty()) {
    std::size_t best = 0;
    for (std::size_t o = 1; o < open.size(); ++o) {
      if (length[open[o]] < length[open[best]]) best = o;
    }
    const std::int64_t x = open[best];
    open[best] = open.back();
    open.pop_back();
    const L here = length[x];
    if (here == unreachable<L>) break;
    for (const std::int64_t y : open) {
      if (w(x, y) == unreachable<T>) continue;
      length[y] = std::min(length[y], here + static_cast<L>(w(x, y)));
    }
  }
}

// |a - b|, less what the rounding of two sums of up to `edges` terms can add to it where they
// nearly cancel. A landmark's own length is 0, and the difference exact.
template <class L>
L difference(L a, L b, std::int64_t edges) {
  const L apart = a > b ? a - b : b - a;
  if constexpr (std::is_integral_v<L>) {
    return apart;
  } else {
    if (std::min(a, b) == 0) return apart;
    return std::max(L{0},
                    apart - static_cast<L>(edges) * std::numeric_limits<L>::epsilon() * (a + b));
  }
}

// The nearest T that is not above `length`.
template <class T>
T rounded_down(Length<T> length) {
  const T value = narrow<T>(length, TooLong::unreachable);
  if constexpr (std::is_same_v<T, float>) {
    if (static_cast<double>(value) > length) return std::nextafter(value, 0.0F);
  }
  return value;
}

template <class T>
T estimate(T weight,
           const Length<T>* from_i,
           const Length<T>* from_j,
           const Matrix<Length<T>>& tables,
           LandmarkEstimate kind) {
  using L = Length<T>;
  L longest = unreachable<L>;
  L shortest = 0;
  for (std::int64_t l = 0; l < tables.cols(); ++l) {
    const bool far_i = from_i[l] == unreachable<L>;
    const bool far_j = from_j[l] == unreachable<L>;
    if (far_i && far_j) continue;
    // A landmark that reaches one of the two only proves them apart.
    if (far_i || far_j) return unreachable<T>;
    longest = std::min(longest, from_i[l] + from_j[l]);
    shortest = std::max(shortest, difference(from_i[l], from_j[l], tables.rows()));
  }
  const T upper = std::min(weight, narrow<T>(longest, TooLong::unreachable));
  const T lower = std::min(upper, rounded_down<T>(shortest));
  if (kind == LandmarkEstimate::lower) return lower;
  if (kind == LandmarkEstimate::upper || upper == unreachable<T>) return upper;
  return lower + (upper - lower) / 2;
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

template <class T>
std::int64_t estimate_by_landmarks(Context& context,
                                   SquareMatrix<T>& weights,
                                   const FermatParams& params) {
  const std::int64_t n = weights.size();
  const std::int64_t count = std::min(params.landmarks, n);
  const auto landmarks = choose_landmarks(weights, count, params.seed);
  // Sums stay in the wider type: the lower bound is a difference of them.
  Matrix<Length<T>> lengths(count, n);  // one row a landmark
  {
    Stage stage(context, "landmarks", static_cast<double>(count), "landmarks");
    context.parallel_for(count, 1, [&](std::int64_t l) {
      lengths_from(weights, landmarks[static_cast<std::size_t>(l)], lengths.row(l));
      stage.advance(1);
    });
  }
  Matrix<Length<T>> of_vertex(n, count);
  for (std::int64_t l = 0; l < count; ++l) {
    for (std::int64_t i = 0; i < n; ++i) of_vertex(i, l) = lengths(l, i);
  }
  std::atomic<std::int64_t> kept{0};
  Stage stage(context, "landmark estimates", static_cast<double>(n), "rows");
  context.parallel_for(n, 4, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t equal = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        const T weight = weights(i, j);
        const T value =
            estimate(weight, of_vertex.row(i), of_vertex.row(j), of_vertex, params.estimate);
        equal += value == weight;
        weights(i, j) = weights(j, i) = value;
      }
    }
    kept.fetch_add(equal, std::memory_order_relaxed);
    stage.advance(static_cast<double>(end - begin));
  });
  return kept.load();
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, estimate_by_landmarks)

}  // namespace yupana::graph
