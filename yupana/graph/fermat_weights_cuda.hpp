#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/graph/fermat_weights.hpp"

/// Private to the family: distances to weights and lengths to roots in device memory, cell by cell.
/// Only for CUDA builds; queued on `stream`. From, To, T: std::int32_t, float or double.
namespace yupana::graph::cuda {

/// As weight(): the same bits for a power of 1 or 2. Other whole powers of whole distances are
/// exact below 2^53, all others within rounding of the device's pow. Zero is 0, never -0.
template <class From, class To>
void make_weights(const From* distances,
                  std::int64_t cells,
                  const WeightRule& rule,
                  To* weights,
                  cudaStream_t stream);

/// As root_of(), within rounding of the device's pow; may be done in place.
template <class T>
void make_roots(const T* lengths,
                std::int64_t cells,
                double alpha,
                double unit,
                RootOf<T>* roots,
                cudaStream_t stream);

/// Of a closure of n vertices: pairs i < j that no path joins, and sets of vertices that paths
/// join.
struct Reach {
  unsigned long long unreachable = 0, components = 0;
};
/// Waits for `stream`.
template <class T>
Reach summarize_reach(const T* lengths, std::int64_t n, cudaStream_t stream);

}  // namespace yupana::graph::cuda
