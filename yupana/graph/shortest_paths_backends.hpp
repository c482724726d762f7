#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/graph/min_plus_kernels.hpp"
#include "yupana/graph/shortest_paths.hpp"

/// Private to the family. Weights are checked: square, no NaN, no -0.0, zero diagonal, and for
/// integers no sum that could pass `unreachable`. All but the symmetric closure return a vertex on
/// a negative cycle, or -1.
namespace yupana::graph {

using cpu::Signs;
using cpu::WeightStats;

namespace reference {
template <class T>
std::int64_t shortest_paths(Context& context, MatrixView<T> weights);
}  // namespace reference

namespace cpu {
/// Reads the upper triangle and writes both, exactly symmetric; weights are not negative. Returns
/// the number of edges that are their own shortest path.
template <class T>
std::int64_t shortest_paths_symmetric(Context& context, MatrixView<T> weights);
/// `method` is floyd_warshall or directed.
template <class T>
std::int64_t shortest_paths_directed(Context& context,
                                     MatrixView<T> weights,
                                     Signs signs,
                                     PathMethod method);
}  // namespace cpu

namespace cuda {
/// As those of cpu, on weights in host memory or, in place, in a GPU's, by blocked Floyd-Warshall;
/// float lengths may differ from the CPU's in the last bits, by at most hops * 2^-23, and are the
/// same in every run.
template <class T>
std::int64_t shortest_paths_symmetric(Context& context, MatrixView<T> weights);
template <class T>
std::int64_t shortest_paths_directed(Context& context, MatrixView<T> weights, Signs signs);
}  // namespace cuda

/// What the weights of a dense graph are, after they passed the checks.
template <class T>
struct WeightKind {
  bool symmetric = false;
  WeightStats<T> stats{};
};

/// Checks `weights` for `shortest_paths` and sets the diagonal to zero and -0.0 to 0.
template <class T>
WeightKind<T> check_weights(Context& context, MatrixView<T> weights);

/// True if weights(i, j) = weights(j, i) for all i, j; NaN equals nothing.
template <class T>
bool is_symmetric(Context& context, MatrixView<const T> weights);

template <class T>
Error bad_diagonal(std::int64_t vertex, T weight) {
  return input_error(
      "shortest paths: the weight from {} to itself is {}; expected 0 or more on the diagonal",
      vertex,
      weight);
}

namespace cuda {
/// The same in the memory of a GPU.
template <class T>
WeightKind<T> check_weights(int device, MatrixView<T> weights);
}  // namespace cuda

}  // namespace yupana::graph
