#pragma once

#include <cmath>
#include <cstdint>

#include "yupana/arrays/async_copy_cuda.cuh"
#include "yupana/arrays/columns.hpp"
#include "yupana/arrays/merge_block_cuda.cuh"
#include "yupana/arrays/warp_cuda.cuh"
#include "yupana/core/cuda/launch.hpp"

/// Where the tiles of a merge begin in its runs.
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
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
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

/// The same by a warp, for few boundaries, where a thread's chain of loads is all there is to wait
/// for: the lanes of each run probe its candidates at even distances. Of each probe it is known
/// between which probes of the other runs it falls, so how many items at least and at most come
/// before it. Lane 32 / ways * r gets the place of the diagonal in run r. In 32 bits where 32 times
/// the items fit them.
template <int ways, class Place, class K, class V, class Runs, class Order>
__device__ Place
split_by_warp(const Runs& runs, std::int64_t group, Place target, const Order& less, int lane) {
  constexpr int probes = 32 / ways;
  const int run = lane / probes, probe = lane % probes;
  Place all = 0;
  for (int r = 0; r < ways; ++r) all += static_cast<Place>(runs.length(group, ways, r));
  const Place diagonal = min(target, all);
  const auto length = static_cast<Place>(runs.length(group, ways, run));
  const K* keys = runs.run(group, ways, run).keys;
  Place low = max(Place{0}, diagonal - (all - length));
  Place high = min(diagonal, length);
  // Probe k of a run; in a narrow one several share an item.
  const auto probe_at = [](Place from, Place until, int k) {
    return from + (until - from) * (2 * k + 1) / (2 * probes);
  };
  // Every round closes some candidates if the order is one; else the rounds end all the same.
  for (int round = 0; round < 128 && __any_sync(all_lanes, low < high); ++round) {
    const bool open = low < high;
    const Place place = open ? probe_at(low, high, probe) : low;
    // Where a run is closed, some key of it or of the first: all are compared, whatever they count.
    const Words<K> own =
        to_words(length > 0 ? keys[min(place, length - 1)] : runs.run(group, ways, 0).keys[0]);
    const K key = from_words<K>(own);
    Place least = place, most = place;
#pragma unroll
    for (int r = 0; r < ways; ++r) {
      const Place their_low = __shfl_sync(all_lanes, low, r * probes);
      const Place their_high = __shfl_sync(all_lanes, high, r * probes);
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
    Place new_low = open && most < diagonal ? place + 1 : low;
    Place new_high = open && least >= diagonal ? place : high;
    for (int distance = 1; distance < probes; distance *= 2) {
      new_low = max(new_low, __shfl_xor_sync(all_lanes, new_low, distance));
      new_high = min(new_high, __shfl_xor_sync(all_lanes, new_high, distance));
    }
    low = new_low;
    high = new_high;
  }
  return low;
}

template <int ways, class K, class V, class Runs, class Order>
__global__ void __launch_bounds__(128) split_by_warp_kernel(Runs runs,
                                                            std::int64_t groups,
                                                            std::int64_t tiles,
                                                            int tile,
                                                            std::int64_t* splits,
                                                            Order less) {
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  const std::int64_t at = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (at >= groups * (tiles + 1)) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t low = split_by_warp<ways, std::int64_t, K, V>(
      runs, at / (tiles + 1), at % (tiles + 1) * tile, less, lane);
  if (lane % (32 / ways) == 0) splits[at * ways + lane / (32 / ways)] = low;
}

/// Tiles from one boundary that a warp finds to the next, where there are many of two runs.
inline constexpr std::int64_t coarse_tiles = 32;

/// The boundaries of two runs between those of every 32nd tile, a thread each. It looks around
/// where the boundary would stand if both runs advanced evenly, as far as chance would take it,
/// then farther: neighbouring lines of memory, where halving all candidates takes 27 steps to
/// distant ones for 2^27 items.
template <class K, class V, class Runs, class Order>
__global__ void __launch_bounds__(128) split_between_kernel(Runs runs,
                                                            std::int64_t groups,
                                                            std::int64_t tiles,
                                                            int tile,
                                                            const std::int64_t* coarse,
                                                            std::int64_t* splits,
                                                            Order less) {
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  const std::int64_t at = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= groups * (tiles + 1)) return;
  const std::int64_t group = at / (tiles + 1);
  const std::int64_t a_size = runs.length(group, 2, 0), b_size = runs.length(group, 2, 1);
  const K* a = runs.run(group, 2, 0).keys;
  const K* b = runs.run(group, 2, 1).keys;
  const std::int64_t diagonal = min(at % (tiles + 1) * tile, a_size + b_size);
  const std::int64_t steps = (tiles + coarse_tiles - 1) / coarse_tiles;
  const std::int64_t step = min(at % (tiles + 1) / coarse_tiles, steps - 1);
  const std::int64_t* ends = coarse + (group * (steps + 1) + step) * 2;
  const std::int64_t first = ends[0] + ends[1], items = ends[2] + ends[3] - first;
  // An order that contradicts itself may give any ends; they must not lead out of the runs.
  const std::int64_t least = max(std::int64_t{0}, diagonal - b_size), most = min(diagonal, a_size);
  std::int64_t low = min(max(max(ends[0], diagonal - ends[3]), least), most);
  std::int64_t high = max(min(min(ends[2], diagonal - ends[1]), most), low);
  const auto is_beyond = [&](std::int64_t place) {
    return less(b[diagonal - 1 - place], a[place]);
  };
  const std::int64_t guess =
      ends[0] + static_cast<std::int64_t>(static_cast<double>(ends[2] - ends[0]) *
                                          static_cast<double>(diagonal - first) /
                                          static_cast<double>(max(items, std::int64_t{1})));
  for (auto reach = static_cast<std::int64_t>(sqrtf(static_cast<float>(items)) / 2) + 1; low < high;
       reach *= 8) {
    const std::int64_t left = guess - reach, right = guess + reach;
    const bool asks_left = left >= low && left < high, asks_right = right >= low && right < high;
    const bool left_beyond = asks_left && is_beyond(left);
    const bool right_beyond = asks_right && is_beyond(right);
    if (asks_left && left_beyond) high = left;
    if (asks_left && !left_beyond) low = left + 1;
    if (asks_right && right_beyond) high = min(high, right);
    if (asks_right && !right_beyond) low = max(low, right + 1);
    if (left < low && right >= high) break;
  }
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (is_beyond(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  splits[at * 2] = low;
  splits[at * 2 + 1] = diagonal - low;
}

}  // namespace yupana::arrays::cuda
