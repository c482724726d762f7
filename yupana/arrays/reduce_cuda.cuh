#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/fold_cuda.cuh"
#include "yupana/arrays/sums_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::arrays::cuda {

/// Folds of equal shares by the warps of many blocks; the block that is done last folds the folds.
struct ShareShape {
  static constexpr int threads = 256, warps = threads / 32;
  static constexpr int max_blocks = 512;  // part of the order of operations, so not the device's
};

/// Integers, in any order: chunks side by side, a block each, many more than there are places for:
/// those that are done first take more. As many blocks as fit, each with its share, waited for the
/// slowest of them.
template <class T, int blocks = 2048, int in_flight = 8>
struct ChunkShape {
  static constexpr int threads = 256, warps = threads / 32, unroll = in_flight;
  static constexpr std::int64_t row = std::int64_t{threads} * vector_of<T>;
  static constexpr std::int64_t unit = row * unroll;
  static constexpr std::int64_t max_blocks = blocks;
};

template <class T, class Op>
inline constexpr bool folds_chunks = std::is_integral_v<T>&& commutes<T, Op>;

template <class T, class Op>
constexpr T neutral() {
  if constexpr (std::is_same_v<Op, Multiply>) return T(1);
  if constexpr (std::is_same_v<Op, Min>) return std::numeric_limits<T>::max();
  if constexpr (std::is_same_v<Op, Max>) return std::numeric_limits<T>::lowest();
  return T(0);
}

/// The fold of what each thread has; thread 0 gets it.
template <int warps, class T, class Op>
__device__ T fold_block(T value, T* of_warp, const Op& op) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  value = fold_lanes(value, op, lane);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
#pragma unroll
    for (int w = 1; w < warps; ++w) value = op(value, of_warp[w]);
  }
  return value;
}

/// The values of a chunk that a thread meets, `values` on a multiple of 16 bytes.
template <class Shape, class T, class Op>
__device__ T fold_own(const T* values, std::int64_t n, const Op& op) {
  constexpr int vector = vector_of<T>;
  T total[vector];
#pragma unroll
  for (int j = 0; j < vector; ++j) total[j] = neutral<T, Op>();
  const auto add = [&](const T(&x)[vector]) {
#pragma unroll
    for (int j = 0; j < vector; ++j) total[j] = op(total[j], x[j]);
  };
  const T* own = values + threadIdx.x * vector;
  std::int64_t done = 0;
  for (; done + Shape::unit <= n; done += Shape::unit) {
    T x[Shape::unroll][vector];
#pragma unroll
    for (int k = 0; k < Shape::unroll; ++k) load_vector(own + done + k * Shape::row, x[k]);
#pragma unroll
    for (int k = 0; k < Shape::unroll; ++k) add(x[k]);
  }
  for (; done + static_cast<std::int64_t>(threadIdx.x + 1) * vector <= n; done += Shape::row) {
    T x[vector];
    load_vector(own + done, x);
    add(x);
  }
  const std::int64_t last = n / vector * vector + threadIdx.x;
  if (last < n) total[0] = op(total[0], values[last]);
#pragma unroll
  for (int j = 1; j < vector; ++j) total[0] = op(total[0], total[j]);
  return total[0];
}

template <class Shape, class T, class Op>
__global__ void __launch_bounds__(Shape::threads) reduce_chunks_kernel(const T* in,
                                                                       std::int64_t n,
                                                                       std::int64_t chunk,
                                                                       T* totals,
                                                                       std::uint32_t* finished,
                                                                       T init,
                                                                       T* result,
                                                                       Op op) {
  __shared__ T of_warp[Shape::warps];
  __shared__ bool is_last;
  const std::int64_t first = blockIdx.x * chunk;
  const T own = fold_own<Shape>(in + first, std::min(chunk, n - first), op);
  const T total = fold_block<Shape::warps>(own, of_warp, op);
  if (threadIdx.x == 0) {
    totals[blockIdx.x] = total;
    __threadfence();
    is_last = atomicAdd(finished, 1u) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  T all = neutral<T, Op>();
#pragma unroll 8
  for (unsigned i = threadIdx.x; i < gridDim.x; i += Shape::threads) {
    all = op(all, __ldcg(totals + i));
  }
  all = fold_block<Shape::warps>(all, of_warp, op);
  if (threadIdx.x != 0) return;
  *result = op(init, all);
  *finished = 0;
}

template <class Shape, class T, class Op>
void reduce_chunks(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T init, T* result, Op op) {
  const std::int64_t chunk = round_up(divide_up(n, Shape::max_blocks), Shape::unit);
  const std::int64_t blocks = divide_up(n, chunk);
  T* totals = static_cast<T*>(space.scratch(static_cast<std::uint64_t>(blocks) * sizeof(T)));
  reduce_chunks_kernel<Shape><<<static_cast<unsigned>(blocks), Shape::threads, 0, stream>>>(
      in, n, chunk, totals, space.counter(stream), init, result, op);
  yupana::cuda::check_launch("reduce");
}

template <class T, class Op>
__global__ void __launch_bounds__(ShareShape::threads) reduce_kernel(const T* in,
                                                                     std::int64_t n,
                                                                     std::int64_t share,
                                                                     std::int64_t shares,
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
    const T total = fold_grouped(in + first, std::min(share, n - first), op, lane);
    if (lane == 0) totals[own] = to_words(total);
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

template <class T, class Op>
void reduce(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T init, T* result, Op op) {
  if (n <= 0) {
    // From pageable memory: copied before the call returns.
    yupana::cuda::check(cudaMemcpyAsync(result, &init, sizeof(T), cudaMemcpyHostToDevice, stream),
                        "reduce nothing");
    return;
  }
  if constexpr (simd_sums<T, Op>) {
    sum(space, stream, in, n, init, result);
    return;
  }
  if constexpr (folds_chunks<T, Op>) {
    if (reinterpret_cast<std::uintptr_t>(in) % 16 == 0) {
      return reduce_chunks<ChunkShape<T>>(space, stream, in, n, init, result, op);
    }
  }
  if constexpr (!simd_sums<T, Op>) {
    constexpr std::int64_t unit = 32 * vector_of<T> * 8;
    constexpr std::int64_t most = std::int64_t{ShareShape::max_blocks} * ShareShape::warps;
    const std::int64_t share = round_up(divide_up(n, most), unit);
    const std::int64_t shares = divide_up(n, share);
    auto* totals = static_cast<Words<T>*>(
        space.scratch(static_cast<std::uint64_t>(shares) * sizeof(Words<T>)));
    Words<T> first{};
    memcpy(first.word, &init, sizeof(T));
    reduce_kernel<<<static_cast<unsigned>(divide_up(shares, ShareShape::warps)),
                    ShareShape::threads,
                    0,
                    stream>>>(
        in, n, share, shares, totals, space.counter(stream), first, result, op);
    yupana::cuda::check_launch("reduce");
  }
}

}  // namespace yupana::arrays::cuda
