#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/graph/distributed_matrix.hpp"

namespace yupana::graph {

/// Shortest paths between all vertices, in place: the schedule of closure.hpp over the tiles of all
/// ranks. Every sum is that of one process, and so is every bit. Products take panels of 1,024
/// steps, of which a rank gathers what its own tile rows and columns need while it multiplies the
/// panel before; they run on the GPUs of the context where these hold the tiles. From 1,024
/// vertices on, ranks of one machine whose GPUs hold the matrix and map each other's memory close
/// it there, with the schedule and the bits of GPUs of one process. Returns whether that was so.
/// Collective. Weights are not negative, and zero on the diagonal.
///   work: n^3 / 2 add+min in all; sent to each rank: 2 n^2 (1 / grid rows + 1 / grid columns)
///   values of panels and 1,024 n of blocks that each closes for itself
///   memory: closure_bytes() in addition to the tiles
template <class T>
bool compute_closure(Context& context, DistributedSymmetricMatrix<T>& weights);

/// Bytes of panels and messages that compute_closure needs on a rank.
std::uint64_t closure_bytes(std::int64_t n, int ranks, std::int64_t value_bytes);

}  // namespace yupana::graph
