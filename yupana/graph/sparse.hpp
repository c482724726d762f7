#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::graph {

/// A directed graph in compressed rows: edges of vertex i are [offsets[i], offsets[i + 1]).
template <class T>
struct SparseGraph {
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> targets;
  std::vector<T> weights;  ///< empty: every edge has length 1
  std::int64_t vertices() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
};

enum class SparseMethod { automatic, dijkstra, johnson, bfs };

/// All-pairs (or chosen sources) shortest path lengths of a sparse graph; one row a source.
///   automatic: bfs without weights, johnson with a negative weight, dijkstra otherwise
///   errors (bad_input): malformed rows, NaN, a negative cycle, a negative weight with dijkstra
template <class T>
Matrix<T> shortest_paths(Context& context,
                         const SparseGraph<T>& graph,
                         const std::vector<std::int64_t>& sources = {},
                         SparseMethod method = SparseMethod::automatic);

/// predecessors(s, j): the vertex before j on the path of lengths(s, j); -1 for the source itself
/// and where no path is. Of equally short paths the one that the search met first, which depends on
/// the order of the edges alone.
template <class T>
struct SparsePaths {
  Matrix<T> lengths;
  Matrix<std::int32_t> predecessors;
};

/// As shortest_paths(), with the paths themselves.
template <class T>
SparsePaths<T> shortest_paths_and_predecessors(Context& context,
                                               const SparseGraph<T>& graph,
                                               const std::vector<std::int64_t>& sources = {},
                                               SparseMethod method = SparseMethod::automatic);

}  // namespace yupana::graph
