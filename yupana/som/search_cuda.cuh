#pragma once

#include <cfloat>

/// Device code of several kernels of the family.
namespace yupana::som::cuda {

/// A sample's distances in float, of `terms` differences one after the other or in fewer: a neuron
/// whose distance is above this cannot be the one of the smallest D, where `least` is the smallest
/// of them. Relative errors are at most (terms + 3) 2^-24, and underflow takes a little a feature.
__device__ __forceinline__ float distance_limit(float least, int terms, int features) {
  const float share = 3 * (static_cast<float>(terms) + 4) * 0x1p-24f;
  return least * (1 + share) + 4 * static_cast<float>(features) * FLT_MIN;
}

/// One more term of D, rounded as on the CPU.
__device__ __forceinline__ double with_square(double sum, float x, float w) {
  const double difference = __dsub_rn(static_cast<double>(x), static_cast<double>(w));
  return __dadd_rn(sum, __dmul_rn(difference, difference));
}

__device__ __forceinline__ long long fixed(float x, double scale) {
  return __double2ll_rn(__dmul_rn(static_cast<double>(x), scale));
}

}  // namespace yupana::som::cuda
