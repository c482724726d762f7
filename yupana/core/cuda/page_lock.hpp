#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <utility>

#include "yupana/core/context.hpp"

/// Only files of the CUDA build include this.
namespace yupana::cuda {

/// Writes to each page of uninitialised memory, with all threads: the system provides the pages in
/// parallel, and locking them afterwards is quick.
inline void make_pages(Context& context, void* memory, std::uint64_t bytes) {
  constexpr std::uint64_t page = 4096;
  const auto pages = static_cast<std::int64_t>((bytes + page - 1) / page);
  auto* const first = static_cast<unsigned char*>(memory);
  context.parallel_for(pages, 256, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) first[static_cast<std::uint64_t>(p) * page] = 0;
  });
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

}  // namespace yupana::cuda
