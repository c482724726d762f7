// Products of bits or bytes on Hopper's warp-group tensor instructions. Two blocks of a cluster
// work one square of 256 x 256 pairs: each has 128 rows of its own and loads half of the 256
// columns, which the copy engine delivers to both. In a block one warp feeds a ring of four stages
// of 1,024 sites (48 KiB each), two warp groups of 64 x 256 pairs multiply.
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/tile_ring.cuh"
#include "yupana/core/cuda/wgmma.cuh"
#include "yupana/genotype/bit_products_kernels.hpp"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

using namespace yupana::cuda::tile_ring;

#ifdef YUPANA_HOPPER
__device__ void produce(const DevicePlanes& planes, const ProductList& list, Ring ring) {
  const int rank = cluster_rank();
  const int clusters = gridDim.x / 2;
  for (int item = blockIdx.x / 2; item < list.items; item += clusters) {
    const ProductItem work = product_item(list, item);
    const int row = work.square.x * static_cast<int>(product_edge) + rank * tile_rows;
    const int column = work.square.y * static_cast<int>(product_edge) + rank * tile_rows;
    for (int step = 0; step < work.steps; ++step) {
      load_stage(ring,
                 rank,
                 planes.tile(work.row_step + step, row),
                 planes.tile(work.column_step + step, column));
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
  const int row_in_square = cluster_rank() * tile_rows + group * 64;
  const bool leader = threadIdx.x % 128 == 0;
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
      if (step > 0) release_stage(held, leader);
      held = ring.empty();
      ring.next();
    }
    wgmma_wait<0>();
    release_stage(held, leader);
    add_sums(counts, work, list, row_in_square);
  }
}
#endif

template <Elements elements>
__global__ void __launch_bounds__(threads_if(compiled_for_hopper, threads), 1)
    wgmma_kernel(const __grid_constant__ DevicePlanes planes,
                 const __grid_constant__ ProductList list) {
#ifdef YUPANA_HOPPER
  run([&](Ring ring) { produce(planes, list, ring); },
      [&](Ring ring) { consume<elements>(list, ring); });
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
