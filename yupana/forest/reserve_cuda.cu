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
  try {
    memory_ = yupana::cuda::DeviceArray<unsigned char>(static_cast<std::int64_t>(bytes));
  } catch (const Error&) {
    // Arrays allocate again, and their errors say what they need.
  }
}

Reserve::~Reserve() { of_thread = before_; }

void* Reserve::take(std::uint64_t bytes) {
  if (memory_.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto begin = spans_.take(aligned(bytes));
  return begin ? memory_.data() + *begin : nullptr;
}

void Reserve::give_back(void* memory) {
  const std::lock_guard lock(mutex_);
  spans_.give_back(
      static_cast<std::uint64_t>(static_cast<unsigned char*>(memory) - memory_.data()));
}

Reserve* Reserve::current() { return of_thread; }

}  // namespace yupana::forest::cuda
