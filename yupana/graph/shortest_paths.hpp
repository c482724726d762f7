#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::graph {

/// "No edge", and the length between vertices that no path joins. For integers large enough that
/// two of them still add without overflow.
template <class T>
inline constexpr T unreachable = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                             : std::numeric_limits<T>::max() / 2;

enum class PathMethod {
  automatic,       ///< symmetric where the matrix is, else directed
  symmetric,       ///< recursive Kleene closure of one triangle: n^3 / 2 add+min
  directed,        ///< recursive Kleene closure: n^3
  floyd_warshall,  ///< blocked Floyd-Warshall: n^3
};

struct ShortestPathsParams {
  PathMethod method = PathMethod::automatic;
};

/// All-pairs shortest path lengths of a dense graph, in place (the min-plus closure of `weights`),
/// on the host or in the memory of a GPU of the context.
///   result(i, j) = min over paths i = v0 .. vk = j of sum weights(v[m], v[m+1]);  result(i, i) = 0
/// T is std::int32_t, float or double. Zero is an edge of length zero; unreachable<T> is no edge.
/// Negative weights are allowed in directed graphs. Collective: the weights are those of rank 0,
/// the others pass an empty view; they share the symmetric closure on CPUs, and change no bit.
///   exactness: integers are exact and equal on every backend (|path| < 2^30 is checked); float
///   and double have a relative error of at most hops * 2^-24 (2^-53) for non-negative weights, are
///   the same in every run, and may differ between CPU and GPU within that
///   errors (bad_input): not square, NaN, negative diagonal, an integer weight of 2^30 or more,
///   asymmetric or negative weights with `symmetric`, a negative cycle (names a vertex on it)
///   on a GPU besides: negative integers, or an integer path that might be 2^30 long
///   sources: R-Kleene (D'Alberto, Nicolau 2007), halved by symmetry
template <class T>
void shortest_paths(Context& context,
                    MatrixView<T> weights,
                    const ShortestPathsParams& params = {});

/// The vertices of a shortest path from u to v, both included, rebuilt from the weights and their
/// closure; empty if v is unreachable. Among shortest paths one of fewest steps, and among those
/// the one with the smallest next vertex at each step; zero-length steps never make it walk in
/// circles. Floats: within rounding, 2^-16 (float) or 2^-45 (double) of the length.
template <class T>
std::vector<std::int64_t> path(MatrixView<const T> weights,
                               MatrixView<const T> closure,
                               std::int64_t u,
                               std::int64_t v);

/// predecessors(i, j): the vertex before j on a shortest path from i, one of fewest steps; -1 for
/// i = j or no path. Ties: the smallest. Floats: within rounding, as in path().
template <class T>
SquareMatrix<std::int32_t> predecessors(Context& context,
                                        MatrixView<const T> weights,
                                        MatrixView<const T> closure);

/// The same into given memory; all three on the host or, in a CUDA context, in its GPU's memory.
template <class T>
void fill_predecessors(Context& context,
                       MatrixView<const T> weights,
                       MatrixView<const T> closure,
                       MatrixView<std::int32_t> result);

#ifdef YUPANA_CUDA
namespace cuda {
/// path() of matrices in the memory of the current device: the lengths from u come to the host, and
/// the weights into each vertex on the way. Two types are compared as double.
template <class W, class L>
std::vector<std::int64_t> path(MatrixView<const W> weights,
                               MatrixView<const L> closure,
                               std::int64_t u,
                               std::int64_t v);
}  // namespace cuda
#endif

}  // namespace yupana::graph
