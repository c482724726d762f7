#include "yupana/forest/reserve_cuda.hpp"

namespace yupana::forest::cuda {
namespace {

// What the driver aligns memory to at least.
constexpr std::uint64_t alignment = 512;
constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

thread_local Reserve* of_thread = nullptr;

}  // namespace

Reserve::Reserve(std::uint64_t bytes)
    : spans_(bytes / alignment * alignment), before_(std::exchange(of_thread, this)) {
  if (bytes == 0) return;
  void* memory = nullptr;
  if (cudaMalloc(&memory, bytes) != cudaSuccess) {
    cudaGetLastError();  // arrays allocate again, and say what they wanted
    return;
  }
  memory_ = static_cast<unsigned char*>(memory);
}

Reserve::~Reserve() {
  of_thread = before_;
  if (memory_ != nullptr) cudaFree(memory_);  // waits for the device
}

void* Reserve::take(std::uint64_t bytes) {
  if (memory_ == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto begin = spans_.take(aligned(bytes));
  return begin ? memory_ + *begin : nullptr;
}

void Reserve::give_back(void* memory) {
  const std::lock_guard lock(mutex_);
  spans_.give_back(static_cast<std::uint64_t>(static_cast<unsigned char*>(memory) - memory_));
}

Reserve* Reserve::current() { return of_thread; }

}  // namespace yupana::forest::cuda
