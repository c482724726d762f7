#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"

/// Private to the family: cases over devices, and waiting for one. Only files of the CUDA build
/// include this.
namespace yupana::splice::cuda {

/// Each case of `order` to the device with the least work so far.
inline std::vector<std::vector<std::size_t>> deal(const std::vector<std::size_t>& order,
                                                  const std::vector<double>& work,
                                                  std::size_t devices) {
  std::vector<std::vector<std::size_t>> dealt(devices);
  std::vector<double> load(devices);
  for (const std::size_t p : order) {
    const auto least =
        static_cast<std::size_t>(std::min_element(load.begin(), load.end()) - load.begin());
    dealt[least].push_back(p);
    load[least] += work[p];
  }
  return dealt;
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
