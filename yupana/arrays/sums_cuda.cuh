#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/async_copy_cuda.cuh"
#include "yupana/arrays/fold_cuda.cuh"
#include "yupana/arrays/tile.hpp"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/core/tiles.hpp"

/// Sums of floats in the CPU's order: those of tiles, then the pairwise sum of the tiles' sums.
namespace yupana::arrays::cuda {

/// A block a tile. Its 32 sums are as many chains of additions, so a tile takes 2^11 times the 4
/// cycles of one (double: 8) at least. One warp adds and does nothing else; another keeps the loads
/// ahead, by a ring in shared memory; all of them add the tiles' sums, in the block that ends last.
template <class T, int stage_rows = 256, int ring_stages = 2>
struct SumShape {
  static constexpr int threads = 256, warps = threads / 32;
  static constexpr int rows = stage_rows, stages = ring_stages;
  static constexpr int batch = 16;  // rows in registers; as many more in flight
  static constexpr int row = sum_row<T>;
  static constexpr int bytes = stages * rows * 128;
  static_assert(bytes <= yupana::cuda::shared_bytes_everywhere);
  /// Tiles that one block joins: each pair has a place in the ring.
  static constexpr std::int64_t max_joined = 2 * bytes / static_cast<int>(sizeof(T));
  static_assert(rows % (2 * batch) == 0, "two sets of registers take turns");
};

/// Polled ahead of use: a wait costs 40 cycles even on a complete barrier.
__device__ inline bool phase_is_over(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t over;
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "mbarrier.test_wait.parity.shared.b64 done, [%1], %2;\n"
      "selp.u32 %0, 1, 0, done;\n"
      "}\n"
      : "=r"(over)
      : "r"(barrier), "r"(parity)
      : "memory");
  return over != 0;
}

/// The rows of a tile that warp 0 adds, as they arrive.
template <class T, class Shape>
struct SumRing {
  T (&data)[Shape::stages][Shape::rows][Shape::row];
  std::uint64_t (&full)[Shape::stages], (&free)[Shape::stages];

  /// By the fetching warp. One copy a stage, or 4 or 8 bytes a lane where not aligned.
  __device__ void fetch(const T* from, std::int64_t rows, bool aligned, int lane) const {
    using namespace yupana::cuda;
    for (int stage = 0; stage * Shape::rows < rows; ++stage) {
      const int slot = stage % Shape::stages, turn = stage / Shape::stages;
      const std::uint32_t barrier = shared_address(&full[slot]);
      if (turn > 0) barrier_wait(shared_address(&free[slot]), (turn - 1) & 1);
      const std::int64_t first = std::int64_t{stage} * Shape::rows;
      const int count = static_cast<int>(std::min<std::int64_t>(Shape::rows, rows - first));
      const T* values = from + first * Shape::row;
      if (aligned) {
        copy_by_warp(data[slot], values, count * 128, barrier, lane);
      } else {
        T* to = data[slot][0];
        for (int i = lane; i < count * Shape::row; i += 32) {
          copy_ahead<sizeof(T)>(to + i, values + i);
        }
        arrive_with_copies(barrier);
      }
    }
  }

  /// x[k] = the lane's place of row k. Four rows of 32 words at a time, as `ldmatrix` deals them:
  /// lane l names the l-th 16 bytes and gets word l of each row. One load a row between additions
  /// made them wait for one another.
  __device__ static void take(T (&x)[Shape::batch], const T* rows, int lane) {
    if constexpr (sizeof(T) == 4) {
      const std::uint32_t own = yupana::cuda::shared_address(rows) + 16 * lane;
#pragma unroll
      for (int k = 0; k < Shape::batch; k += 4) {
        std::uint32_t word[4];
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                     : "r"(own + 128 * k)
                     : "memory");
#pragma unroll
        for (int j = 0; j < 4; ++j) x[k + j] = __uint_as_float(word[j]);
      }
    } else {
#pragma unroll
      for (int k = 0; k < Shape::batch; ++k) x[k] = rows[k * Shape::row + lane % Shape::row];
    }
  }
  __device__ static T add(T sum, const T (&x)[Shape::batch]) {
#pragma unroll
    for (int k = 0; k < Shape::batch; ++k) sum += x[k];
    return sum;
  }

  /// By warp 0: each lane the sum of its place of all rows. While a batch is added the next is on
  /// its way to registers, the next stage's first one too.
  __device__ T sum(std::int64_t rows, int lane) const {
    using namespace yupana::cuda;
    constexpr int batch = Shape::batch;
    const int whole = static_cast<int>(rows / Shape::rows);
    const int rest = static_cast<int>(rows % Shape::rows);
    T sum = T(-0.0);
    T x[batch], y[batch];
    if (whole > 0) {
      barrier_wait(shared_address(&full[0]), 0);
      take(x, data[0][0], lane);
    }
    int slot = 0;
    std::uint32_t parity = 0;
    for (int stage = 0; stage < whole; ++stage) {
      const T* own = data[slot][0];
      const std::uint32_t empty = shared_address(&free[slot]);
      if (++slot == Shape::stages) {
        slot = 0;
        parity ^= 1;
      }
      const std::uint32_t next = shared_address(&full[slot]);
      const bool is_there = phase_is_over(next, parity);
#pragma unroll
      for (int b = 0; b < Shape::rows; b += 2 * batch) {
        take(y, own + (b + batch) * Shape::row, lane);
        sum = add(sum, x);
        if (b + 2 * batch < Shape::rows) {
          take(x, own + (b + 2 * batch) * Shape::row, lane);
        } else if (stage + 1 < whole) {
          if (!is_there) barrier_wait(next, parity);
          take(x, data[slot][0], lane);
        }
        sum = add(sum, y);
      }
      __syncwarp();
      if (lane == 0) barrier_arrive(empty);
    }
    if (rest > 0) {
      barrier_wait(shared_address(&full[slot]), parity);
      for (int r = 0; r < rest; ++r) sum += data[slot][r][lane % Shape::row];
    }
    return sum;
  }
};

/// The pairwise sum (reduce_cpu.hpp: halves of n / 2 and the rest) of totals[0] ... totals[n - 1],
/// by a block; thread 0 gets it. With 2^depth < n <= 2^(depth + 1) every node `depth` levels down
/// has one or two values, and the levels above are whole. `nodes` has room for 2^depth.
template <class T, class Op>
__device__ T join_by_block(const T* totals, std::int64_t n, T* nodes, const Op& op) {
  int depth = 0;
  while ((std::int64_t{2} << depth) < n) ++depth;
  for (std::int64_t i = threadIdx.x; i < std::int64_t{1} << depth; i += blockDim.x) {
    std::int64_t first = 0, count = n;
    for (int bit = depth - 1; bit >= 0; --bit) {
      const std::int64_t half = count / 2;
      const bool right = (i >> bit) & 1;
      first += right ? half : 0;
      count = right ? count - half : half;
    }
    const T left = __ldcg(totals + first), right = __ldcg(totals + first + count - 1);
    nodes[i] = count == 2 ? op(left, right) : left;
  }
  __syncthreads();
  for (int level = 0; level < depth; ++level) {
    for (std::int64_t i = threadIdx.x; i < std::int64_t{1} << (depth - 1 - level);
         i += blockDim.x) {
      T* node = nodes + (i << (level + 1));
      *node = op(*node, node[std::int64_t{1} << level]);
    }
    __syncthreads();
  }
  return nodes[0];
}

/// totals[t] = the sum of tile t of the CPU's; where there is a result, that of all of them too.
template <class T, class Shape>
__global__ void __launch_bounds__(Shape::threads) sum_tiles_kernel(
    const T* in, std::int64_t n, T* totals, std::uint32_t* finished, T init, T* result) {
  extern __shared__ __align__(128) unsigned char memory[];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  constexpr std::int64_t tile = tile_size<T>;
  const T* values = in + std::int64_t{blockIdx.x} * tile;
  const std::int64_t count = std::min(tile, n - std::int64_t{blockIdx.x} * tile);
  using namespace yupana::cuda;
  __shared__ std::uint64_t full[Shape::stages], free[Shape::stages];
  const std::int64_t rows = count / Shape::row;
  const bool aligned = reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
  const SumRing<T, Shape> ring{
      *reinterpret_cast<T(*)[Shape::stages][Shape::rows][Shape::row]>(memory), full, free};
  if (static_cast<int>(threadIdx.x) < Shape::stages) {
    barrier_init(shared_address(&full[threadIdx.x]), aligned ? copy_arrivals : 32);
    barrier_init(shared_address(&free[threadIdx.x]), 1);
    barrier_init_fence();
  }
  __syncthreads();
  if (warp == 1) ring.fetch(values, rows, aligned, lane);
  if (warp == 0) {
    const T sum = join_sums(ring.sum(rows, lane));
    const T total = add_rest(sum, values + rows * Shape::row, count - rows * Shape::row);
    if (lane == 0) totals[blockIdx.x] = total;
  }
  if (result == nullptr) return;
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  const T all = join_by_block(
      static_cast<const T*>(totals), std::int64_t{gridDim.x}, reinterpret_cast<T*>(memory), Plus{});
  if (threadIdx.x != 0) return;
  *result = init + all;
  *finished = 0;
}

/// The same of existing totals; `nodes` has room for as many.
template <class T>
__global__ void __launch_bounds__(1024)
    join_totals_kernel(const T* totals, std::int64_t n, T* nodes, T init, T* result) {
  const T all = join_by_block(totals, n, nodes, Plus{});
  if (threadIdx.x == 0) *result = init + all;
}

template <class T>
void launch_join_totals(
    cudaStream_t stream, const T* totals, std::int64_t tiles, T* nodes, T init, T* result) {
  join_totals_kernel<<<1, 1024, 0, stream>>>(totals, tiles, nodes, init, result);
  yupana::cuda::check_launch("join sums");
}

/// totals[t] = the sum of tile t; where there is a result, init + the pairwise sum of all too, of
/// as many tiles as one block joins.
template <class T, class Shape = SumShape<T>>
void launch_sum_tiles(Workspace& space,
                      cudaStream_t stream,
                      const T* in,
                      std::int64_t n,
                      T* totals,
                      T init = {},
                      T* result = nullptr) {
  yupana::cuda::launch("sum tiles",
                       sum_tiles_kernel<T, Shape>,
                       {divide_up(n, tile_size<T>), Shape::threads, Shape::bytes},
                       stream,
                       in,
                       n,
                       totals,
                       space.counter(stream),
                       init,
                       result);
}

/// *result = init + the sum of in, n > 0, with the CPU's bits.
template <class T, class Shape = SumShape<T>>
void sum(Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T init, T* result) {
  const std::int64_t tiles = divide_up(n, tile_size<T>);
  const bool at_once = tiles <= Shape::max_joined;
  T* totals = static_cast<T*>(
      space.scratch(static_cast<std::uint64_t>(at_once ? tiles : 2 * tiles) * sizeof(T)));
  launch_sum_tiles<T, Shape>(space, stream, in, n, totals, init, at_once ? result : nullptr);
  if (!at_once) {
    launch_join_totals(stream, static_cast<const T*>(totals), tiles, totals + tiles, init, result);
  }
}

}  // namespace yupana::arrays::cuda
