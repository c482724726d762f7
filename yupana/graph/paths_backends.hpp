#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

/// Private to the family: paths from lengths.
namespace yupana::graph {

// By how much of itself a length may differ from the same length summed in another order. Rounding
// moves each of the two by at most half a unit in the last place an edge; 128 edges are allowed for
// here, and longer paths are found by search.
template <class T>
constexpr double slack() {
  return std::is_integral_v<T> ? 0 : 128 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

#ifdef YUPANA_CUDA
namespace cuda {
/// Fills `result`; returns the rows in which rounding left gaps.
template <class T>
std::vector<std::int64_t> predecessors(Context& context,
                                       MatrixView<const T> weights,
                                       MatrixView<const T> closure,
                                       MatrixView<std::int32_t> result);
}  // namespace cuda
#endif

}  // namespace yupana::graph
