#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/matrix.hpp"

/// Private to the family: what must be known of a matrix in device memory before it is closed.
/// Only for CUDA builds.
namespace yupana::graph::cuda {

inline constexpr unsigned long long nowhere = ~0ull;

/// The first vertices i and the first cells i * n + j of each kind; `nowhere` where there is none.
/// But for `diagonal` and `below_zero` of cells outside the diagonal.
struct MatrixFacts {
  unsigned long long diagonal = nowhere;    ///< a vertex whose weight to itself is not 0
  unsigned long long below_zero = nowhere;  ///< a vertex whose weight to itself is not even >= 0
  unsigned long long not_a_number = nowhere;
  unsigned long long out_of_range = nowhere;  ///< -infinity; of integers 2^30 or more in size
  unsigned long long negative = nowhere;
  unsigned long long asymmetric = nowhere;
  unsigned long long unreachable = nowhere;
  unsigned long long fractional = nowhere;  ///< below 2^30 and no integer
  double largest = 0;                       ///< that is not `unreachable`
  double least = 1.7976931348623157e308;    ///< that is positive
};

/// Row and column of a cell.
inline std::pair<std::int64_t, std::int64_t> cell_of(unsigned long long cell, std::int64_t n) {
  return {static_cast<std::int64_t>(cell) / n, static_cast<std::int64_t>(cell) % n};
}

/// A value on the host.
template <class T>
std::remove_const_t<T> fetched(T* from) {
  std::remove_const_t<T> value{};
  yupana::cuda::check(cudaMemcpy(&value, from, sizeof(T), cudaMemcpyDeviceToHost),
                      "copy to the host");
  return value;
}

/// Of an n x n matrix of std::int32_t, float or double; waits for `stream`. prepare: besides it
/// sets the diagonal to zero where it is not below, and -0.0 to 0.
template <bool prepare = false, class T>
MatrixFacts matrix_facts(MatrixView<T> weights, cudaStream_t stream);

}  // namespace yupana::graph::cuda
