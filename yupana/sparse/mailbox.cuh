#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Words that one thread leaves and others wait for. A word is its own message, so that no fence
/// is needed: relaxed accesses are not torn and are seen in the end.
namespace yupana::sparse::cuda {

__device__ inline std::uint32_t peek(const std::uint32_t* from) {
  std::uint32_t word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from));
  return word;
}
__device__ inline std::uint64_t peek(const std::uint64_t* from) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from));
  return word;
}
__device__ inline void leave(std::uint32_t* to, std::uint32_t word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
__device__ inline void leave(std::uint64_t* to, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

/// The same in shared memory, by its address there.
__device__ inline std::uint32_t peek_shared(std::uint32_t from, std::uint32_t) {
  std::uint32_t word;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(word) : "r"(from));
  return word;
}
__device__ inline std::uint64_t peek_shared(std::uint32_t from, std::uint64_t) {
  std::uint64_t word;
  asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(word) : "r"(from));
  return word;
}
__device__ inline void leave_shared(std::uint32_t to, std::uint32_t word) {
  asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}
__device__ inline void leave_shared(std::uint32_t to, std::uint64_t word) {
  asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(to), "l"(word) : "memory");
}

__device__ inline std::uint32_t address_in_shared(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

}  // namespace yupana::sparse::cuda
