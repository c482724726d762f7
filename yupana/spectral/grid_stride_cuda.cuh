#pragma once

#include <cstdint>

/// Only files of the CUDA build include this.
namespace yupana::spectral::cuda {

/// body(at) for at in [0, count) by the threads of a launch of one dimension, whatever its size.
template <class Body>
__device__ __forceinline__ void grid_stride_for(std::int64_t count, const Body& body) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; at < count;
       at += step) {
    body(at);
  }
}

}  // namespace yupana::spectral::cuda
