#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/families.hpp"
#include "yupana/graph/fermat_backends.hpp"
#include "yupana/graph/shortest_paths_backends.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph::cpu {
namespace {

// The certificate. Let nn(i) be the smallest weight of an edge at i, weights W not negative.
//  (1) A path from i to j of two or more edges has a first edge at i and another, last edge at j:
//  it
//      is at least nn(i) + nn(j) long. So W(i, j) <= nn(i) + nn(j) proves the edge i-j its own
//      shortest path. Call the other pairs open.
//  (2) A path of two or more edges that uses the edge k-l has a second edge, next to it, at k or at
//      l: it is at least W(k, l) + min(nn(k), nn(l)) long. If it shortens an open pair, it is
//      shorter than the largest open weight. So an edge with W(k, l) + min(nn(k), nn(l)) not below
//      that weight is on no such path and may be dropped.
// In floating point a rounded sum is monotone in each term: rounded lengths of paths, in any order
// of summation, obey the same rounded bounds, and dropping edges changes no bit of a closure. (The
// search then sums in double and rounds once, which may differ from a float closure in the last
// bits.)
template <class T>
std::vector<T> nearest(Context& context, const SquareMatrix<T>& w) {
  const std::int64_t n = w.size();
  std::vector<T> nn(static_cast<std::size_t>(n));
  const auto scan = simd_table<T>().scan_weights;
  context.parallel_for(n, 64, [&](std::int64_t i) {
    WeightStats<T> stats = {unreachable<T>, T{0}, false, false, false};
    scan(w.row(i), i, stats);
    scan(w.row(i) + i + 1, n - i - 1, stats);
    nn[static_cast<std::size_t>(i)] = stats.smallest;
  });
  return nn;
}

template <class T>
struct OpenPairs {
  std::vector<std::int64_t> count;  ///< of each row i, over j > i
  std::int64_t total = 0;
  T largest = 0;
};

template <class T>
OpenPairs<T> open_pairs(Context& context, const SquareMatrix<T>& w, const std::vector<T>& nn) {
  const std::int64_t n = w.size();
  OpenPairs<T> open;
  open.count.resize(static_cast<std::size_t>(n));
  std::vector<T> largest(static_cast<std::size_t>(n), T{0});
  context.parallel_for(n, 16, [&](std::int64_t i) {
    context.check_cancelled();
    const T* row = w.row(i);
    const T here = nn[static_cast<std::size_t>(i)];
    std::int32_t count = 0;
    T most = 0;
    for (std::int64_t j = i + 1; j < n; ++j) {
      const bool is_open = row[j] > here + nn[static_cast<std::size_t>(j)];
      count += is_open;
      const T weight = is_open ? row[j] : T{0};
      most = weight > most ? weight : most;
    }
    open.count[static_cast<std::size_t>(i)] = count;
    largest[static_cast<std::size_t>(i)] = most;
  });
  for (std::size_t i = 0; i < open.count.size(); ++i) {
    open.total += open.count[i];
    open.largest = std::max(open.largest, largest[i]);
  }
  return open;
}

template <class T>
bool useful(T weight, T nn_k, T nn_l, T largest_open) {
  return weight + std::min(nn_k, nn_l) < largest_open;
}

template <class T>
std::vector<std::int64_t> useful_edges(Context& context,
                                       const SquareMatrix<T>& w,
                                       const std::vector<T>& nn,
                                       T largest_open) {
  const std::int64_t n = w.size();
  std::vector<std::int64_t> counts(static_cast<std::size_t>(n), 0);
  context.parallel_for(n, 16, [&](std::int64_t i) {
    context.check_cancelled();
    const T here = nn[static_cast<std::size_t>(i)];
    std::int32_t count = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      count += useful(w(i, j), here, nn[static_cast<std::size_t>(j)], largest_open);
    }
    count -= useful(T{0}, here, here, largest_open);  // the diagonal
    counts[static_cast<std::size_t>(i)] = count;
  });
  return counts;
}

template <class T>
SparseGraph<T> useful_graph(const SquareMatrix<T>& w,
                            const std::vector<T>& nn,
                            T largest_open,
                            std::int64_t edges) {
  SparseGraph<T> graph;
  graph.offsets.push_back(0);
  graph.targets.reserve(static_cast<std::size_t>(edges));
  graph.weights.reserve(static_cast<std::size_t>(edges));
  for (std::int64_t i = 0; i < w.size(); ++i) {
    for (std::int64_t j = 0; j < w.size(); ++j) {
      const T least = std::min(nn[static_cast<std::size_t>(i)], nn[static_cast<std::size_t>(j)]);
      if (j == i || !useful(w(i, j), least, least, largest_open)) continue;
      graph.targets.push_back(j);
      graph.weights.push_back(w(i, j));
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.targets.size()));
  }
  return graph;
}

// Searches from every vertex that has an open pair with a later one; returns how many weights fell.
template <class T>
std::int64_t search_open(Context& context,
                         SquareMatrix<T>& w,
                         const SparseGraph<T>& graph,
                         const OpenPairs<T>& open,
                         const std::vector<T>& nn) {
  constexpr std::int64_t batch = 256;  // rows of lengths held at once
  std::vector<std::int64_t> sources;
  for (std::int64_t i = 0; i < w.size(); ++i) {
    if (open.count[static_cast<std::size_t>(i)] > 0) sources.push_back(i);
  }
  std::int64_t fallen = 0;
  for (std::size_t first = 0; first < sources.size(); first += batch) {
    const std::vector<std::int64_t> some(
        sources.begin() + static_cast<std::ptrdiff_t>(first),
        sources.begin() + static_cast<std::ptrdiff_t>(std::min(first + batch, sources.size())));
    Matrix<T> lengths(static_cast<std::int64_t>(some.size()), w.size());
    sparse_paths(context, graph, some, SparseMethod::dijkstra, lengths, TooLong::unreachable);
    for (std::size_t s = 0; s < some.size(); ++s) {
      const std::int64_t i = some[s];
      for (std::int64_t j = i + 1; j < w.size(); ++j) {
        const T bound = nn[static_cast<std::size_t>(i)] + nn[static_cast<std::size_t>(j)];
        const T length = lengths(static_cast<std::int64_t>(s), j);
        if (w(i, j) <= bound || !(length < w(i, j))) continue;
        w(i, j) = w(j, i) = length;
        ++fallen;
      }
    }
  }
  return fallen;
}

// True if searching costs less than closing. Seconds of one thread: a relaxed edge of a search 8
// ns, a settled vertex 100 ns (estimates for Zen 4, not measured each; a factor of two either way
// moves the choice only where both take about as long).
bool search_pays(double sources, double edges, double n, double dense_seconds) {
  return sources * (edges * 8e-9 + n * 100e-9) < dense_seconds;
}

// Families cost about as much as the closure here (one thread of Zen 4: both 16 ms); at n = 4,096
// they settle a cohort of relatives in 0.23 s where the closure takes 0.75 s, and trying in vain
// costs 7 % of it.
constexpr std::int64_t min_for_families = 1024;

// Settles what the certificate can: with `lengths` = W and `out` = nn, or with Y and the exits of
// families. Returns how many lengths fell below their old value, or -1 if a closure is needed.
template <class T>
std::int64_t certify(Context& context,
                     SquareMatrix<T>& lengths,
                     const std::vector<T>& out,
                     const std::string& found,
                     double dense_seconds,
                     ClosureResult& result) {
  const std::int64_t n = lengths.size();
  const double pairs = static_cast<double>(n) * static_cast<double>(n - 1) / 2;
  const OpenPairs<T> open = open_pairs(context, lengths, out);
  result.certified = 1 - static_cast<double>(open.total) / pairs;
  result.method = fmt::format("every pair certified {}", found);
  if (open.total == 0) return 0;
  const auto counts = useful_edges(context, lengths, out, open.largest);
  const std::int64_t edges = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto sources = std::count_if(
      open.count.begin(), open.count.end(), [](std::int64_t count) { return count > 0; });
  if (!search_pays(static_cast<double>(sources),
                   static_cast<double>(edges),
                   static_cast<double>(n),
                   dense_seconds)) {
    return -1;
  }
  const SparseGraph<T> graph = useful_graph(lengths, out, open.largest, edges);
  result.method = fmt::format("certificate {}, then Dijkstra on the edges left", found);
  return search_open(context, lengths, graph, open, out);
}

// True if lengths through families are likely to settle most pairs, and have room.
template <class T>
bool families_pay(Context& context, const SquareMatrix<T>& w, const Families<T>& families) {
  const auto bytes = static_cast<double>(w.size()) * static_cast<double>(w.size()) * sizeof(T);
  return 2 * bytes < static_cast<double>(context.memory()) && settled_share(w, families) > 0.9;
}

}  // namespace

template <class T>
DenseClosure<T> dense_closure(const Context&, std::int64_t n) {
  const auto size = static_cast<double>(n);
  // 0.02 ns an add+min, estimated for Zen 4.
  return {
      shortest_paths_symmetric<T>, "symmetric R-Kleene", size * size * size / 2 * 0.02e-9, true};
}

template <class T>
ClosureResult compute_closure(Context& context,
                              SquareMatrix<T>& weights,
                              bool prune,
                              const DenseClosure<T>& dense) {
  ClosureResult result;
  const std::int64_t n = weights.size();
  if (prune && n > 1) {
    std::optional<Stage> stage(std::in_place, context, "certificate");
    const std::vector<T> nn = nearest(context, weights);
    const std::int64_t fallen =
        certify(context, weights, nn, "by nearest neighbours", dense.seconds, result);
    if (fallen >= 0) {
      result.kept = n * (n - 1) / 2 - fallen;
      return result;
    }
    if (dense.families && n >= min_for_families) {
      const Families<T> families = find_families(context, weights);
      if (families_pay(context, weights, families)) {
        SquareMatrix<T> lengths = through_families(context, weights, families);
        if (certify(context, lengths, families.out, "by families", dense.seconds, result) < 0) {
          stage.reset();
          dense.compute(context, lengths.view());
          result.method = dense.method;
        }
        result.kept = equal_pairs(context, weights, lengths);
        weights = std::move(lengths);
        return result;
      }
    }
  }
  result.kept = dense.compute(context, weights.view());
  result.method = dense.method;
  return result;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, dense_closure, compute_closure)

}  // namespace yupana::graph::cpu
