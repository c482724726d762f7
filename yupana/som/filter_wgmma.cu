// The scores of a wide map on Hopper's warp-group tensor instructions. Two blocks of a cluster take
// 256 samples: each has 128 of its own and loads half of every 256 neurons, which the copy engine
// delivers to both. In a block one warp feeds a ring of four stages of 64 features (48 KiB each),
// two warp groups hold 64 x 256 scores each, find the smallest of every sample and write down the
// neurons within the samples' error bound of it. Scores themselves are never written.
#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/cuda/tile_ring.cuh"
#include "yupana/core/cuda/wgmma.cuh"
#include "yupana/som/filter_cuda.cuh"

namespace yupana::som::cuda {
namespace {

using namespace yupana::cuda;

using namespace yupana::cuda::tile_ring;

#ifdef YUPANA_HOPPER
__device__ void produce(const FilterTask& task, Ring ring) {
  const int rank = cluster_rank();
  const std::int64_t items = task.samples.rows / (2 * tile_rows);
  for (std::int64_t item = blockIdx.x / 2; item < items; item += gridDim.x / 2) {
    for (int block = 0; block < task.neuron_blocks; ++block) {
      for (int product = 0; product < task.products; ++product) {
        for (int chunk = 0; chunk < task.samples.chunks; ++chunk) {
          load_stage(ring,
                     rank,
                     task.samples.tile(product == 1, 2 * item + rank, chunk),
                     task.codebook.tiles.tile(product == 2, 2 * block + rank, chunk));
        }
      }
    }
  }
}

/// A lane's candidates of one sample.
struct List {
  Candidate* at = nullptr;
  int count = 0;

  __device__ __forceinline__ void add(int neuron, float score) {
    if (count < list_capacity) at[count] = {neuron, score};
    ++count;
  }
};

/// Element i of a lane's scores is sample l / 4 + 8 (i / 2 % 2) of the warp's 16, neuron 8 (i / 4)
/// + 2 (l % 4) + i % 2 of the block's.
template <int half>
__device__ __forceinline__ void take(
    const float (&scores)[128], int neuron, float margin, float& best, List& list) {
  float least = scores[2 * half];
#pragma unroll
  for (int i = 0; i < 128; i += 4) {
    least = fminf(least, fminf(scores[i + 2 * half], scores[i + 2 * half + 1]));
  }
  float all = fminf(least, __shfl_xor_sync(0xffffffffu, least, 1));
  all = fminf(all, __shfl_xor_sync(0xffffffffu, all, 2));
  best = fminf(best, all);
  const float limit = best + margin;
  if (!(least <= limit)) return;
  if (list.count >= list_capacity / 2 && list.count <= list_capacity) {
    list.count = compacted(list.at, list.count, limit);
  }
#pragma unroll
  for (int i = 0; i < 128; i += 4) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const float score = scores[i + 2 * half + side];
      if (score <= limit) list.add(neuron + 2 * i + side, score);
    }
  }
}

/// Adds the products of the next tiles, `parts` times 16 features; those of the tiles before are
/// done when it returns.
template <int parts>
__device__ __forceinline__ void multiply(float (&scores)[128], const Ring& ring, int group) {
  barrier_wait(ring.full(), ring.phase);
  const std::uint64_t left = tile_descriptor(ring.tile(0) + group * (tile_bytes / 2));
  const std::uint64_t right = tile_descriptor(ring.tile(1));
  wgmma_fence();
#pragma unroll
  for (int k = 0; k < parts; ++k) {  // 16 features, 32 bytes, two units of a descriptor
    wgmma_bfloat16(scores, left + 2 * k, right + 2 * k);
  }
  wgmma_commit();
  wgmma_wait<1>();
}

template <int last_steps>
__device__ void consume(const FilterTask& task, Ring ring) {
  const int group = static_cast<int>(threadIdx.x) / 128 - 1;
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane % 4;
  const int row_in_pair = cluster_rank() * tile_rows + group * 64 +
                          static_cast<int>(threadIdx.x) % 128 / 32 * 16 + lane / 4;
  const bool leader = threadIdx.x % 128 == 0;
  const float3 largest = {
      task.codebook.largest[0], task.codebook.largest[1], task.codebook.largest[2]};
  float scores[128];
  const std::int64_t items = task.samples.rows / (2 * tile_rows);
  for (std::int64_t item = blockIdx.x / 2; item < items; item += gridDim.x / 2) {
    const std::int64_t row = item * 2 * tile_rows + row_in_pair;
    float best[2] = {INFINITY, INFINITY}, margins[2];
    List lists[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      margins[h] = margin(task, task.samples.bounds[row + 8 * h], largest);
      lists[h].at = task.output.lists + ((row + 8 * h) * 4 + q) * list_capacity;
    }
    for (int block = 0; block < task.neuron_blocks; ++block) {
      const auto* const squares = reinterpret_cast<const float2*>(
          task.codebook.squares + static_cast<std::int64_t>(block) * neuron_block + 2 * q);
#pragma unroll
      for (int i = 0; i < 128; i += 4) {
        const float2 two = __ldg(squares + i);
        scores[i] = scores[i + 2] = two.x;
        scores[i + 1] = scores[i + 3] = two.y;
      }
      std::uint32_t held = 0;  // the stage whose products may still be running
      for (int product = 0; product < task.products; ++product) {
        for (int chunk = 1; chunk < task.samples.chunks; ++chunk) {
          multiply<4>(scores, ring, group);
          if (held != 0) release_stage(held, leader);
          held = ring.empty();
          ring.next();
        }
        multiply<last_steps>(scores, ring, group);
        if (held != 0) release_stage(held, leader);
        held = ring.empty();
        ring.next();
      }
      wgmma_wait<0>();
      release_stage(held, leader);
      take<0>(scores, block * neuron_block + 2 * q, margins[0], best[0], lists[0]);
      take<1>(scores, block * neuron_block + 2 * q, margins[1], best[1], lists[1]);
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      reinterpret_cast<int*>(task.output.counts)[(row + 8 * h) * 4 + q] = lists[h].count;
      if (q == 0) task.output.limits[row + 8 * h] = best[h] + margins[h];
    }
  }
}
#endif

/// `last_steps`: instructions of the last tile of a row, 16 features each.
template <int last_steps>
__global__ void __launch_bounds__(threads_if(compiled_for_hopper, threads), 1)
    filter_kernel(const __grid_constant__ FilterTask task) {
#ifdef YUPANA_HOPPER
  run([&](Ring ring) { produce(task, ring); }, [&](Ring ring) { consume<last_steps>(task, ring); });
#endif
}

}  // namespace

bool has_wgmma() { return is_compiled(filter_kernel<4>, threads, shared_bytes); }

void launch_wgmma(const FilterTask& task, cudaStream_t stream) {
  if (task.samples.rows == 0) return;
  const std::int64_t items = std::min<std::int64_t>(task.samples.rows / (2 * tile_rows),
                                                    device_facts().multiprocessors / 2);
  const auto in_last = static_cast<int>(task.features) - tile_features * (task.samples.chunks - 1);
  const auto kernel = in_last > 48   ? filter_kernel<4>
                      : in_last > 32 ? filter_kernel<3>
                      : in_last > 16 ? filter_kernel<2>
                                     : filter_kernel<1>;
  LaunchShape shape(2 * items, threads, shared_bytes);
  shape.cluster = 2;
  launch("search a map", kernel, shape, stream, task);
}

}  // namespace yupana::som::cuda
