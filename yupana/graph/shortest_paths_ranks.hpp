#pragma once

#include <cstdint>

#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

/// All-pairs shortest paths of one dense symmetric graph by several processes.
///
/// Rank 0 has the matrix and calls shortest_paths_symmetric_ranks as often as it likes, then
/// release_ranks; every other rank calls serve_shortest_paths once and does its share of each.
/// Rows are dealt in blocks of 128; the recursion is that of one process, step by step, with the
/// panels of its products broadcast: every sum is the same, and so is every bit.
///   work: n^3 / 2 add+min in all; sent: to each rank 2 n^2 values of panels, and 1.5 n^2 / ranks
///   of mirrored blocks; memory: n^2 / ranks values and a panel of 1,024 n on each rank
namespace yupana::graph {

/// In place; returns the number of edges that are their own shortest path. T is std::int32_t, float
/// or double; weights are checked, as for the closures of one process.
template <class T>
std::int64_t shortest_paths_symmetric_ranks(Context& context, Comm& comm, MatrixView<T> weights);

void serve_shortest_paths(Context& context, Comm& comm);
void release_ranks(Comm& comm);

}  // namespace yupana::graph
