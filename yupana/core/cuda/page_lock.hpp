#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

/// Only files of the CUDA build include this.
namespace yupana::cuda {

/// Writes to each page of uninitialised memory, with threads of its own, so that a
/// context's loops can run at the same time: the system provides the pages in parallel, and locking
/// them afterwards is quick.
inline void make_pages(void* memory, std::uint64_t bytes, int threads) {
  constexpr std::uint64_t page = 4096, least = std::uint64_t{1} << 20;  // bytes a thread
  auto* const first = static_cast<unsigned char*>(memory);
  const auto count = std::clamp<std::uint64_t>(bytes / least, 1, static_cast<unsigned>(threads));
  const std::uint64_t share = (bytes / count + page) / page * page;
  std::vector<std::jthread> helpers;
  for (std::uint64_t begin = 0; begin < bytes; begin += share) {
    helpers.emplace_back([=] {
      for (std::uint64_t b = begin; b < std::min(begin + share, bytes); b += page) first[b] = 0;
    });
  }
}

/// Locks the pages of host memory, so that copies to and from any device overlap kernels; where the
/// system refuses, copies are slower. Resident memory locks at about 32 GB/s.
class PageLock {
 public:
  PageLock() = default;
  /// Less than `least` bytes are left as they are.
  PageLock(void* memory, std::uint64_t bytes, std::uint64_t least = 1) {
    if (bytes < least) return;
    if (cudaHostRegister(memory, bytes, cudaHostRegisterPortable) == cudaSuccess) {
      memory_ = memory;
    } else {
      static_cast<void>(cudaGetLastError());
    }
  }
  PageLock(PageLock&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  PageLock& operator=(PageLock&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~PageLock() {
    if (memory_ != nullptr) cudaHostUnregister(memory_);
  }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  void* memory_ = nullptr;
};

/// Whether memory is page-locked, from its first byte to its last: copies from it need no help.
inline bool is_page_locked(const void* first, const void* last) {
  const auto has = [](const void* byte) {
    cudaPointerAttributes found{};
    const bool known = cudaPointerGetAttributes(&found, byte) == cudaSuccess;
    if (!known) static_cast<void>(cudaGetLastError());
    return known && found.type == cudaMemoryTypeHost;
  };
  return has(first) && has(last);
}

}  // namespace yupana::cuda
