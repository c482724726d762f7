// Products of bits or bytes on Hopper's warp-group tensor instructions. Two blocks of a cluster
// work one square of 256 x 256 pairs: each has 128 rows of its own and loads half of the 256
// columns, which the copy engine delivers to both. In a block one warp feeds a ring of four stages
// of 1,024 sites (48 KiB each), two warp groups of 64 x 256 pairs multiply.
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/core/cuda/wgmma.cuh"
#include "yupana/genotype/bit_products_kernels.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int half_rows = 128;                         // rows of a block
constexpr int tile_bytes = half_rows * product_bytes;  // 16 KiB
constexpr int stage_bytes = 3 * tile_bytes;            // rows, columns, columns
constexpr int stages = 4;
constexpr int threads = 3 * 128;                                 // a producer, two consumers
constexpr int shared_bytes = stages * stage_bytes + 1024 + 128;  // alignment, barriers

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define YUPANA_HOPPER 1
#endif

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

__device__ void produce(const DevicePlanes& planes, const ProductList& list, Ring ring) {
  const int rank = cluster_rank();
  const int clusters = gridDim.x / 2;
  for (int item = blockIdx.x / 2; item < list.items; item += clusters) {
    const ProductItem work = product_item(list, item);
    const int row = work.square.x * static_cast<int>(product_edge) + rank * half_rows;
    const int column = work.square.y * static_cast<int>(product_edge) + rank * half_rows;
    for (int step = 0; step < work.steps; ++step) {
      barrier_wait(ring.empty(), ring.phase ^ 1);
      barrier_expect(ring.full(), stage_bytes);
      bulk_copy(ring.tile(0), planes.tile(work.row_step + step, row), tile_bytes, ring.full());
      bulk_copy(ring.tile(1 + rank),
                planes.tile(work.column_step + step, column),
                tile_bytes,
                ring.full(),
                0b11);
      ring.next();
    }
  }
}

__device__ void add_sums(const std::uint32_t (&counts)[128],
                         const ProductItem& work,
                         const ProductList& list,
                         int row_in_square) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const std::int64_t row = std::int64_t{work.square.x} * product_edge + row_in_square + 16 * warp +
                           lane / 4 - list.band_row;
  std::uint32_t* const to = work.sums + row * list.sums_columns +
                            std::int64_t{work.square.y} * product_edge + 2 * (lane % 4);
  // Two neighbouring 32-bit sums in one 64-bit addition: the lower one never carries, because the
  // sums are emptied before they can pass 2^32. Half the additions in the second-level cache, which
  // were a tenth of the time.
#pragma unroll
  for (int i = 0; i < 128; i += 2) {
    std::uint32_t* const pair = to + i / 2 % 2 * 8 * list.sums_columns + i / 4 * 8;
    atomicAdd(reinterpret_cast<unsigned long long*>(pair),
              static_cast<unsigned long long>(counts[i + 1]) << 32 | counts[i]);
  }
}

template <Elements elements>
__device__ void consume(const ProductList& list, Ring ring) {
  const int group = threadIdx.x / 128 - 1;
  const int row_in_square = cluster_rank() * half_rows + group * 64;
  const bool leader = threadIdx.x % 128 == 0;
  const auto release = [&](std::uint32_t empty) {
    if (leader) {
      barrier_arrive(empty, 0);
      barrier_arrive(empty, 1);
    }
  };
  std::uint32_t counts[128];
  for (int item = blockIdx.x / 2; item < list.items; item += gridDim.x / 2) {
    const ProductItem work = product_item(list, item);
    std::uint32_t held = 0;  // the stage whose products may still be running
    for (int step = 0; step < work.steps; ++step) {
      barrier_wait(ring.full(), ring.phase);
      const std::uint64_t rows = tile_descriptor(ring.tile(0) + group * (tile_bytes / 2));
      const std::uint64_t columns = tile_descriptor(ring.tile(1));
      wgmma_fence();
#pragma unroll
      for (int k = 0; k < 4; ++k) {  // 32 bytes, two units of a descriptor
        const bool keep = step > 0 || k > 0;
        if constexpr (elements == Elements::bits) {
          wgmma_and_popc(counts, rows + 2 * k, columns + 2 * k, keep);
        } else {
          wgmma_bytes(counts, rows + 2 * k, columns + 2 * k, keep);
        }
      }
      wgmma_commit();
      wgmma_wait<1>();
      if (step > 0) release(held);
      held = ring.empty();
      ring.next();
    }
    wgmma_wait<0>();
    release(held);
    add_sums(counts, work, list, row_in_square);
  }
}
#endif

template <Elements elements>
__global__ void __launch_bounds__(threads_if(compiled_for_hopper, threads), 1)
    wgmma_kernel(const __grid_constant__ DevicePlanes planes,
                 const __grid_constant__ ProductList list) {
#ifdef YUPANA_HOPPER
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
    if (threadIdx.x == 0) produce(planes, list, ring);
  } else {
    take_registers<232>();
    consume<elements>(list, ring);
  }
  cluster_wait();  // the other block may still arrive at our barriers
#endif
}

}  // namespace

bool has_wgmma(Elements elements) {
  const auto kernel =
      elements == Elements::bits ? wgmma_kernel<Elements::bits> : wgmma_kernel<Elements::bytes>;
  return is_compiled(kernel, threads, shared_bytes);
}

void launch_wgmma(const DevicePlanes& planes,
                  const ProductList& list,
                  Elements elements,
                  int pairs,
                  cudaStream_t stream) {
  LaunchShape shape(2 * pairs, threads, shared_bytes);
  shape.cluster = 2;
  const auto kernel =
      elements == Elements::bits ? wgmma_kernel<Elements::bits> : wgmma_kernel<Elements::bytes>;
  launch("count pairs", kernel, shape, stream, planes, list);
}

}  // namespace yupana::genotype::cuda
