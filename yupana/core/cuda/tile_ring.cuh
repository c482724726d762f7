#pragma once

#include <cstdint>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/pipeline.cuh"

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define YUPANA_HOPPER 1
#endif

/// A ring of stages in the shared memory of two blocks of a cluster, for kernels of Hopper whose
/// tensor instructions multiply 128 rows of each block by 256 columns that both share. A stage has
/// three tiles of 128 rows of 128 bytes: the block's own rows and two halves of the columns, of
/// which each block loads one and the copy engine delivers it to both.
namespace yupana::cuda::tile_ring {

constexpr int tile_rows = 128;
constexpr int tile_bytes = tile_rows * 128;  // 16 KiB
constexpr int stage_bytes = 3 * tile_bytes;
constexpr int stages = 4;
constexpr int threads = 3 * 128;                                 // a producer, two consumers
constexpr int shared_bytes = stages * stage_bytes + 1024 + 128;  // alignment, barriers

#ifdef YUPANA_HOPPER
struct Ring {
  std::uint32_t tiles;     // shared address of stage 0
  std::uint32_t barriers;  // full[stages], empty[stages]
  int stage = 0;
  std::uint32_t phase = 0;

  __device__ std::uint32_t full() const { return barriers + 8 * stage; }
  __device__ std::uint32_t empty() const { return barriers + 8 * (stages + stage); }
  __device__ std::uint32_t tile(int which) const {
    return tiles + stage * stage_bytes + which * tile_bytes;
  }
  __device__ void next() {
    if (++stage == stages) {
      stage = 0;
      phase ^= 1;
    }
  }
};

/// The producer waits for an empty stage and fills it from these tiles.
__device__ inline void load_stage(Ring& ring, int rank, const void* rows, const void* columns) {
  barrier_wait(ring.empty(), ring.phase ^ 1);
  barrier_expect(ring.full(), stage_bytes);
  bulk_copy(ring.tile(0), rows, tile_bytes, ring.full());
  bulk_copy(ring.tile(1 + rank), columns, tile_bytes, ring.full(), 0b11);
  ring.next();
}

/// A consumer's warp group gives a stage back to both producers; `leader`: its first thread.
__device__ inline void release_stage(std::uint32_t empty, bool leader) {
  if (!leader) return;
  barrier_arrive(empty, 0);
  barrier_arrive(empty, 1);
}

/// The whole of a kernel: produce(ring) in one thread, consume(ring) in two warp groups.
template <class Produce, class Consume>
__device__ __forceinline__ void run(const Produce& produce, const Consume& consume) {
  extern __shared__ unsigned char shared[];
  Ring ring;
  ring.tiles = (shared_address(shared) + 1023) / 1024 * 1024;
  ring.barriers = ring.tiles + stages * stage_bytes;
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      barrier_init(ring.barriers + 8 * s, 1);
      barrier_init(ring.barriers + 8 * (stages + s), 4);  // two groups in each of two blocks
    }
    barrier_init_fence();
  }
  cluster_wait();
  if (threadIdx.x < 128) {
    give_up_registers<40>();
    if (threadIdx.x == 0) produce(ring);
  } else {
    take_registers<232>();
    consume(ring);
  }
  cluster_wait();  // the other block may still arrive at our barriers
}
#endif

}  // namespace yupana::cuda::tile_ring
