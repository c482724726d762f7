#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/merge_block_cuda.cuh"
#include "yupana/arrays/warp_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/tiles.hpp"

/// Merges of two or four sorted runs of device memory in one pass over it (merge path: Green, Odeh,
/// Birk 2014). A first kernel finds where each tile of the output begins in every run; a block then
/// brings its tile's pieces to shared memory, merges them there, pair by pair and the pairs, and
/// writes the tile. Four at a time halve the traffic of a sort.
namespace yupana::arrays::cuda {

/// Runs of a sort's pass: `ways` runs of `width` neighbours are a group, the last may be short.
template <class K, class V>
struct NeighbourRuns {
  Columns<const K, const V> data;
  std::int64_t n;
  std::int64_t width;

  __device__ std::int64_t place(std::int64_t group, int ways) const { return group * ways * width; }
  __device__ std::int64_t length(std::int64_t group, int ways, int run) const {
    const std::int64_t left = n - place(group, ways) - run * width;
    return left < 0 ? 0 : (left < width ? left : width);
  }
  __device__ Columns<const K, const V> run(std::int64_t group, int ways, int run) const {
    return data + (place(group, ways) + run * width);
  }
};

/// Two runs anywhere.
template <class K, class V>
struct TwoRuns {
  Columns<const K, const V> a, b;
  std::int64_t a_size, b_size;

  __device__ std::int64_t place(std::int64_t, int) const { return 0; }
  __device__ std::int64_t length(std::int64_t, int, int run) const {
    return run == 0 ? a_size : b_size;
  }
  __device__ Columns<const K, const V> run(std::int64_t, int, int run) const {
    return run == 0 ? a : b;
  }
};

/// Threads and items a thread of a merging block. An odd number of items: lanes that write theirs
/// to shared memory do not meet in a bank.
template <class I>
struct MergeShape {
  static constexpr int threads = 256;
  static constexpr int items = sizeof(I) <= 8 ? 17 : (sizeof(I) <= 16 ? 9 : 5);
  static constexpr int blocks = sizeof(I) <= 4 ? 6 : (sizeof(I) <= 8 ? 4 : 2);  // on a processor
  static_assert(sizeof(I) <= 32, "merge: keys and values of at most 32 bytes together");
};

/// Where the first `diagonal` items of the merged order end in each run. Each step halves one run's
/// candidates: if the middles together have `diagonal` items before them, the greatest middle is
/// not among the first; otherwise the least one is. (Were the greatest among them, so would be all
/// before the middles: too many. And the other way round.) Of equal keys the earlier run's are
/// first.
template <int ways, class K, class V, class Runs, class Order>
__device__ void split_runs(const Runs& runs,
                           std::int64_t group,
                           std::int64_t diagonal,
                           const Order& less,
                           std::int64_t (&low)[ways]) {
  std::int64_t high[ways];
  const K* keys[ways];
  std::int64_t all = 0;
#pragma unroll
  for (int r = 0; r < ways; ++r) all += runs.length(group, ways, r);
#pragma unroll
  for (int r = 0; r < ways; ++r) {
    const std::int64_t length = runs.length(group, ways, r);
    const std::int64_t others = all - length;
    keys[r] = runs.run(group, ways, r).keys;
    low[r] = diagonal > others ? diagonal - others : 0;
    high[r] = diagonal < length ? diagonal : length;
  }
  Held<K, ways> room;
  K(&middle)[ways] = room.items;
#pragma unroll
  for (int r = 0; r < ways; ++r) {
    if (low[r] < high[r]) middle[r] = keys[r][(low[r] + high[r]) / 2];
  }
  while (true) {
    std::int64_t before = 0;
    bool open = false;
#pragma unroll
    for (int r = 0; r < ways; ++r) {
      before += (low[r] + high[r]) / 2;
      open |= low[r] < high[r];
    }
    if (!open) return;
    const bool lower = before >= diagonal;
    int chosen = -1;
    Held<K, 1> best_room;
    K& best = best_room.items[0];
#pragma unroll
    for (int r = 0; r < ways; ++r) {
      if (low[r] >= high[r]) continue;
      // The greatest, of equals the last; the least, of equals the first.
      if (chosen < 0 || (lower ? !less(middle[r], best) : less(middle[r], best))) {
        chosen = r;
        best = middle[r];
      }
    }
    // One load for all lanes, whichever run each has chosen.
    const K* next = nullptr;
#pragma unroll
    for (int r = 0; r < ways; ++r) {
      const std::int64_t at = (low[r] + high[r]) / 2;
      if (r == chosen && lower) high[r] = at;
      if (r == chosen && !lower) low[r] = at + 1;
      if (r == chosen && low[r] < high[r]) next = keys[r] + (low[r] + high[r]) / 2;
    }
    if (next == nullptr) continue;
    const K loaded = *next;
#pragma unroll
    for (int r = 0; r < ways; ++r) {
      if (r == chosen) middle[r] = loaded;
    }
  }
}

/// splits[(group * (tiles + 1) + tile) * ways + run]: where a tile of a group begins in a run.
template <int ways, class K, class V, class Runs, class Order>
__global__ void __launch_bounds__(128) split_kernel(Runs runs,
                                                    std::int64_t groups,
                                                    std::int64_t tiles,
                                                    int tile,
                                                    std::int64_t* splits,
                                                    Order less) {
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= groups * (tiles + 1)) return;
  const std::int64_t group = at / (tiles + 1);
  std::int64_t all = 0;
#pragma unroll
  for (int r = 0; r < ways; ++r) all += runs.length(group, ways, r);
  const std::int64_t diagonal = at % (tiles + 1) * tile;
  std::int64_t begin[ways];
  split_runs<ways, K, V>(runs, group, diagonal < all ? diagonal : all, less, begin);
#pragma unroll
  for (int r = 0; r < ways; ++r) splits[at * ways + r] = begin[r];
}

/// The same by a warp a boundary, for few boundaries, where a thread's chain of loads is all there
/// is to wait for: 8 lanes a run probe their candidates at even distances. Of each probe it is
/// known between which probes of the other runs it falls, so how many items at least and at most
/// come before it.
template <class K, class V, class Runs, class Order>
__global__ void __launch_bounds__(128) split_by_warp_kernel(Runs runs,
                                                            std::int64_t groups,
                                                            std::int64_t tiles,
                                                            int tile,
                                                            std::int64_t* splits,
                                                            Order less) {
  constexpr int ways = 4, probes = 8;
  const std::int64_t at = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (at >= groups * (tiles + 1)) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int run = lane / probes, probe = lane % probes;
  const std::int64_t group = at / (tiles + 1);
  std::int64_t all = 0;
  for (int r = 0; r < ways; ++r) all += runs.length(group, ways, r);
  const std::int64_t diagonal = min(at % (tiles + 1) * tile, all);
  const std::int64_t length = runs.length(group, ways, run);
  const K* keys = runs.run(group, ways, run).keys;
  std::int64_t low = max(std::int64_t{0}, diagonal - (all - length));
  std::int64_t high = min(diagonal, length);
  // Probe k of a run; in a narrow one several stand on the same item.
  const auto probe_at = [](std::int64_t from, std::int64_t until, int k) {
    return from + (until - from) * (2 * k + 1) / (2 * probes);
  };
  // Every round closes some candidates if the order is one; else the rounds end all the same.
  for (int round = 0; round < 128 && __any_sync(all_lanes, low < high); ++round) {
    const bool open = low < high;
    const std::int64_t place = open ? probe_at(low, high, probe) : low;
    // Where a run is closed, some key of it or of the first: all are compared, whatever they count.
    const Words<K> own =
        to_words(length > 0 ? keys[min(place, length - 1)] : runs.run(group, ways, 0).keys[0]);
    const K key = from_words<K>(own);
    std::int64_t least = place, most = place;
#pragma unroll
    for (int r = 0; r < ways; ++r) {
      const std::int64_t their_low = __shfl_sync(all_lanes, low, r * probes);
      const std::int64_t their_high = __shfl_sync(all_lanes, high, r * probes);
      const bool earlier = r < run;  // its equals come before one's own
      int before = 0;
#pragma unroll
      for (int k = 0; k < probes; ++k) {
        const K theirs = from_words<K>(lane_value(own, r * probes + k));
        before += less(earlier ? key : theirs, earlier ? theirs : key) != earlier;
      }
      if (r == run) continue;
      if (their_low >= their_high) {
        least += their_low;
        most += their_low;
      } else {
        least += before > 0 ? probe_at(their_low, their_high, before - 1) + 1 : their_low;
        most += before < probes ? probe_at(their_low, their_high, before) : their_high;
      }
    }
    // Within a run what was found of one probe holds for all on its side.
    std::int64_t new_low = open && most < diagonal ? place + 1 : low;
    std::int64_t new_high = open && least >= diagonal ? place : high;
    for (int distance = 1; distance < probes; distance *= 2) {
      new_low = max(new_low, __shfl_xor_sync(all_lanes, new_low, distance));
      new_high = min(new_high, __shfl_xor_sync(all_lanes, new_high, distance));
    }
    low = new_low;
    high = new_high;
  }
  if (probe == 0) splits[at * ways + run] = low;
}

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

template <int ways, class K, class V, class Runs, class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
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
  const std::int64_t* begin = splits + (group * (tiles + 1) + at) * ways;
  // Piece r stands at [start[r], start[r + 1]).
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
    items[to] = load_item<K, V>(from, to);
  }
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

/// Up to this many boundaries a warp finds each; more of them keep the device busy by themselves.
inline constexpr std::int64_t split_by_warp_most = 24000;

/// Tiles of one pass.
struct MergePlan {
  std::int64_t groups = 0, tiles = 0;  ///< tiles of a group
  int tile = 0;
  std::int64_t splits(int ways) const { return groups * (tiles + 1) * ways; }
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

template <int ways, class K, class V, class Runs, class Order>
void launch_merge(Workspace& space,
                  cudaStream_t stream,
                  const Runs& runs,
                  const MergePlan& plan,
                  std::int64_t* splits,
                  Columns<K, V> out,
                  Order less) {
  using Shape = MergeShape<Item<K, V>>;
  const auto kernel = merge_kernel<ways, K, V, Runs, Shape, Order>;
  // Behind the last item a thread may read as many as it takes.
  constexpr int bytes =
      (Shape::threads + 1) * Shape::items * static_cast<int>(sizeof(Item<K, V>)) + 16;
  space.allow_shared(kernel, bytes);
  const std::int64_t boundaries = plan.groups * (plan.tiles + 1);
  if (ways == 4 && boundaries <= split_by_warp_most) {
    split_by_warp_kernel<K, V><<<static_cast<unsigned>(divide_up(boundaries, 4)), 128, 0, stream>>>(
        runs, plan.groups, plan.tiles, plan.tile, splits, less);
  } else {
    split_kernel<ways, K, V><<<static_cast<unsigned>(divide_up(boundaries, 128)), 128, 0, stream>>>(
        runs, plan.groups, plan.tiles, plan.tile, splits, less);
  }
  kernel<<<static_cast<unsigned>(plan.groups * plan.tiles), Shape::threads, bytes, stream>>>(
      runs, plan.tiles, plan.tile, splits, out, less);
  yupana::cuda::check_launch("merge");
}

/// Merges two sorted arrays of device memory into out, which overlaps neither; stable, a's first.
///   less: a device function object, a strict weak order; K and V together at most 32 bytes
///   determinism: the stable order is unique. The host does not wait
template <class K, class V, class Order = Less>
void merge_by_key(Workspace& space,
                  cudaStream_t stream,
                  Columns<const K, const V> a,
                  std::int64_t a_size,
                  Columns<const K, const V> b,
                  std::int64_t b_size,
                  Columns<K, V> out,
                  Order less = {}) {
  const std::int64_t n = a_size + b_size;
  if (n <= 0) return;
  const MergePlan plan = plan_merge<MergeShape<Item<K, V>>>(n, n, 2);
  auto* splits = static_cast<std::int64_t*>(
      space.scratch(static_cast<std::uint64_t>(plan.splits(2)) * sizeof(std::int64_t)));
  launch_merge<2>(space, stream, TwoRuns<K, V>{a, b, a_size, b_size}, plan, splits, out, less);
}

}  // namespace yupana::arrays::cuda
