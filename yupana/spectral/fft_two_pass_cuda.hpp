#pragma once

#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Only files of the CUDA build include this.
/// Private to the family: long transforms of floats as two passes over memory.
namespace yupana::spectral::cuda {

/// One of the two passes over `tiles` tiles of four columns.
struct TwoPass {
  const float2* in = nullptr;  ///< aligned to 16 bytes
  float2* out = nullptr;
  const float2* roots = nullptr;         ///< of the length, all
  RootPair<float2> inter_pass_twiddles;  ///< of the whole transform
  std::int64_t tiles = 0;
  int log_others = 0;    ///< log2 of the other pass's length
  bool inverse = false;  ///< parts are exchanged on the way in and, times scale, on the way out
  float scale = 1;
};

/// Whether transforms of 2^log values go this way on the current device.
bool two_pass_supports(int log);

/// Signals of 2^(log_first + log_second) values, each 10 to 12. What the first pass writes, the
/// second reads; only they know its order.
void run_two_pass(const TwoPass& first,
                  const TwoPass& second,
                  int log_first,
                  int log_second,
                  cudaStream_t stream);

}  // namespace yupana::spectral::cuda
