#pragma once

#include <cstdint>

#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

/// All-pairs shortest paths of one dense symmetric graph by several processes.
///
/// Rank 0 has the matrix and calls shortest_paths_symmetric_ranks as often as it likes, then
/// release_ranks; every other rank calls serve_shortest_paths once and does its share of each.
/// The matrix is spread in tiles over all of them, closed (compute_closure) and brought back.
///   work: n^3 / 2 add+min in all; sent: the matrix, there and back, and the panels of
///   compute_closure
namespace yupana::graph {

/// In place; returns the number of edges that are their own shortest path. T is std::int32_t, float
/// or double; weights are checked, as for the closures of one process.
template <class T>
std::int64_t shortest_paths_symmetric_ranks(Context& context, Comm& comm, MatrixView<T> weights);

void serve_shortest_paths(Context& context, Comm& comm);
void release_ranks(Comm& comm);

}  // namespace yupana::graph
