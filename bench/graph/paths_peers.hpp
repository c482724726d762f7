#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "yupana/core/context.hpp"

namespace yupana::bench {

/// Takes the peer's name, the seconds it needed and whether its rows are right.
using PeerResult = std::function<void(const std::string& impl, double seconds, bool right)>;

/// The libraries people use today close a complete graph of n vertices with symmetric integer
/// weights, float64, one thread, each in its own process; they check themselves against SciPy's
/// Dijkstra. One that is not installed is left out, with a note.
void paths_peers(Context& context, std::int64_t n, const PeerResult& report);

/// What one writes without a library on a GPU: n rank-1 updates of the matrix in PyTorch, float32,
/// by device events; checked against lengths from two sources, found by relaxing all edges until
/// nothing changes.
void paths_cuda_peers(Context& context, std::int64_t n, const PeerResult& report);

}  // namespace yupana::bench
