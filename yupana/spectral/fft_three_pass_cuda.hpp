#pragma once

#include <array>

#include "yupana/spectral/fields_cuda.cuh"
#include "yupana/spectral/pass_cuda.hpp"

/// Only files of the CUDA build include this.
/// Private to the family: the longest transforms of floats as three passes over memory in tiles of
/// 32 columns, whose rows are 256 bytes.
namespace yupana::spectral::cuda {

/// A transform of 2^(sum of logs) values, each log 8 or 9, the first at least as large as the
/// others.
struct ThreePassTransform {
  std::array<int, 3> logs{};
  std::array<const float2*, 3> roots{};  ///< of each length, all
  std::array<RootPair<float2>, 2>
      inter_pass_twiddles;  ///< of the whole transform and of what follows pass 1
  float2* work = nullptr;   ///< as much as the signals
};

/// Whether transforms of 2^log values go this way on the current device.
bool three_pass_supports(int log);

/// `count` signals, one after the other; `in` begins at a multiple of 16 bytes and may be `out`.
void run_three_pass(const ThreePassTransform& transform,
                    const float2* in,
                    float2* out,
                    std::int64_t count,
                    bool inverse,
                    cudaStream_t stream);

}  // namespace yupana::spectral::cuda
