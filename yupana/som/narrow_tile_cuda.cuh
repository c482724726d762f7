#pragma once

#include <cmath>

#include "yupana/som/narrow_search_cuda.cuh"

/// What the narrow kernels do with a tile in addition to its scores.
namespace yupana::som::cuda::narrow {

__device__ __forceinline__ float smallest_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) {
    value = fminf(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  return value;
}

/// The neuron nearest to a sample by D, found by a warp: distances in float, from weights that are
/// stored feature by feature in shared memory, say which may be it.
__device__ inline int decide(const float* sample, const float* turned, int neurons, int features) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float least = INFINITY, next = INFINITY;
  int first = 0;
  for (int k = lane; k < neurons; k += 32) {
    float sum = 0;
    for (int j = 0; j < features; ++j) {
      const float difference = sample[j] - turned[j * neurons + k];
      sum = fmaf(difference, difference, sum);
    }
    next = fminf(next, fmaxf(least, sum));
    if (sum < least) least = sum, first = k;
  }
  const float limit = distance_limit(smallest_of_warp(least), features, features);
  // Written so that distances of infinity leave their neurons possible.
  const unsigned some = __ballot_sync(0xffffffffu, !(least > limit) && lane < neurons);
  const unsigned several = __ballot_sync(0xffffffffu, !(next > limit) && lane + 32 < neurons);
  if ((some & (some - 1)) == 0 && several == 0) {
    return __shfl_sync(0xffffffffu, first, __ffs(static_cast<int>(some)) - 1);
  }
  double nearest = INFINITY;
  int best = 0x7fffffff;
  for (int k = lane; k < neurons && !(least > limit); k += 32) {
    double sum = 0;
    for (int j = 0; j < features; ++j) sum = with_square(sum, sample[j], turned[j * neurons + k]);
    if (sum < nearest || best == 0x7fffffff) nearest = sum, best = k;
  }
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xffffffffu, nearest, step);
    const int neuron = __shfl_xor_sync(0xffffffffu, best, step);
    if (other < nearest || (other == nearest && neuron < best)) nearest = other, best = neuron;
  }
  return best;
}

/// The codebook's weights, feature by feature.
__device__ inline void turn(const NarrowTask& task, float* turned) {
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  for (int i = static_cast<int>(threadIdx.x); i < neurons * features;
       i += static_cast<int>(blockDim.x)) {
    turned[i % features * neurons + i / features] = task.codebook.weights[i];
  }
}

}  // namespace yupana::som::cuda::narrow
