#pragma once

#include <cstdint>

#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/cuda/pipeline.cuh"

/// Asynchronous copies from global to shared memory.
namespace yupana::arrays::cuda {

/// True for types that copy_ahead moves.
template <class T>
inline constexpr bool copies_ahead = (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) &&
                                     alignof(T) == sizeof(T);

/// Copies `bytes` (4, 8 or 16, both addresses multiples of it) to shared memory without a register
/// in between, in flight until wait_for_copies().
template <int bytes>
__device__ inline void copy_ahead(void* to, const void* from) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes)
                 : "memory");
  }
}
/// Waits for the thread's own copies; a barrier makes them the block's.
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// The thread arrives at the barrier once its own copies are done.
__device__ inline void arrive_with_copies(std::uint32_t barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
}

/// Arrivals that copy_by_warp() makes at its barrier.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
inline constexpr int copy_arrivals = 1;
#else
inline constexpr int copy_arrivals = 32;
#endif

/// By a whole warp: copies `bytes` (both addresses too are multiples of 16) to shared memory;
/// `barrier` counts them. The copy engine does it where there is one.
__device__ inline void copy_by_warp(
    void* to, const void* from, int bytes, std::uint32_t barrier, int lane) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if (lane != 0) return;
  yupana::cuda::barrier_expect(barrier, bytes);
  yupana::cuda::bulk_copy(yupana::cuda::shared_address(to), from, bytes, barrier);
#else
#pragma unroll 8
  for (int i = 16 * lane; i < bytes; i += 16 * 32) {
    copy_ahead<16>(static_cast<char*>(to) + i, static_cast<const char*>(from) + i);
  }
  arrive_with_copies(barrier);
#endif
}

}  // namespace yupana::arrays::cuda
