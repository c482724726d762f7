#pragma once

#include <cstdint>

#include "yupana/arrays/quicksort_level_cuda.cuh"
#include "yupana/core/cuda/launch.hpp"

/// The other two kernels of a level of quicksort: keys to their buckets, and the leaves.
namespace yupana::arrays::cuda {

/// How a key finds its rank among those of its tile that go to the same bucket.
enum class Ranks {
  by_ballots,  ///< lanes of a warp vote, a bit of the bucket at a time; `match`, which
               ///< does so in one instruction, takes half as long again
  by_atomics,  ///< whoever comes first: where equal keys cannot be told apart
};

/// A tile is put in the order of buckets in shared memory, so that what goes to one bucket is
/// written side by side.
template <class K, class V, Ranks how = Ranks::by_ballots>
struct ScatterShape {
  using I = Item<K, V>;
  static constexpr Ranks ranks = how;
  // Registers decide: whatever spilled took up to twice as long.
  static constexpr int threads = sizeof(I) <= 4 && how == Ranks::by_atomics ? 512
                                 : sizeof(I) <= 8                           ? 384
                                 : sizeof(I) <= 16                          ? 512
                                                                            : 256;
  static constexpr int rows = sizeof(I) <= 8 ? 16 : 8;
  static constexpr int blocks = sizeof(I) <= 8 ? 2 : 1;
  static constexpr int tile = threads * rows;
};

/// The way that is quickest without changing what can be told apart.
template <class K, class V, class Order>
using ScatterShapeFor =
    ScatterShape<K, V, any_order_of_equals<K, V, Order> ? Ranks::by_atomics : Ranks::by_ballots>;

template <class I, class Shape>
struct ScatterShared {
  static constexpr bool by_warps = Shape::ranks != Ranks::by_atomics;
  static constexpr int warps = by_warps ? Shape::threads / 32 : 1;
  alignas(16) unsigned char items[Shape::tile * sizeof(I)];
  alignas(16) std::uint32_t places[warps][max_buckets];
  std::uint8_t buckets[Shape::tile];
  std::int64_t shift[max_buckets];  ///< from the place in the tile to that in the array
  std::uint32_t of_warp[max_buckets / 32];
};

/// Lanes whose bucket is one's own.
__device__ inline unsigned peers_of(unsigned bucket) {
  unsigned peers = all_lanes;
#pragma unroll
  for (int bit = 0; bit < max_bucket_bits; ++bit) {
    const unsigned with = __ballot_sync(all_lanes, (bucket >> bit & 1) != 0);
    // All ones where one's own bit is set.
    const auto own = static_cast<unsigned>(static_cast<int>(bucket << (31 - bit)) >> 31);
    peers &= ~(with ^ own);
  }
  return peers;
}

/// Items [0, count) of a tile to their buckets; `next` is the next place of thread b's bucket b.
template <bool full, class K, class V, class Shape>
__device__ inline void scatter_tile(ScatterShared<Item<K, V>, Shape>& shared,
                                    Columns<const K, const V> in,
                                    const std::uint8_t* buckets,
                                    int count,
                                    std::int64_t& next,
                                    Columns<K, V> out) {
  using I = Item<K, V>;
  constexpr bool by_warps = Shape::ranks != Ranks::by_atomics;
  constexpr int warps = ScatterShared<I, Shape>::warps;
  I* items = reinterpret_cast<I*>(shared.items);
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  const int from = warp * 32 * Shape::rows + lane;
  std::uint32_t* places = shared.places[by_warps ? warp : 0];
  unsigned ranks[Shape::rows];  // and the bucket in the upper half
  Held<I, Shape::rows> held;
  I(&own)[Shape::rows] = held.items;
  const auto row = [&](int r) { return full || from + 32 * r < count ? from + 32 * r : 0; };
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) ranks[r] = buckets[row(r)];
  if constexpr (!by_warps) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) own[r] = load_item<K, V>(in, row(r));
  }
  if constexpr (by_warps) {
    uint4* own_places = reinterpret_cast<uint4*>(places);
    own_places[lane] = uint4{};
    own_places[lane + 32] = uint4{};
    __syncwarp();
  } else {
    if (thread < max_buckets) places[thread] = 0;
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const unsigned bucket = ranks[r];
    const bool valid = full || from + 32 * r < count;
    if constexpr (by_warps) {
      unsigned peers = peers_of(bucket);
      if constexpr (!full) peers &= __ballot_sync(all_lanes, valid);
      const unsigned lower = peers & ((1u << lane) - 1);
      const unsigned before = places[bucket];
      __syncwarp();
      if (lower == 0 && valid) places[bucket] = before + __popc(peers);
      __syncwarp();
      ranks[r] = bucket << 16 | (before + __popc(lower));
    } else {
      ranks[r] = bucket << 16 | (valid ? atomicAdd(&places[bucket], 1u) : 0);
    }
  }
  if constexpr (by_warps) {
    // Not ahead of the ranks: the registers would not do.
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) own[r] = load_item<K, V>(in, row(r));
  }
  __syncthreads();
  // A thread a bucket: how many there are, where they begin, where each warp's begin.
  unsigned total = 0, through = 0;
  if (thread < max_buckets) {
#pragma unroll
    for (int w = 0; w < warps; ++w) total += shared.places[w][thread];
    through = scan_lanes(total, Plus{}, lane);
    if (lane == 31) shared.of_warp[warp] = through;
  }
  __syncthreads();
  if (thread < max_buckets) {
    unsigned place = through - total;
#pragma unroll
    for (int w = 0; w < max_buckets / 32; ++w) place += w < warp ? shared.of_warp[w] : 0;
    shared.shift[thread] = next - place;
    next += total;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const unsigned of_warp = shared.places[w][thread];
      shared.places[w][thread] = place;
      place += of_warp;
    }
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    if (!full && from + 32 * r >= count) continue;
    const unsigned bucket = ranks[r] >> 16, place = places[bucket] + (ranks[r] & 0xffff);
    items[place] = own[r];
    shared.buckets[place] = static_cast<std::uint8_t>(bucket);
  }
  __syncthreads();
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int place = r * Shape::threads + thread;
    if (!full && place >= count) continue;
    store_item<K, V>(items[place], out + place, shared.shift[shared.buckets[place]]);
  }
}

/// Keys keep their order within a bucket, unless by atomics: lanes, rows, warps, tiles and chunks
/// follow one another in every sum.
template <class K, class V, class Shape>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    scatter_kernel(Columns<const K, const V> in,
                   Segments segments,
                   int bits,
                   LevelRoom<K> room,
                   Columns<K, V> out) {
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<ScatterShared<Item<K, V>, Shape>*>(memory);
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  if (blockIdx.x >= segments.chunks()) return;
  const int thread = static_cast<int>(threadIdx.x);
  const Segment segment = segments.segment(segments.owner(blockIdx.x));
  const std::int64_t chunk = blockIdx.x - segment.first_chunk;
  const std::int64_t begin = segment.begin + chunk * segments.chunk;
  const std::int64_t end = min(begin + segments.chunk, segment.end);
  std::int64_t next = 0;
  if (thread < 1 << bits) {
    const std::int64_t* places = room.places + (segment.first_chunk << bits);
    next = segment.begin + places[thread * segments.chunks_of(segment) + chunk] - places[0];
  }
  std::int64_t first = begin;
  for (; first + Shape::tile <= end; first += Shape::tile) {
    scatter_tile<true, K, V, Shape>(
        shared, in + first, room.buckets + first, Shape::tile, next, out);
  }
  if (first < end) {
    const int count = static_cast<int>(end - first);
    scatter_tile<false, K, V, Shape>(shared, in + first, room.buckets + first, count, next, out);
  }
}

/// Blocks that sort leaves: `few` items a thread where that is enough. Blocks of half as many
/// threads sort 8-byte items an eighth faster, but from 2^27 on take another level.
template <class K, class V>
struct LeafShape {
  using I = Item<K, V>;
  static constexpr int threads = 256;
  static constexpr int many = sizeof(I) <= 8 ? 33 : (sizeof(I) <= 16 ? 17 : 9);
  static constexpr int few = many / 2 + 1;
  static constexpr int blocks = sizeof(I) <= 4 ? 4 : (sizeof(I) <= 16 ? 3 : 2);
  static constexpr int most = threads * many;  // items
  static constexpr int bytes = (threads + 1) * many * static_cast<int>(sizeof(I)) + 16;
};

/// `only` where there is no list.
template <class K, class V, class Shape, class Order>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    leaf_kernel(Columns<const K, const V> in,
                Leaf only,
                const Leaf* leaves,
                const LeftOver* left,
                Columns<K, V> out,
                Order less) {
  using I = Item<K, V>;
  constexpr bool stable = !any_order_of_equals<K, V, Order>;
  extern __shared__ __align__(128) unsigned char memory[];
  I* items = reinterpret_cast<I*>(memory);
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  const int thread = static_cast<int>(threadIdx.x);
  const std::uint32_t count = leaves == nullptr ? 1 : left->leaves;
  for (std::uint32_t l = blockIdx.x; l < count; l += gridDim.x) {
    const Leaf leaf = leaves == nullptr ? only : leaves[l];
    for (int at = thread; at < leaf.size; at += Shape::threads) {
      bring_item<K, V>(in, leaf.begin + at, &items[at]);
    }
    wait_for_copies();
    __syncthreads();
    if (!leaf.is_sorted) {
      if (leaf.size <= Shape::threads * Shape::few) {
        sort_in_block<stable, Shape::few>(items, leaf.size, thread, less);
      } else {
        sort_in_block<stable, Shape::many>(items, leaf.size, thread, less);
      }
    }
    for (int at = thread; at < leaf.size; at += Shape::threads) {
      store_item<K, V>(items[at], out, leaf.begin + at);
    }
    __syncthreads();
  }
}

}  // namespace yupana::arrays::cuda
