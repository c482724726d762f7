#pragma once

#include <cstdint>

/// Barriers of shared memory, as a producer warp and its consumers use them, and bulk copies. What
/// is said to be of Hopper needs code compiled for compute capability 9 or more; the rest runs on
/// any GPU from 8 on.
namespace yupana::cuda {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// The phase completes when `count` arrivals and all expected bytes have come.
__device__ inline void barrier_init(std::uint32_t barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
/// Makes initialised barriers visible to the cluster and the copy engine, on devices that have
/// them.
__device__ inline void barrier_init_fence() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}
/// By one thread at a barrier of its block.
__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Of Hopper.
__device__ inline void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// Of Hopper. Arrives at the barrier that lies at this address in block `rank` of the cluster.
/// Asking for cluster-wide release and acquire here and in barrier_wait makes the compiler fence
/// all of memory, which halves the speed; tiles that come and go by the copy engine do not need it.
__device__ inline void barrier_arrive(std::uint32_t barrier, int rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}\n" ::"r"(barrier),
      "r"(rank)
      : "memory");
}
/// Waits for the end of the phase of this parity.
__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
#else
      "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
#endif
      "@done bra out;\n"
      "bra again;\n"
      "out:\n"
      "}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/// Of Hopper. Copies contiguous bytes (a multiple of 16) into the shared memory of this block, or
/// of every block in `mask` at the same offset; the block's `barrier` counts them.
__device__ inline void bulk_copy(std::uint32_t to,
                                 const void* from,
                                 int bytes,
                                 std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from),
      "r"(bytes),
      "r"(barrier)
      : "memory");
}
__device__ inline void bulk_copy(
    std::uint32_t to, const void* from, int bytes, std::uint32_t barrier, std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from),
      "r"(bytes),
      "r"(barrier),
      "h"(mask)
      : "memory");
}

__device__ inline int cluster_rank() {
  int rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

template <int registers>
__device__ inline void give_up_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

}  // namespace yupana::cuda
