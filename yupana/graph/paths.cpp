#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
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
  throw Error(ErrorCode::bad_input,
              fmt::format("paths: weights ({} x {}) and their closure ({} x {}) must be square and "
                          "of one size",
                          weights.rows,
                          weights.cols,
                          closure.rows,
                          closure.cols));
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

// Layer by layer from the source: a vertex in layer h + 1 has a shortest path of h + 1 steps whose
// last vertex but one is the smallest of layer h that will do.
template <class T>
void predecessor_row(MatrixView<const T> weights,
                     MatrixView<const T> closure,
                     std::int64_t source,
                     std::int32_t* row) {
  const std::int64_t n = weights.rows;
  std::vector<std::int64_t> open;
  for (std::int64_t j = 0; j < n; ++j) {
    row[j] = -1;
    if (j != source && closure(source, j) != unreachable<T>) open.push_back(j);
  }
  std::vector<std::int64_t> layer = {source};
  while (!layer.empty() && !open.empty()) {
    std::vector<std::int64_t> reached;
    for (const std::int64_t k : layer) {
      std::size_t left = 0;
      for (const std::int64_t j : open) {
        const double allowed = slack<T>() * std::abs(static_cast<double>(closure(source, j)));
        if (detour(weights(k, j), closure.row(source), k, j) <= allowed) {
          row[j] = static_cast<std::int32_t>(k);
          reached.push_back(j);
        } else {
          open[left++] = j;
        }
      }
      open.resize(left);
    }
    std::sort(reached.begin(), reached.end());
    layer = std::move(reached);
  }
  if (!open.empty()) complete(weights, closure, source, row);
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
    throw Error(ErrorCode::bad_input,
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
    throw Error(ErrorCode::usage,
                fmt::format("path: expected vertices from 0 to {}, got {} and {}", n - 1, u, v));
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
SquareMatrix<std::int32_t> predecessors(Context& context,
                                        MatrixView<const T> weights,
                                        MatrixView<const T> closure) {
  check_pair(weights, closure);
  SquareMatrix<std::int32_t> result(weights.rows);
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) {
    const auto gaps = cuda::predecessors(context, weights, closure, result.view());
    context.parallel_for(static_cast<std::int64_t>(gaps.size()), 1, [&](auto begin, auto end) {
      for (auto g = begin; g < end; ++g) {
        const std::int64_t i = gaps[static_cast<std::size_t>(g)];
        complete(weights, closure, i, result.row(i));
      }
    });
    return result;
  }
#endif
  Stage stage(context, "predecessors", static_cast<double>(weights.rows), "rows");
  context.parallel_for(weights.rows, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      predecessor_row(weights, closure, i, result.row(i));
      stage.advance(1);
    }
  });
  return result;
}

YUPANA_FUNCTIONS(YUPANA_DISTANCES, path, path_by_columns, predecessors, complete_by_rows)

}  // namespace yupana::graph
