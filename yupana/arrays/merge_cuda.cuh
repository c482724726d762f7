#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/async_copy_cuda.cuh"
#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/merge_block_cuda.cuh"
#include "yupana/arrays/merge_split_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/tiles.hpp"

/// Merges of two or four sorted runs of device memory in one pass over it (merge path: Green, Odeh,
/// Birk 2014). A first kernel finds where each tile of the output begins in every run; a block then
/// brings its tile's pieces to shared memory, merges them there, pair by pair and the pairs, and
/// writes the tile. Four at a time halve the traffic of a sort.
namespace yupana::arrays::cuda {

/// Threads and items a thread of a merging block. An odd number of items: lanes that write theirs
/// to shared memory do not meet in a bank.
template <class I>
struct MergeShape {
  static constexpr int threads = 256;
  static constexpr int items = sizeof(I) <= 8 ? 17 : (sizeof(I) <= 16 ? 13 : 5);
  static constexpr int blocks = sizeof(I) <= 4    ? 6
                                : sizeof(I) <= 8  ? 4
                                : sizeof(I) <= 16 ? 3
                                                  : 2;  // on a processor
  static_assert(sizeof(I) <= 32, "merge: keys and values of at most 32 bytes together");
};

/// Of two runs, whose boundaries are a good part of the work: fewer, larger tiles.
template <class I>
struct TwoRunsShape : MergeShape<I> {
  static constexpr int items = sizeof(I) <= 4 ? 27 : MergeShape<I>::items;
  static constexpr int blocks = sizeof(I) <= 4 ? 4 : MergeShape<I>::blocks;
};

/// Merges the runs [0, middle) and [middle, end) of shared memory in place: thread t takes items
/// [t, t + 1) * count of the result.
template <int count, class I, class Order>
__device__ inline void merge_in_block(
    I* items, int middle, int end, int thread, const Order& less) {
  const int diagonal = thread * count < end ? thread * count : end;
  const int from_a = split_in_block(items, middle, items + middle, end - middle, diagonal, less);
  Held<I, count> room;
  I(&out)[count] = room.items;
  merge_in_registers(items, from_a, middle, middle + diagonal - from_a, end, less, out);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if (diagonal + i < end) items[diagonal + i] = out[i];
  }
  __syncthreads();
}

/// `splits` is null where the block itself finds where its tile begins and ends.
template <int ways, bool finds, class K, class V, class Runs, class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, finds ? 2 : Shape::blocks)
    merge_kernel(Runs runs,
                 std::int64_t tiles,
                 int tile,
                 const std::int64_t* splits,
                 Columns<K, V> out,
                 Order less) {
  using I = Item<K, V>;
  extern __shared__ __align__(128) unsigned char memory[];
  I* items = reinterpret_cast<I*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t group = blockIdx.x / tiles;
  const std::int64_t at = blockIdx.x % tiles;
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  const std::int64_t* begin = splits + (group * (tiles + 1) + at) * ways;
  if constexpr (finds) {
    __shared__ std::int64_t found[2 * ways];
    const int lane = thread % 32, each = 32 / ways;
    if (thread < 64) {
      const int end_of_tile = thread / 32;
      const int low = split_by_warp<ways, int, K, V>(
          runs, group, static_cast<int>(at + end_of_tile) * tile, less, lane);
      if (lane % each == 0) found[end_of_tile * ways + lane / each] = low;
    }
    __syncthreads();
    begin = found;
  }
  // Piece r is [start[r], start[r + 1]).
  Columns<const K, const V> piece[ways];
  int start[ways + 1];
  start[0] = 0;
#pragma unroll
  for (int r = 0; r < ways; ++r) {
    const std::int64_t first = begin[r];
    const std::int64_t length = begin[ways + r] - first;
    piece[r] = runs.run(group, ways, r) + (first - start[r]);
    // An order that contradicts itself may give anything; it must not lead out of the tile.
    start[r + 1] = start[r] + static_cast<int>(length < 0 ? 0 : (length < tile ? length : tile));
  }
  const int end = start[ways];
  if (end > tile) return;
#pragma unroll
  for (int i = 0; i < Shape::items; ++i) {
    const int to = i * Shape::threads + thread;
    if (to >= end) continue;
    Columns<const K, const V> from = piece[0];
#pragma unroll
    for (int r = 1; r < ways; ++r) from = to >= start[r] ? piece[r] : from;
    bring_item<K, V>(from, to, &items[to]);
  }
  wait_for_copies();
  __syncthreads();
  if constexpr (ways == 4) {
    // The first pair has as many threads as it needs, the second the others: at most one thread
    // more than full ones would be, which is why a tile leaves room for one.
    const int first_pair = (start[2] + Shape::items - 1) / Shape::items;
    const bool second = thread >= first_pair;
    const int base = second ? start[2] : 0;
    const int middle = second ? start[3] : start[1];
    const int stop = second ? end : start[2];
    const int offset = (thread - (second ? first_pair : 0)) * Shape::items;
    const int diagonal = offset < stop - base ? offset : stop - base;
    const int from_a =
        split_in_block(items + base, middle - base, items + middle, stop - middle, diagonal, less);
    Held<I, Shape::items> room;
    I(&merged)[Shape::items] = room.items;
    merge_in_registers(
        items, base + from_a, middle, middle + diagonal - from_a, stop, less, merged);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Shape::items; ++i) {
      if (base + diagonal + i < stop) items[base + diagonal + i] = merged[i];
    }
    __syncthreads();
    merge_in_block<Shape::items>(items, start[2], end, thread, less);
  } else {
    merge_in_block<Shape::items>(items, start[1], end, thread, less);
  }
  const Columns<K, V> to = out + (runs.place(group, ways) + at * tile);
#pragma unroll
  for (int i = 0; i < Shape::items; ++i) {
    const int from = i * Shape::threads + thread;
    if (from < end) store_item<K, V>(items[from], to, from);
  }
}

/// Up to this many boundaries a warp finds each; more of them keep the device busy by themselves,
/// of two runs between coarse ones.
template <int ways>
inline constexpr std::int64_t split_by_warp_most = ways == 2 ? 3000 : 24000;

/// Up to this many tiles their blocks find where they begin: one launch fewer, and the device has
/// places for all of them.
inline constexpr std::int64_t finding_tiles_most = 400;

/// Tiles of one pass.
struct MergePlan {
  std::int64_t groups = 0, tiles = 0;  ///< tiles of a group
  int tile = 0;
  std::int64_t boundaries() const { return groups * (tiles + 1); }
  std::int64_t coarse() const { return divide_up(tiles, coarse_tiles); }
  std::int64_t splits(int ways) const {
    return (boundaries() + (ways == 2 ? groups * (coarse() + 1) : 0)) * ways;
  }
};

template <class Shape>
MergePlan plan_merge(std::int64_t n, std::int64_t group_size, int ways) {
  const std::int64_t most = std::int64_t{Shape::threads - (ways == 4 ? 1 : 0)} * Shape::items;
  MergePlan plan;
  plan.groups = divide_up(n, group_size);
  const std::int64_t largest = std::min(n, group_size);
  plan.tiles = divide_up(largest, most);
  plan.tile = static_cast<int>(divide_up(largest, plan.tiles));
  return plan;
}

/// Where the tiles begin, into `splits`, in the way that is quickest for as many.
template <int ways, class K, class V, class Runs, class Order>
void launch_splits(cudaStream_t stream,
                   const Runs& runs,
                   const MergePlan& plan,
                   std::int64_t* splits,
                   Order less,
                   std::int64_t max_warp_boundaries) {
  const auto by_warp = [&](std::int64_t tiles, int tile, std::int64_t* to) {
    yupana::cuda::launch_dependent("find splits",
                                   split_by_warp_kernel<ways, K, V, Runs, Order>,
                                   {divide_up(plan.groups * (tiles + 1), 4), 128},
                                   stream,
                                   runs,
                                   plan.groups,
                                   tiles,
                                   tile,
                                   to,
                                   less);
  };
  const std::int64_t blocks = divide_up(plan.boundaries(), 128);
  if (plan.boundaries() <= max_warp_boundaries) {
    by_warp(plan.tiles, plan.tile, splits);
  } else if constexpr (ways == 2) {
    std::int64_t* coarse = splits + plan.boundaries() * 2;
    by_warp(plan.coarse(), plan.tile * static_cast<int>(coarse_tiles), coarse);
    yupana::cuda::launch_dependent("find splits",
                                   split_between_kernel<K, V, Runs, Order>,
                                   {blocks, 128},
                                   stream,
                                   runs,
                                   plan.groups,
                                   plan.tiles,
                                   plan.tile,
                                   static_cast<const std::int64_t*>(coarse),
                                   splits,
                                   less);
  } else {
    yupana::cuda::launch_dependent("find splits",
                                   split_kernel<ways, K, V, Runs, Order>,
                                   {blocks, 128},
                                   stream,
                                   runs,
                                   plan.groups,
                                   plan.tiles,
                                   plan.tile,
                                   splits,
                                   less);
  }
}

/// Up to `max_block_tiles` find their own beginnings; tests set other limits.
template <class Shape, int ways, class K, class V, class Runs, class Order>
void launch_merge(cudaStream_t stream,
                  const Runs& runs,
                  const MergePlan& plan,
                  std::int64_t* splits,
                  Columns<K, V> out,
                  Order less,
                  std::int64_t max_block_tiles = finding_tiles_most,
                  std::int64_t max_warp_boundaries = split_by_warp_most<ways>) {
  // Behind the last item a thread may read as many as it takes.
  constexpr int bytes =
      (Shape::threads + 1) * Shape::items * static_cast<int>(sizeof(Item<K, V>)) + 16;
  static_assert(bytes <= yupana::cuda::shared_bytes_everywhere);
  const std::int64_t all = plan.groups * plan.tiles;
  if (all <= max_block_tiles) {
    const auto kernel = merge_kernel<ways, true, K, V, Runs, Shape, Order>;
    return yupana::cuda::launch_dependent("merge",
                                          kernel,
                                          {all, Shape::threads, bytes},
                                          stream,
                                          runs,
                                          plan.tiles,
                                          plan.tile,
                                          static_cast<const std::int64_t*>(nullptr),
                                          out,
                                          less);
  }
  launch_splits<ways, K, V>(stream, runs, plan, splits, less, max_warp_boundaries);
  const auto kernel = merge_kernel<ways, false, K, V, Runs, Shape, Order>;
  yupana::cuda::launch_dependent("merge",
                                 kernel,
                                 {all, Shape::threads, bytes},
                                 stream,
                                 runs,
                                 plan.tiles,
                                 plan.tile,
                                 static_cast<const std::int64_t*>(splits),
                                 out,
                                 less);
}

template <class K, class V, class Order>
void merge_by_key(Workspace& space,
                  cudaStream_t stream,
                  Columns<const K, const V> a,
                  std::int64_t a_size,
                  Columns<const K, const V> b,
                  std::int64_t b_size,
                  Columns<K, V> out,
                  Order less) {
  const std::int64_t n = a_size + b_size;
  if (n <= 0) return;
  using Shape = TwoRunsShape<Item<K, V>>;
  const MergePlan plan = plan_merge<Shape>(n, n, 2);
  auto* splits = static_cast<std::int64_t*>(
      space.scratch(static_cast<std::uint64_t>(plan.splits(2)) * sizeof(std::int64_t)));
  launch_merge<Shape, 2>(stream, TwoRuns<K, V>{a, b, a_size, b_size}, plan, splits, out, less);
}

}  // namespace yupana::arrays::cuda
