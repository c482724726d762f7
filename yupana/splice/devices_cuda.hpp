#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
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

/// run(0) .. run(count - 1), each in a thread of its own; the first error is thrown.
template <class Run>
void run_side_by_side(std::size_t count, const Run& run) {
  if (count == 1) return run(0);
  std::vector<std::exception_ptr> errors(count);
  std::vector<std::thread> threads;
  for (std::size_t d = 0; d < count; ++d) {
    threads.emplace_back([&, d] {
      try {
        run(d);
      } catch (...) {
        errors[d] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// Waits for what the stream has to do. Where the call is cancelled, `counters[2]` tells kernels to
/// end, and interrupted is thrown once they have.
void wait_for(const Context& context,
              cudaStream_t stream,
              std::int32_t* counters,
              const char* doing);

}  // namespace yupana::splice::cuda
