#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/merge_cuda.cuh"
#include "yupana/core/cuda/launch.hpp"

namespace yupana::arrays::cuda {

/// A block's tile: few passes over memory follow if it is large; all multiprocessors have work if
/// it is small.
template <class I, int of_threads, int of_items>
struct SortTile {
  static constexpr int threads = of_threads, items = of_items;
  static constexpr int tile = threads * items;
  static constexpr int blocks = sizeof(I) <= 16 ? 2 : 1;  // on a multiprocessor
  static constexpr int bytes = (threads + 1) * items * static_cast<int>(sizeof(I)) + 16;
  static_assert(bytes <= yupana::cuda::shared_bytes_everywhere);
};
// Of items of 16 bytes, as many blocks as fit a multiprocessor say more than their size: 512
// threads of 9 items were a fifth slower.
template <class I>
constexpr int sort_threads(bool large) {
  return large && (sizeof(I) <= 8 || sizeof(I) > 16) ? 512 : 256;
}
// The network of 33 is short only where equal keys may change places.
template <class I>
constexpr int sort_items(bool large, bool any_order) {
  return sizeof(I) > 16 ? 5 : (large && any_order && sizeof(I) <= 4 ? 33 : 17);
}
/// Large and small are the same for some items, and then compiled once.
template <class K, class V, class Order, bool large = true>
using SortShape = SortTile<Item<K, V>,
                           sort_threads<Item<K, V>>(large),
                           sort_items<Item<K, V>>(large, any_order_of_equals<K, V, Order>)>;

/// Sorts tiles: a thread's items in registers, then merges in shared memory, twice as long each
/// time.
template <class K, class V, class Order, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_tiles_kernel(Columns<const K, const V> in, std::int64_t n, Columns<K, V> out, Order less) {
  using I = Item<K, V>;
  constexpr int count = Shape::items;
  extern __shared__ __align__(128) unsigned char memory[];
  I* items = reinterpret_cast<I*>(memory);
  yupana::cuda::release_successor();
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * Shape::tile;
  const int end = static_cast<int>(n - first < Shape::tile ? n - first : Shape::tile);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int at = i * Shape::threads + thread;
    if (at < end) bring_item<K, V>(in, first + at, &items[at]);
  }
  wait_for_copies();
  __syncthreads();
  sort_in_block<!any_order_of_equals<K, V, Order>, count>(items, end, thread, less);
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int at = i * Shape::threads + thread;
    if (at < end) store_item<K, V>(items[at], out, first + at);
  }
}

/// Merges of four runs while more than two are left; of two the last pass.
inline int ways_of(std::int64_t width, std::int64_t n) { return 2 * width >= n ? 2 : 4; }

template <class I>
MergePlan plan_pass(std::int64_t n, std::int64_t width) {
  return ways_of(width, n) == 4 ? plan_merge<MergeShape<I>>(n, 4 * width, 4)
                                : plan_merge<TwoRunsShape<I>>(n, n, 2);
}

template <class Shape, class K, class V, class Order>
void merge_sort_tiles(
    Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n, Order less) {
  const auto part = [](std::int64_t bytes) {
    return static_cast<std::uint64_t>(round_up(bytes, 256));
  };
  using I = Item<K, V>;
  int passes = 0;
  std::int64_t splits = 0;
  for (std::int64_t width = Shape::tile; width < n; ++passes) {
    const int ways = ways_of(width, n);
    splits = std::max(splits, plan_pass<I>(n, width).splits(ways));
    width *= ways;
  }
  Columns<K, V> other = data;
  std::int64_t* begins = nullptr;
  if (passes > 0) {
    const std::uint64_t keys = part(n * static_cast<std::int64_t>(sizeof(K)));
    const std::uint64_t values =
        Columns<K, V>::has_values ? part(n * static_cast<std::int64_t>(sizeof(V))) : 0;
    auto* memory = static_cast<unsigned char*>(
        space.scratch(keys + values + static_cast<std::uint64_t>(splits) * sizeof(std::int64_t)));
    other.keys = reinterpret_cast<K*>(memory);
    if (values > 0) other.values = reinterpret_cast<V*>(memory + keys);
    begins = reinterpret_cast<std::int64_t*>(memory + keys + values);
  }
  Columns<K, V> from = passes % 2 == 1 ? other : data;
  Columns<K, V> to = passes % 2 == 1 ? data : other;
  const auto kernel = sort_tiles_kernel<K, V, Order, Shape>;
  yupana::cuda::launch("sort tiles",
                       kernel,
                       {divide_up(n, Shape::tile), Shape::threads, Shape::bytes},
                       stream,
                       data,
                       n,
                       from,
                       less);
  for (std::int64_t width = Shape::tile; width < n;) {
    const int ways = ways_of(width, n);
    const MergePlan plan = plan_pass<I>(n, width);
    const Columns<const K, const V> runs = from;
    if (ways == 4) {
      launch_merge<MergeShape<I>, 4>(
          stream, NeighbourRuns<K, V>{runs, n, width}, plan, begins, to, less);
    } else {
      launch_merge<TwoRunsShape<I>, 2>(
          stream, TwoRuns<K, V>{runs, runs + width, width, n - width}, plan, begins, to, less);
    }
    std::swap(from, to);
    width *= ways;
  }
}

/// Stable mergesort in device memory; values move with their keys.
///   less: a device function object, a strict weak order; K and V together at most 32 bytes
///   work: log2(tile) steps in a block, then log4(n / tile) passes over memory
///   memory: a copy of keys and values, in the workspace; the host does not wait
///   determinism: the stable order is unique
template <class K, class V, class Order = Less>
void merge_sort_by_key(
    Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n, Order less = {}) {
  if (n < 2) return;
  using Large = SortShape<K, V, Order>;
  if (n > std::int64_t{2} * Large::blocks * yupana::cuda::device_facts().multiprocessors *
              Large::tile) {
    return merge_sort_tiles<Large>(space, stream, data, n, less);
  }
  merge_sort_tiles<SortShape<K, V, Order, false>>(space, stream, data, n, less);
}

}  // namespace yupana::arrays::cuda
