#include <chrono>
#include <thread>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/splice/devices_cuda.hpp"
#include "yupana/splice/memory_cuda.hpp"

namespace yupana::splice::cuda {

SpareMemory& SpareMemory::instance() {
  // Never destroyed: at the end of a process the driver may be gone before it.
  static SpareMemory& one = *new SpareMemory;
  return one;
}

DeviceMemory SpareMemory::take(int device) {
  const std::lock_guard lock(mutex_);
  const auto found = spare_.find(device);
  if (found == spare_.end()) return {};
  DeviceMemory memory = std::move(found->second);
  spare_.erase(found);
  return memory;
}

void SpareMemory::give_back(int device, DeviceMemory&& memory) {
  const std::lock_guard lock(mutex_);
  spare_.insert_or_assign(device, std::move(memory));
}

void wait_for(const Context& context,
              cudaStream_t stream,
              std::int32_t* counters,
              const char* doing) {
  using yupana::cuda::check;
  const auto begin = std::chrono::steady_clock::now();
  bool told = false;
  while (true) {
    const cudaError_t status = cudaStreamQuery(stream);
    if (status != cudaErrorNotReady) {
      check(status, doing);
      break;
    }
    if (context.cancelled() && !told) {
      const std::int32_t stop = 1;
      const yupana::cuda::Stream aside;
      check(cudaMemcpyAsync(counters + 2, &stop, sizeof(stop), cudaMemcpyHostToDevice, aside),
            "stop kernels");
      aside.wait();
      told = true;
    }
    if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(50)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  context.check_cancelled();
}

}  // namespace yupana::splice::cuda
