#pragma once

#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Only files of the CUDA build include this.
/// Private to the family: transforms of 2^24 floats as two passes over columns of 2^12 values.
namespace yupana::spectral::cuda {

struct TwoPassRadix64Transform {
  const float2* roots = nullptr;         ///< of 2^12, all
  RootPair<float2> inter_pass_twiddles;  ///< of 2^24
  float2* work = nullptr;                ///< as much as the signals
};

/// Whether transforms of 2^log values go this way on the current device.
bool two_pass_radix64_supports(int log);

/// `count` signals, one after the other; `in` begins at a multiple of 16 bytes and may be `out`.
void run_two_pass_radix64(const TwoPassRadix64Transform& transform,
                          const float2* in,
                          float2* out,
                          std::int64_t count,
                          bool inverse,
                          cudaStream_t stream);

}  // namespace yupana::spectral::cuda
