#pragma once

#include <array>

#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Only files of the CUDA build include this.
/// Private to the family: long transforms of floats as two passes over memory, in tiles that the
/// shared memory of several multiprocessors holds together.
namespace yupana::spectral::cuda {

/// A transform of 2^(sum of logs) values, each log 12 or 13.
struct SpreadTransform {
  std::array<int, 2> logs{};
  std::array<const float2*, 2> roots{};  ///< of each length, all
  RootPair<float2> between;              ///< of the whole transform
  float2* work = nullptr;                ///< as much as the signals
};

/// Whether transforms of 2^log values go this way on the current device.
bool spread_serves(int log);

/// `count` signals, one after the other; `in` begins at a multiple of 16 bytes and may be `out`.
void run_spread(const SpreadTransform& transform,
                const float2* in,
                float2* out,
                std::int64_t count,
                bool inverse,
                cudaStream_t stream);

}  // namespace yupana::spectral::cuda
