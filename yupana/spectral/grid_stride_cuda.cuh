#pragma once

#include <algorithm>
#include <cstdint>

/// Only files of the CUDA build include this.
namespace yupana::spectral::cuda {

/// Of a launch of one dimension.
inline constexpr int threads = 256;
inline unsigned blocks_for(std::int64_t count, std::int64_t most = 1 << 16) {
  return static_cast<unsigned>(std::min((count + threads - 1) / threads, most));
}

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
