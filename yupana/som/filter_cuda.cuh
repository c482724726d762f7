#pragma once

#include <cfloat>
#include <cmath>

#include "yupana/som/filter_cuda.hpp"

/// Device code of both filters: the bound of a score's error, and lists of candidates.
namespace yupana::som::cuda {

/// Twice a bound of |score - (D - |a|^2)| for all neurons b = w - center of a sample a = x -
/// center. With h the high halves, a b - ah bh = (a - ah) b + ah (b - bh); with l the low ones,
/// a b - ah bh - al bh - ah bl = al bl + (a - ah - al) b + (ah + al) (b - bh - bl); Cauchy bounds
/// each by the norms in `x` and `w`. What tensor cores lose in a sum is not specified; taken is
/// that each of the 17 terms of an instruction is cut at 2^-23 of the largest. The last terms cover
/// |b|^2 in float, D's own rounding and what is too small for a float.
__device__ inline float margin(const FilterTask& task, float4 x, float3 w) {
  const auto features = static_cast<float>(task.features);
  const float scores = w.x * (w.x + 2.2f * x.x);
  if (!(scores < 0.25f * FLT_MAX)) return INFINITY;
  const float products = task.products == 1 ? x.y * w.x + 1.01f * x.x * w.y
                                            : 1.03f * x.y * w.y + x.z * w.x + 1.02f * x.x * w.z;
  const float steps = static_cast<float>(task.products) * (features / 16 + 1);
  const float error = 2.001f * products + (18 * steps + 8) * 0x1p-23f * scores +
                      (features + 2) * 0x1p-50f * (x.x + w.x) * (x.x + w.x) +
                      features * FLT_MIN * (16 + x.x + w.x);
  return 2.001f * error;
}

/// Leaves out candidates above the limit; returns how many stay.
__device__ inline int compacted(Candidate* list, int count, float limit) {
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const Candidate one = list[i];
    if (one.score <= limit) list[kept++] = one;
  }
  return kept;
}

}  // namespace yupana::som::cuda
