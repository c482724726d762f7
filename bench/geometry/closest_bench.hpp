#pragma once

#include <cstdint>

#include "bench/support/bench.hpp"
#include "yupana/geometry/closest_pair.hpp"

namespace yupana::bench {

/// The same on GPUs (CUDA builds), points in device memory.
void closest_cuda(Context& context, const BenchParams& params);

/// Coordinates uniform in [0, 1): Random(seed).uniform(i) one after the other.
inline constexpr std::uint64_t closest_seed = 1;

/// The closest pair of n x d points in host memory.
template <class T>
geometry::ClosestPair closest_of(Context& context, const T* points, std::int64_t n, std::int64_t d);

}  // namespace yupana::bench
