#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Words that one thread stores and others poll. A word is the whole message, so no fence is
/// needed: relaxed accesses are not torn and become visible eventually.
///
/// compute-sanitizer's racecheck knows barriers only and reports one pair of accesses in two
/// kernels: the words `known` of levels_kernel and of strip_kernel, stored by store_relaxed_shared
/// and loaded by load_relaxed_shared or load_relaxed_generic of another warp. This is no race:
/// - after the barrier that follows clearing, only these functions access a word of another warp;
///   both sides are strong accesses of one aligned word, which the memory model orders;
/// - a word has one writer and one final value: a reader of an earlier one polls again;
/// - no other access depends on the order of these;
/// - plain accesses are separated by barriers, or stay within the warp that owns the word.
/// Everything else in shared memory (links, chains, chain_count, taken) is separated by barriers.
namespace yupana::sparse::cuda {

__device__ inline std::uint32_t load_relaxed(const std::uint32_t* from) {
  std::uint32_t word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from));
  return word;
}
__device__ inline std::uint64_t load_relaxed(const std::uint64_t* from) {
  std::uint64_t word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from));
  return word;
}
__device__ inline void store_relaxed(std::uint32_t* to, std::uint32_t word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
__device__ inline void store_relaxed(std::uint64_t* to, std::uint64_t word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}

/// The same in shared memory, by its shared address.
__device__ inline std::uint32_t load_relaxed_shared(std::uint32_t from, std::uint32_t) {
  std::uint32_t word;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(word) : "r"(from));
  return word;
}
__device__ inline std::uint64_t load_relaxed_shared(std::uint32_t from, std::uint64_t) {
  std::uint64_t word;
  asm volatile("ld.relaxed.cta.shared.u64 %0, [%1];" : "=l"(word) : "r"(from));
  return word;
}
__device__ inline void store_relaxed_shared(std::uint32_t to, std::uint32_t word) {
  asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(to), "r"(word) : "memory");
}
__device__ inline void store_relaxed_shared(std::uint32_t to, std::uint64_t word) {
  asm volatile("st.relaxed.cta.shared.u64 [%0], %1;" ::"r"(to), "l"(word) : "memory");
}

/// From a generic address: global memory, or the block's shared memory.
__device__ inline std::uint32_t load_relaxed_generic(const std::uint32_t* from) {
  std::uint32_t word;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(word) : "l"(from));
  return word;
}

/// Called by a whole warp, which shuffles it so that it is kept: else the compiler finds the window
/// of shared memory anew wherever a result is looked for.
__device__ inline std::uint32_t address_in_shared(const void* pointer) {
  return __shfl_sync(0xffffffffu, static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer)), 0);
}

}  // namespace yupana::sparse::cuda
