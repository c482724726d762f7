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

SpareMemory::SpareMemory() {
  yupana::cuda::on_shortage([] { instance().release(); });
}

DeviceMemory SpareMemory::take(int device) {
  const std::lock_guard lock(mutex_);
  std::vector<DeviceMemory>& pieces = spare_[device];
  if (pieces.empty()) return {};
  const auto less = [](const DeviceMemory& a, const DeviceMemory& b) {
    return a.device_bytes() < b.device_bytes();
  };
  const auto largest = std::max_element(pieces.begin(), pieces.end(), less);
  DeviceMemory memory = std::move(*largest);
  pieces.erase(largest);
  return memory;
}

void SpareMemory::give_back(int device, DeviceMemory&& memory, std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  std::vector<DeviceMemory>& pieces = spare_[device];
  std::uint64_t on_device = 0, locked = 0;
  for (const DeviceMemory& piece : pieces) {
    on_device += piece.device_bytes();
    locked += piece.locked_bytes();
  }
  constexpr auto most_locked = static_cast<std::uint64_t>(DeviceMemory::most_locked);
  memory.shrink(most - std::min(most, on_device), most_locked - std::min(most_locked, locked));
  if (memory.device_bytes() + memory.locked_bytes() > 0) pieces.push_back(std::move(memory));
}

void SpareMemory::release() {
  const std::lock_guard lock(mutex_);
  spare_.clear();
}

std::uint64_t SpareMemory::bytes(int device) {
  const std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const DeviceMemory& piece : spare_[device]) bytes += piece.device_bytes();
  return bytes;
}

void stop_kernels(std::int32_t* counters, cudaEvent_t cleared) {
  using yupana::cuda::check;
  const std::int32_t stop = 1;
  const yupana::cuda::Stream aside;
  check(cudaStreamWaitEvent(aside, cleared, 0), "order two streams");
  check(cudaMemcpyAsync(counters + 2, &stop, sizeof(stop), cudaMemcpyHostToDevice, aside),
        "stop kernels");
  aside.wait();
}

void wait_for(const Context& context,
              cudaStream_t stream,
              std::int32_t* counters,
              cudaEvent_t cleared,
              const char* doing) {
  const auto begin = std::chrono::steady_clock::now();
  bool told = false;
  while (true) {
    const cudaError_t status = cudaStreamQuery(stream);
    if (status != cudaErrorNotReady) {
      yupana::cuda::check(status, doing);
      break;
    }
    if (context.cancelled() && !told) {
      stop_kernels(counters, cleared);
      told = true;
    }
    if (std::chrono::steady_clock::now() - begin > std::chrono::milliseconds(50)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  context.check_cancelled();
}

}  // namespace yupana::splice::cuda
