#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/shares.hpp"

/// Private to the family: cases over devices, and waiting for one. Only files of the CUDA build
/// include this.
namespace yupana::splice::cuda {

/// Places of all cases, the most work first; what differs by less than 2 % stays as it was. In one
/// pass over buckets: comparing tens of thousands takes as long as a tenth of their alignment on
/// four devices.
inline std::vector<std::size_t> longest_first(const std::vector<double>& work) {
  constexpr int steps = 64;  // of a factor of 2
  const auto bucket = [&](std::size_t p) {
    return static_cast<std::size_t>(steps * std::log2(work[p] + 1));
  };
  std::size_t most = 0;
  std::vector<std::size_t> buckets(work.size());
  for (std::size_t p = 0; p < work.size(); ++p) {
    buckets[p] = bucket(p);
    most = std::max(most, buckets[p]);
  }
  std::vector<std::size_t> next(most + 2);  // place of the next case of each bucket
  for (const std::size_t b : buckets) ++next[most - b + 1];
  for (std::size_t b = 1; b < next.size(); ++b) next[b] += next[b - 1];
  std::vector<std::size_t> order(work.size());
  for (std::size_t p = 0; p < work.size(); ++p) order[next[most - buckets[p]]++] = p;
  return order;
}

/// `counters[2]` tells kernels to end; `cleared` is the point behind which no one clears it.
void stop_kernels(std::int32_t* counters, cudaEvent_t cleared);

/// Waits for what the stream has to do. Where the call is cancelled, kernels are told to end, and
/// interrupted is thrown once they have.
void wait_for(const Context& context,
              cudaStream_t stream,
              std::int32_t* counters,
              cudaEvent_t cleared,
              const char* doing);

}  // namespace yupana::splice::cuda
