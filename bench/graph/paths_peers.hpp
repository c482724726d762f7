#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bench/support/python_peer.hpp"

namespace yupana::bench {

/// Takes the peer's name and its result, or why there is none.
using PeerResult = std::function<void(const std::string& impl, const PythonResult& result)>;

/// The libraries people use today close a complete graph of n vertices with symmetric integer
/// weights, float64, one thread, each in its own process; they check themselves against SciPy's
/// Dijkstra.
void paths_peers(const BenchParams& params, std::int64_t n, const PeerResult& report);

/// Takes the peer's name, the seconds it needed (0: not installed) and whether its rows are right.
using DevicePeerResult = std::function<void(const std::string& impl, double seconds, bool right)>;

/// What one writes without a library on a GPU: n rank-1 updates of the matrix in PyTorch, float32,
/// by device events; checked against lengths from two sources, found by relaxing all edges until
/// nothing changes.
void paths_cuda_peers(std::int64_t n, const DevicePeerResult& report);

}  // namespace yupana::bench
