// Searches over the rows as they are given: a graph is never copied.
#include <algorithm>
#include <functional>
#include <utility>

#include "yupana/core/instantiate.hpp"
#include "yupana/graph/sparse_backends.hpp"

namespace yupana::graph::cpu {
namespace {

/// Calls edge(target, weight) for the edges of a vertex, those of weight `unreachable` left out.
template <class T, class Edge>
void for_edges(const SparseGraph<T>& graph, std::int64_t vertex, const Edge& edge) {
  const auto at = static_cast<std::size_t>(vertex);
  const std::int64_t* const targets = graph.targets.data();
  const T* const weights = graph.weights.empty() ? nullptr : graph.weights.data();
  const std::int64_t last = graph.offsets[at + 1];
  for (std::int64_t e = graph.offsets[at]; e < last; ++e) {
    const T weight = weights == nullptr ? T{1} : weights[e];
    if (weight == unreachable<T>) continue;
    edge(static_cast<std::size_t>(targets[e]), static_cast<Length<T>>(weight));
  }
}

/// What a search knows of every vertex: its length so far, and the vertex before it (-1: none).
template <class L>
struct Search {
  std::vector<L> length;
  std::vector<std::int32_t> before;

  Search(std::int64_t vertices, L start)
      : length(static_cast<std::size_t>(vertices), start), before(length.size(), -1) {}
  void start(std::int64_t source) {
    std::fill(length.begin(), length.end(), unreachable<L>);
    std::fill(before.begin(), before.end(), -1);
    length[static_cast<std::size_t>(source)] = 0;
  }
  /// Whether the way to `to` through `from` is shorter: it is taken then.
  bool shorten(std::int64_t from, std::size_t to, L there) {
    if (!(there < length[to])) return false;
    length[to] = there;
    before[to] = static_cast<std::int32_t>(from);
    return true;
  }
};

// n steps back from an edge that still improves lead onto a cycle.
template <class L>
[[noreturn]] void throw_cycle_before(const Search<L>& search, std::int64_t vertex) {
  for (std::size_t step = 0; step < search.before.size(); ++step) {
    vertex = search.before[static_cast<std::size_t>(vertex)];
  }
  throw_negative_cycle(vertex);
}

// Potentials h with w(u, v) + h(u) - h(v) >= 0 for every edge (Johnson 1977): shortest lengths from
// an added vertex with an edge of length zero to each, which is what starting everywhere at zero
// comes to (Bellman-Ford).
template <class T>
std::vector<Length<T>> potentials(Context& context, const SparseGraph<T>& graph) {
  const std::int64_t n = graph.vertices();
  Search<Length<T>> search(n, 0);
  bool changed = true;
  for (std::int64_t round = 0; changed; ++round) {
    context.check_cancelled();
    changed = false;
    for (std::int64_t i = 0; i < n; ++i) {
      for_edges(graph, i, [&](std::size_t to, Length<T> weight) {
        const bool shorter =
            search.shorten(i, to, search.length[static_cast<std::size_t>(i)] + weight);
        if (shorter && round >= n) throw_cycle_before(search, i);
        changed |= shorter;
      });
    }
  }
  return std::move(search.length);
}

/// `open` is room for a heap. Each way to a vertex is in it once; those that a shorter one has
/// overtaken are passed over. With potentials `h` edges are raised by them.
template <class T, class L = Length<T>>
void dijkstra(const SparseGraph<T>& graph,
              const std::vector<L>& h,
              std::int64_t source,
              Search<L>& search,
              std::vector<std::pair<L, std::int64_t>>& open) {
  open.assign(1, {L{0}, source});
  while (!open.empty()) {
    std::pop_heap(open.begin(), open.end(), std::greater<>());
    const auto [here, from] = open.back();
    open.pop_back();
    const auto x = static_cast<std::size_t>(from);
    if (here != search.length[x]) continue;
    const L* const raise = h.empty() ? nullptr : h.data();
    L* const length = search.length.data();
    for_edges(graph, from, [&, here = here, from = from](std::size_t to, L weight) {
      // Rounding may leave a negative trace.
      if (raise != nullptr) weight = std::max(weight + raise[x] - raise[to], L{0});
      if (!(here + weight < length[to])) return;
      search.shorten(from, to, here + weight);
      open.emplace_back(here + weight, static_cast<std::int64_t>(to));
      std::push_heap(open.begin(), open.end(), std::greater<>());
    });
  }
}

/// `open` is room for the vertices that are reached, in their order.
template <class T, class L = Length<T>>
void breadth_first(const SparseGraph<T>& graph,
                   std::int64_t source,
                   Search<L>& search,
                   std::vector<std::pair<L, std::int64_t>>& open) {
  open.assign(1, {L{0}, source});
  for (std::size_t next = 0; next < open.size(); ++next) {
    const auto [here, from] = open[next];
    for_edges(graph, from, [&, here = here, from = from](std::size_t to, L) {
      if (search.length[to] != unreachable<L>) return;
      search.shorten(from, to, here + 1);
      open.emplace_back(here + 1, static_cast<std::int64_t>(to));
    });
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
  std::vector<L> h;
  if (method == SparseMethod::johnson) h = potentials(context, graph);
  const auto count = static_cast<std::int64_t>(sources.size());
  Stage stage(context, "sparse shortest paths", static_cast<double>(count), "sources");
  context.parallel_for(count, 1, [&](std::int64_t begin, std::int64_t end) {
    Search<L> search(graph.vertices(), 0);
    std::vector<std::pair<L, std::int64_t>> open;
    for (std::int64_t s = begin; s < end; ++s) {
      const std::int64_t source = sources[static_cast<std::size_t>(s)];
      search.start(source);
      if (method == SparseMethod::bfs) {
        breadth_first(graph, source, search, open);
      } else {
        dijkstra(graph, h, source, search, open);
      }
      for (std::int64_t j = 0; j < graph.vertices(); ++j) {
        L l = search.length[static_cast<std::size_t>(j)];
        if (!h.empty() && l != unreachable<L>) {
          l += h[static_cast<std::size_t>(j)] - h[static_cast<std::size_t>(source)];
        }
        lengths(s, j) = narrow<T>(l, too_long);
      }
      if (predecessors != nullptr) {
        std::copy(search.before.begin(), search.before.end(), predecessors->row(s));
      }
      stage.advance(1);
    }
  });
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, sparse_paths)

}  // namespace yupana::graph::cpu
