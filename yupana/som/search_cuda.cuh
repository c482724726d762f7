#pragma once

#include <cfloat>
#include <cstdint>

/// Device code of several kernels of the family.
namespace yupana::som::cuda {

/// The bound of cpu::ErrorBound in float, rounded up generously: `square` is the largest |w|^2.
__device__ __forceinline__ float error_bound(double square, float x, int features) {
  const float w = static_cast<float>(sqrt(square)) * 1.00001f;
  const float scores = w * (w + 2 * x);
  if (!(scores < 0.25f * FLT_MAX)) return INFINITY;
  const float d = static_cast<float>(features);
  return 1.00001f * ((d + 8) * 0x1p-24f * scores + (d + 2) * 0x1p-50f * (x * x) + d * FLT_MIN);
}

/// A sample's distances in float, of `terms` differences one after the other or in fewer: a neuron
/// whose distance is above this cannot be the one of the smallest D, where `least` is the smallest
/// of them. Relative errors are at most (terms + 3) 2^-24, and underflow takes a little a feature.
__device__ __forceinline__ float distance_limit(float least, int terms, int features) {
  const float share = 3 * (static_cast<float>(terms) + 4) * 0x1p-24f;
  return least * (1 + share) + 4 * static_cast<float>(features) * FLT_MIN;
}

/// The smallest and second smallest score so far, and the smallest one's neuron.
struct Running {
  float best = INFINITY;
  float second = INFINITY;
  int neuron = 0;

  __device__ __forceinline__ void take(float score, int other) {
    const bool lower = score < best;
    second = fminf(second, fmaxf(best, score));
    best = fminf(best, score);
    neuron = lower ? other : neuron;
  }
  /// Equal best scores make second = best.
  __device__ __forceinline__ void join(float other_best, float other_second, int other) {
    second = fminf(fminf(second, other_second), fmaxf(best, other_best));
    if (other_best < best) best = other_best, neuron = other;
  }
};

/// One more term of D, rounded as on the CPU.
__device__ __forceinline__ double with_square(double sum, float x, float w) {
  const double difference = __dsub_rn(static_cast<double>(x), static_cast<double>(w));
  return __dadd_rn(sum, __dmul_rn(difference, difference));
}

__device__ __forceinline__ long long fixed(float x, double scale) {
  return __double2ll_rn(__dmul_rn(static_cast<double>(x), scale));
}

}  // namespace yupana::som::cuda
