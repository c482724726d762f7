#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>
#include <vector>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/paths_backends.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {
namespace {

template <class T>
void check_pair(MatrixView<const T> weights, MatrixView<const T> closure) {
  if (weights.rows == weights.cols && closure.rows == weights.rows &&
      closure.cols == weights.cols) {
    return;
  }
  throw input_error(
      "paths: weights ({} x {}) and their closure ({} x {}) must be square and of one size",
      weights.rows,
      weights.cols,
      closure.rows,
      closure.cols);
}

// How much longer the way from the source to j gets when its last edge comes from k: zero on a
// shortest path, but for rounding. `unreachable` if there is no such way. lengths: from the source.
template <class T>
double detour(T weight, const T* lengths, std::int64_t k, std::int64_t j) {
  if (weight == unreachable<T> || lengths[k] == unreachable<T>) return unreachable<double>;
  return std::max(0.0,
                  static_cast<double>(lengths[k]) + static_cast<double>(weight) -
                      static_cast<double>(lengths[j]));
}

struct Label {
  double detour = unreachable<double>;
  std::int64_t steps = 0;
  std::int64_t next = -1;  ///< ties: the smaller one
  auto key() const { return std::tie(detour, steps, next); }
};

// Dijkstra's search in which an edge counts as what it adds to the shortest length: it settles only
// vertices on shortest paths (and, with rounding, those about as good). Least detour first, then
// fewest steps, then smallest vertex, so that edges of length zero cannot lead it in circles.
// expand(x, f) calls f(y, detour of the edge between y and x).
template <class Expand>
std::vector<Label> search(std::int64_t n,
                          std::int64_t from,
                          std::int64_t until,
                          const Expand& expand) {
  using Entry = std::tuple<double, std::int64_t, std::int64_t>;  // detour, steps, vertex
  std::vector<Label> labels(static_cast<std::size_t>(n));
  std::vector<bool> settled(static_cast<std::size_t>(n), false);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  labels[static_cast<std::size_t>(from)] = {0, 0, -1};
  queue.emplace(0, 0, from);
  while (!queue.empty()) {
    const std::int64_t x = std::get<2>(queue.top());
    queue.pop();
    if (settled[static_cast<std::size_t>(x)]) continue;
    settled[static_cast<std::size_t>(x)] = true;
    if (x == until) break;
    const Label here = labels[static_cast<std::size_t>(x)];
    expand(x, [&](std::int64_t y, double added) {
      if (settled[static_cast<std::size_t>(y)] || added == unreachable<double>) return;
      Label& there = labels[static_cast<std::size_t>(y)];
      const Label offered = {here.detour + added, here.steps + 1, x};
      if (!(offered.key() < there.key())) return;
      there = offered;
      queue.emplace(offered.detour, offered.steps, y);
    });
  }
  return labels;
}

template <class T>
void complete(MatrixView<const T> weights,
              MatrixView<const T> closure,
              std::int64_t source,
              std::int32_t* row) {
  const auto row_of = [&](std::int64_t x) { return weights.row(x); };
  complete_by_rows<T>(
      closure.row(source), weights.rows, FunctionView<const T*(std::int64_t)>(row_of), source, row);
}

// The edges that can be on a shortest path: those about as short as the way between their ends. Of
// random weights they are few.
struct UsefulEdges {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> heads;
  bool empty() const { return offsets.empty(); }
};

// The largest length, but for `unreachable`.
template <class T>
double longest(Context& context, MatrixView<const T> closure) {
  std::vector<double> largest(static_cast<std::size_t>(closure.rows), 0);
  context.parallel_for(closure.rows, 1, [&](std::int64_t i) {
    for (std::int64_t j = 0; j < closure.cols; ++j) {
      if (closure(i, j) == unreachable<T>) continue;
      double& so_far = largest[static_cast<std::size_t>(i)];
      so_far = std::max(so_far, std::abs(static_cast<double>(closure(i, j))));
    }
  });
  return largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
}

// Empty where they are not few: then most vertices are one step from each other, and to look at all
// is no work.
template <class T>
UsefulEdges useful_edges(Context& context,
                         MatrixView<const T> weights,
                         MatrixView<const T> closure) {
  // A detour within `slack` of any length, and the rounding of the sum that it is told by.
  const double allowed = 2 * slack<T>() * longest(context, closure);
  const auto is_useful = [&](std::int64_t i, std::int64_t j) {
    if (i == j || weights(i, j) == unreachable<T>) return false;
    return static_cast<double>(weights(i, j)) - static_cast<double>(closure(i, j)) <= allowed;
  };
  const std::int64_t n = weights.rows;
  UsefulEdges edges;
  edges.offsets.resize(static_cast<std::size_t>(n) + 1);
  const auto each_row = [&](const auto& visit) {
    context.parallel_for(n, 1, [&](std::int64_t i) { visit(i); });
  };
  each_row([&](std::int64_t i) {
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < n; ++j) count += is_useful(i, j);
    edges.offsets[static_cast<std::size_t>(i) + 1] = count;
  });
  std::partial_sum(edges.offsets.begin(), edges.offsets.end(), edges.offsets.begin());
  if (edges.offsets.back() > n * n / 8) return {};
  edges.heads.resize(static_cast<std::size_t>(edges.offsets.back()));
  each_row([&](std::int64_t i) {
    auto at = static_cast<std::size_t>(edges.offsets[static_cast<std::size_t>(i)]);
    for (std::int64_t j = 0; j < n; ++j) {
      if (is_useful(i, j)) edges.heads[at++] = static_cast<std::int32_t>(j);
    }
  });
  return edges;
}

// Layer by layer from the source: a vertex in layer h + 1 has a shortest path of h + 1 steps whose
// last vertex but one is the smallest of layer h that will do.
template <class T>
void predecessor_row(MatrixView<const T> weights,
                     MatrixView<const T> closure,
                     const UsefulEdges& useful,
                     std::int64_t source,
                     std::int32_t* row) {
  const std::int64_t n = weights.rows;
  std::vector<std::int32_t> open;
  for (std::int64_t j = 0; j < n; ++j) {
    row[j] = -1;
    if (j != source && closure(source, j) != unreachable<T>) {
      open.push_back(static_cast<std::int32_t>(j));
    }
  }
  const auto is_after = [&](std::int64_t k, std::int64_t j) {
    if (closure(source, j) == unreachable<T>) return false;
    const double allowed = slack<T>() * std::abs(static_cast<double>(closure(source, j)));
    return detour(weights(k, j), closure.row(source), k, j) <= allowed;
  };
  std::vector<std::int32_t> layer = {static_cast<std::int32_t>(source)};
  std::size_t left = open.size();
  while (!layer.empty() && left > 0) {
    std::vector<std::int32_t> reached;
    const auto look_at = [&](std::int32_t k, std::int32_t j) {
      if (row[j] >= 0 || j == source || !is_after(k, j)) return false;
      row[j] = k;
      reached.push_back(j);
      return true;
    };
    for (const std::int32_t k : layer) {
      if (useful.empty()) {
        std::erase_if(open, [&](std::int32_t j) { return look_at(k, j); });
        continue;
      }
      const auto first = useful.heads.begin();
      std::for_each(first + useful.offsets[static_cast<std::size_t>(k)],
                    first + useful.offsets[static_cast<std::size_t>(k) + 1],
                    [&](std::int32_t j) { look_at(k, j); });
    }
    std::sort(reached.begin(), reached.end());
    left -= reached.size();
    layer = std::move(reached);
  }
  if (left > 0) complete(weights, closure, source, row);
}

}  // namespace

template <class T>
void complete_by_rows(const T* closure_row,
                      std::int64_t n,
                      FunctionView<const T*(std::int64_t)> row_of,
                      std::int64_t source,
                      std::int32_t* row) {
  const auto labels = search(n, source, -1, [&](std::int64_t x, const auto& offer) {
    const T* const edges = row_of(x);
    for (std::int64_t y = 0; y < n; ++y) {
      if (y != x) offer(y, detour(edges[y], closure_row, x, y));
    }
  });
  for (std::int64_t j = 0; j < n; ++j) {
    row[j] = static_cast<std::int32_t>(labels[static_cast<std::size_t>(j)].next);
  }
}

template <class T>
std::vector<std::int64_t> path_by_columns(const T* closure_row,
                                          std::int64_t n,
                                          FunctionView<const T*(std::int64_t)> column_of,
                                          std::int64_t u,
                                          std::int64_t v) {
  if (u == v) return {u};
  if (closure_row[v] == unreachable<T>) return {};
  // Backwards from v, so that ties are settled by the next vertex on the way there.
  const auto labels = search(n, v, u, [&](std::int64_t y, const auto& offer) {
    const T* const column = column_of(y);
    for (std::int64_t x = 0; x < n; ++x) {
      if (x != y) offer(x, detour(column[x], closure_row, x, y));
    }
  });
  std::vector<std::int64_t> vertices;
  for (std::int64_t x = u; x >= 0; x = labels[static_cast<std::size_t>(x)].next) {
    vertices.push_back(x);
  }
  if (vertices.back() != v) {
    throw input_error(
        "path: the lengths are not the closure of these weights; pass the weights that "
        "shortest_paths was given");
  }
  return vertices;
}

template <class T>
std::vector<std::int64_t> path(MatrixView<const T> weights,
                               MatrixView<const T> closure,
                               std::int64_t u,
                               std::int64_t v) {
  check_pair(weights, closure);
  const std::int64_t n = weights.rows;
  if (u < 0 || v < 0 || u >= n || v >= n) {
    throw usage_error("path: expected vertices from 0 to {}, got {} and {}", n - 1, u, v);
  }
  std::vector<T> column(static_cast<std::size_t>(n));
  const auto column_of = [&](std::int64_t y) {
    for (std::int64_t x = 0; x < n; ++x) column[static_cast<std::size_t>(x)] = weights(x, y);
    return static_cast<const T*>(column.data());
  };
  return path_by_columns<T>(
      closure.row(u), n, FunctionView<const T*(std::int64_t)>(column_of), u, v);
}

template <class T>
void fill_predecessors(Context& context,
                       MatrixView<const T> weights,
                       MatrixView<const T> closure,
                       MatrixView<std::int32_t> result) {
  check_pair(weights, closure);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    const auto gaps = cuda::predecessors(context, weights, closure, result);
    if (yupana::cuda::device_of(context, weights.data) >= 0) {
      return cuda::fill_gaps(context, weights, closure, gaps, result);
    }
    context.parallel_for(static_cast<std::int64_t>(gaps.size()), 1, [&](auto begin, auto end) {
      for (auto g = begin; g < end; ++g) {
        const std::int64_t i = gaps[static_cast<std::size_t>(g)];
        complete(weights, closure, i, result.row(i));
      }
    });
    return;
  }
#endif
  const UsefulEdges useful = useful_edges(context, weights, closure);
  Stage stage(context, "predecessors", static_cast<double>(weights.rows), "rows");
  context.parallel_for(weights.rows, 1, [&](std::int64_t i) {
    predecessor_row(weights, closure, useful, i, result.row(i));
    stage.advance(1);
  });
}

template <class T>
SquareMatrix<std::int32_t> predecessors(Context& context,
                                        MatrixView<const T> weights,
                                        MatrixView<const T> closure) {
  SquareMatrix<std::int32_t> result(weights.rows);
  fill_predecessors(context, weights, closure, result.view());
  return result;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, path, path_by_columns, predecessors, complete_by_rows)
YUPANA_FUNCTIONS(YUPANA_DISTANCES, fill_predecessors)

}  // namespace yupana::graph
