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

/// path() where the weights are elsewhere: closure_row is row u of the closure, column_of(y) column
/// y of the weights, good until the next call. Asks only for vertices on shortest paths, or with
/// rounding about as good.
template <class T>
std::vector<std::int64_t> path_by_columns(const T* closure_row,
                                          std::int64_t n,
                                          FunctionView<const T*(std::int64_t)> column_of,
                                          std::int64_t u,
                                          std::int64_t v);

/// A row of predecessors() in which rounding left gaps: closure_row is row `source` of the closure,
/// row_of(x) row x of the weights, good until the next call.
template <class T>
void complete_by_rows(const T* closure_row,
                      std::int64_t n,
                      FunctionView<const T*(std::int64_t)> row_of,
                      std::int64_t source,
                      std::int32_t* row);

namespace cuda {
/// Fills `result`; returns the rows in which rounding left gaps. Any of the three may be in the
/// memory of the context's first GPU.
template <class T>
std::vector<std::int64_t> predecessors(Context& context,
                                       MatrixView<const T> weights,
                                       MatrixView<const T> closure,
                                       MatrixView<std::int32_t> result);
/// Fills such rows on the host; all three in the memory of a GPU.
template <class T>
void fill_gaps(Context& context,
               MatrixView<const T> weights,
               MatrixView<const T> closure,
               const std::vector<std::int64_t>& gaps,
               MatrixView<std::int32_t> result);
}  // namespace cuda

}  // namespace yupana::graph
