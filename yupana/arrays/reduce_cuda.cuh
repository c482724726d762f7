#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/fold_cuda.cuh"
#include "yupana/arrays/tile.hpp"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {

/// Folds of equal shares by the warps of many blocks; the block that is done last folds the folds.
struct ShareShape {
  static constexpr int threads = 256, warps = threads / 32;
  static constexpr int most_blocks = 512;  // part of the order of operations, so not the device's
};

/// Integers, in any order: all warps walk through memory side by side, a lane folds its own
/// vectors. `walk` warps take turns of a unit; the values behind the last whole unit go to the
/// first warp.
template <class T, class Op>
__device__ T fold_turns(
    const T* values, std::int64_t n, std::int64_t warp, std::int64_t walk, const Op& op, int lane) {
  constexpr int vector = vector_of<T>, unroll = 8;
  constexpr std::int64_t row = 32 * vector, unit = row * unroll;
  const T* own = values + lane * vector;
  T total[vector];
  load_vector(own + warp * unit, total);  // each warp has a unit
  T x[unroll][vector];
  for (std::int64_t turn = warp; turn < n / unit; turn += walk) {
#pragma unroll
    for (int k = 0; k < unroll; ++k) load_vector(own + turn * unit + k * row, x[k]);
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      if (k == 0 && turn == warp) continue;  // what total began with
#pragma unroll
      for (int j = 0; j < vector; ++j) total[j] = op(total[j], x[k][j]);
    }
  }
#pragma unroll
  for (int j = 1; j < vector; ++j) total[0] = op(total[0], total[j]);
  const T folded = fold_lanes(total[0], op, lane);
  const std::int64_t rest = n % unit;
  if (warp != 0 || rest == 0) return folded;
  return op(folded, fold_grouped(values + (n - rest), rest, op, lane));
}

template <class T, class Op>
__global__ void __launch_bounds__(ShareShape::threads) reduce_kernel(const T* in,
                                                                     std::int64_t n,
                                                                     std::int64_t share,
                                                                     std::int64_t shares,
                                                                     bool turns,
                                                                     Words<T>* totals,
                                                                     std::uint32_t* finished,
                                                                     Words<T> init,
                                                                     T* result,
                                                                     Op op) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t own = std::int64_t{blockIdx.x} * ShareShape::warps + warp;
  if (own < shares) {
    const std::int64_t first = own * share;
    Words<T> total;
    if (turns) {
      if constexpr (std::is_integral_v<T> && commutes<T, Op>) {
        total = to_words(fold_turns(in, n, own, shares, op, lane));
      }
    } else {
      total = to_words(fold_grouped(in + first, std::min(share, n - first), op, lane));
    }
    if (lane == 0) totals[own] = total;
  }
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  // Threads fold neighbours, warps fold their lanes, one thread the warps.
  __shared__ Words<T> of_warp[ShareShape::warps];
  const std::int64_t each = (shares + ShareShape::threads - 1) / ShareShape::threads;
  const auto used = static_cast<int>((shares + each - 1) / each);  // threads that have any
  const auto total_of = [&](std::int64_t i) {
    Words<T> words;
    for (int k = 0; k < Words<T>::count; ++k) words.word[k] = __ldcg(&totals[i].word[k]);
    return from_words<T>(words);
  };
  const std::int64_t begin = std::min(threadIdx.x * each, shares - 1);
  const std::int64_t end = std::min(begin + each, shares);
  T total = total_of(begin);
#pragma unroll 8
  for (std::int64_t i = begin + 1; i < end; ++i) total = op(total, total_of(i));
  const T through = scan_lanes(total, op, lane);
  if (lane == std::min(31, used - 1 - 32 * warp)) of_warp[warp] = to_words(through);
  __syncthreads();
  if (threadIdx.x != 0) return;
  T all = from_words<T>(of_warp[0]);
  for (int w = 1; 32 * w < used; ++w) all = op(all, from_words<T>(of_warp[w]));
  *result = op(from_words<T>(init), all);
  *finished = 0;
}

/// Sums of floats in the CPU's order: a warp a tile. Its 32 sums are as many chains, so a tile
/// takes the time of 2^16 / 32 additions at least; a ring in shared memory keeps the loads ahead.
template <class T>
struct SumShape {
  static constexpr int stages = 8, rows = 64;
  static constexpr int row = sum_row<T>;
  static constexpr int bytes = stages * rows * 128;
};

__device__ inline void copy_ahead(void* to, const void* from, int bytes) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  if (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
  }
}

template <class T, int piece>
__device__ void copy_stage(T* to, const T* from, std::int64_t rows, int lane) {
  constexpr int each = piece / static_cast<int>(sizeof(T));
  const int count = static_cast<int>(rows) * SumShape<T>::row;
  for (int i = lane * each; i < count; i += 32 * each) copy_ahead(to + i, from + i, piece);
}

template <class T>
__global__ void __launch_bounds__(32) sum_tiles_kernel(const T* in, std::int64_t n, T* totals) {
  using Shape = SumShape<T>;
  extern __shared__ __align__(128) unsigned char memory[];
  T* ring = reinterpret_cast<T*>(memory);
  const int lane = static_cast<int>(threadIdx.x);
  constexpr std::int64_t tile = tile_size<T>;
  constexpr int stage_size = Shape::rows * Shape::row;
  const T* values = in + std::int64_t{blockIdx.x} * tile;
  const std::int64_t count = std::min(tile, n - std::int64_t{blockIdx.x} * tile);
  const std::int64_t rows = count / Shape::row;
  const bool aligned = reinterpret_cast<std::uintptr_t>(values) % 16 == 0;
  const auto fetch = [&](std::int64_t stage) {
    const std::int64_t first = stage * Shape::rows;
    const std::int64_t left = std::min<std::int64_t>(Shape::rows, rows - first);
    T* to = ring + stage % Shape::stages * stage_size;
    if (left > 0 && aligned) copy_stage<T, 16>(to, values + first * Shape::row, left, lane);
    if (left > 0 && !aligned) {
      copy_stage<T, static_cast<int>(sizeof(T))>(to, values + first * Shape::row, left, lane);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (int stage = 0; stage < Shape::stages - 1; ++stage) fetch(stage);
  T sum = T(-0.0);
  for (std::int64_t stage = 0; stage * Shape::rows < rows; ++stage) {
    fetch(stage + Shape::stages - 1);
    asm volatile("cp.async.wait_group %0;" ::"n"(Shape::stages - 1) : "memory");
    __syncwarp();
    const T* own = ring + stage % Shape::stages * stage_size + lane % Shape::row;
    const std::int64_t left = std::min<std::int64_t>(Shape::rows, rows - stage * Shape::rows);
    if (left == Shape::rows) {
#pragma unroll 16
      for (int r = 0; r < Shape::rows; ++r) sum += own[r * Shape::row];
    } else {
      for (int r = 0; r < left; ++r) sum += own[r * Shape::row];
    }
    __syncwarp();
  }
  const std::int64_t done = rows * Shape::row;
  const T total = add_rest(join_sums(sum), values + done, count - done);
  if (lane == 0) totals[blockIdx.x] = total;
}

/// init op the pairwise fold of the totals, by one block: its threads are the nodes ten levels
/// down.
template <class T, class Op>
__global__ void __launch_bounds__(1024)
    join_totals_kernel(const T* totals, std::int64_t n, T init, T* result, Op op) {
  __shared__ Words<T> of_warp[32];
  __shared__ bool has_warp[32];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::int64_t first = 0;
  for (int bit = 16; bit > 0; bit /= 2) {
    const std::int64_t half = n / 2;
    if ((warp & bit) != 0) {
      first += half;
      n -= half;
    } else {
      n = half;
    }
  }
  const T value = fold_halves_by_warp(totals + first, n > 0 ? n : 1, op, lane);
  if (lane == 0) {
    of_warp[warp] = to_words(value);
    has_warp[warp] = n > 0;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int step = 1; step < 32; step *= 2) {
    for (int i = 0; i < 32; i += 2 * step) {
      if (has_warp[i] && has_warp[i + step]) {
        of_warp[i] = to_words(op(from_words<T>(of_warp[i]), from_words<T>(of_warp[i + step])));
      } else if (has_warp[i + step]) {
        of_warp[i] = of_warp[i + step];
        has_warp[i] = true;
      }
    }
  }
  *result = op(init, from_words<T>(of_warp[0]));
}

/// totals[t] = the sum of tile t of the CPU's.
template <class T>
void launch_sum_tiles(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T* totals) {
  space.allow_shared(sum_tiles_kernel<T>, SumShape<T>::bytes);
  const auto tiles = static_cast<unsigned>(divide_up(n, tile_size<T>));
  sum_tiles_kernel<<<tiles, 32, SumShape<T>::bytes, stream>>>(in, n, totals);
  yupana::cuda::check_launch("sum tiles");
}
template <class T, class Op>
void launch_join_totals(
    cudaStream_t stream, const T* totals, std::int64_t tiles, T init, T* result, Op op) {
  join_totals_kernel<<<1, 1024, 0, stream>>>(totals, tiles, init, result, op);
  yupana::cuda::check_launch("join sums");
}

/// *result = init op in[0] op ... op in[n - 1] in device memory; init where n is 0.
///   op: any associative operator, a device function object; T: trivially copyable
///   determinism: sums of floats have the CPU's bits; other folds have an order that depends on n
///   alone. The host does not wait
template <class T, class Op = Plus>
void reduce(Workspace& space,
            cudaStream_t stream,
            const T* in,
            std::int64_t n,
            T init,
            T* result,
            Op op = {}) {
  if (n <= 0) {
    // From pageable memory: copied before the call returns.
    yupana::cuda::check(cudaMemcpyAsync(result, &init, sizeof(T), cudaMemcpyHostToDevice, stream),
                        "reduce nothing");
    return;
  }
  if constexpr (simd_sums<T, Op>) {
    const std::int64_t tiles = divide_up(n, tile_size<T>);
    T* totals = static_cast<T*>(space.scratch(static_cast<std::uint64_t>(tiles) * sizeof(T)));
    launch_sum_tiles(space, stream, in, n, totals);
    launch_join_totals(stream, static_cast<const T*>(totals), tiles, init, result, op);
  } else {
    constexpr std::int64_t unit = 32 * vector_of<T> * 8;
    constexpr std::int64_t most = std::int64_t{ShareShape::most_blocks} * ShareShape::warps;
    const std::int64_t share = round_up(divide_up(n, most), unit);
    const std::int64_t shares = divide_up(n, share);
    auto* totals = static_cast<Words<T>*>(
        space.scratch(static_cast<std::uint64_t>(shares) * sizeof(Words<T>)));
    Words<T> first{};
    memcpy(first.word, &init, sizeof(T));
    // A share is whole units, so that every warp has one of its own to begin with.
    const bool turns = std::is_integral_v<T> && commutes<T, Op> && n >= shares * unit &&
                       reinterpret_cast<std::uintptr_t>(in) % 16 == 0;
    reduce_kernel<<<static_cast<unsigned>(divide_up(shares, ShareShape::warps)),
                    ShareShape::threads,
                    0,
                    stream>>>(
        in, n, share, shares, turns, totals, space.counter(stream), first, result, op);
    yupana::cuda::check_launch("reduce");
  }
}

}  // namespace yupana::arrays::cuda
