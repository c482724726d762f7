#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Words that one thread leaves and others wait for. A word is its own message, so that no fence
/// is needed: relaxed accesses are not torn and are seen in the end.
///
/// compute-sanitizer's race checker knows barriers alone, not relaxed accesses (they become the
/// same LDS and STS as plain ones). What it reports is one pair of accesses, in two kernels: the
/// words `known` of levels_kernel (levels_cuda.cu) and of strip_kernel (solve_cuda.cu), written by
/// leave_shared and read by peek_shared or peek_anywhere of another warp. Why they are no race:
/// - after the barrier that follows clearing, only these functions touch a word of another warp:
///   both sides are strong accesses of one aligned word, which the memory model orders;
/// - a word has one writer, the warp that settles its row, and ends at one value: a reader that
///   sees an earlier one (0, absent, or "waiting") looks again;
/// - nothing else is read because of a word, so no order of other accesses is needed;
/// - the plain accesses: clearing (before a barrier), a warp's reading of words that only itself
///   writes, and the last pass of levels_kernel (after a barrier).
/// The report goes byte by byte: of one word the values 0, 0, 0 and 128 are written over 0 after a
/// read, which is 0x80000000, "waiting for turn 0", and no second clearing: that lies behind the
/// barrier that ends a strip.
/// Everything else in shared memory (links, chains, chain_count, taken) lies between barriers.
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

/// From wherever the pointer leads: global memory, or the block's shared memory.
__device__ inline std::uint32_t peek_anywhere(const std::uint32_t* from) {
  std::uint32_t word;
  asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(word) : "l"(from));
  return word;
}

__device__ inline std::uint32_t address_in_shared(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

}  // namespace yupana::sparse::cuda
