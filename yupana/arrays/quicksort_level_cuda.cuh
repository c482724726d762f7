#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/async_copy_cuda.cuh"
#include "yupana/arrays/merge_block_cuda.cuh"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/tiles.hpp"

/// The kernels of one level of a quicksort with many pivots (sample sort). A level parts every
/// segment that is too long for one block into 2^bits buckets: pivots from a sorted sample; every
/// key finds its bucket by a search in shared memory, which is written down (a byte a key) and
/// counted; a scan of the counts says where each chunk's share of a bucket begins; keys go there.
/// Buckets that fit a block become leaves, the others the segments of the next level.
namespace yupana::arrays::cuda {

inline constexpr int max_bucket_bits = 8;
inline constexpr int max_buckets = 1 << max_bucket_bits;

/// A stretch of the array to be parted, and its first chunk.
struct Segment {
  std::int64_t begin, end, first_chunk;
};
/// A stretch that one block sorts, or merely copies where all its keys are equal.
struct Leaf {
  std::int64_t begin;
  std::int32_t size;
  bool is_sorted;
};
/// What the level before left to do.
struct LeftOver {
  std::uint32_t segments, chunks, leaves;
  unsigned long long longest;  ///< of the segments
};

/// The segments of a level. The first level has one, known to the host; of the others the host
/// knows bounds.
struct Segments {
  Segment only{};
  const Segment* many = nullptr;
  const std::uint32_t* owners = nullptr;  ///< the segment of each chunk
  const LeftOver* left = nullptr;
  std::int64_t chunk = 0;  ///< keys

  __device__ std::uint32_t count() const { return many == nullptr ? 1 : left->segments; }
  __device__ std::uint32_t chunks() const {
    return many == nullptr ? static_cast<std::uint32_t>((only.end + chunk - 1) / chunk)
                           : left->chunks;
  }
  __device__ std::uint32_t owner(std::uint32_t of_chunk) const {
    return many == nullptr ? 0 : owners[of_chunk];
  }
  __device__ Segment segment(std::uint32_t i) const { return many == nullptr ? only : many[i]; }
  __device__ std::int64_t chunks_of(const Segment& segment) const {
    return (segment.end - segment.begin + chunk - 1) / chunk;
  }
};

/// What a level writes besides keys.
template <class K>
struct LevelRoom {
  K* pivots = nullptr;              ///< 2^bits of each segment, the first of them unused
  std::uint8_t* buckets = nullptr;  ///< of each key
  std::int64_t* places = nullptr;   ///< of segment, bucket, chunk: counts, then their scan
  Segment* segments = nullptr;      ///< of the next level, and what belongs to them
  std::uint32_t* owners = nullptr;
  LeftOver* left = nullptr;
  Leaf* leaves = nullptr;
};

/// Threads and keys a thread of a block that sorts a sample.
template <class K>
struct SampleShape {
  static constexpr int threads = 1024;
  static constexpr int few = sizeof(K) <= 8 ? 9 : sizeof(K) <= 16 ? 5 : 3;
  /// Where the device has the shared memory.
  static constexpr int many = sizeof(K) <= 8 ? 17 : sizeof(K) <= 16 ? 9 : 5;
  /// log2 of the keys sampled for each bucket: with 64 buckets' sizes vary by an eighth.
  static constexpr int wanted_bits = 6;
  static constexpr int bytes(int count) {
    return (threads + 1) * count * static_cast<int>(sizeof(K)) + 16;
  }
  static_assert(bytes(few) <= yupana::cuda::shared_bytes_everywhere);
  /// log2 of how many: a power of two, so that places take no division.
  static int sample_bits(int bits) {
    const bool fits = bytes(many) <= yupana::cuda::device_facts().max_shared_bytes;
    int most = 0;
    while (2 << most <= threads * (fits ? many : few)) ++most;
    return std::min(bits + wanted_bits, most);
  }
};

/// Any number of 64 bits from any other: samples of regular data must not be regular.
__device__ inline std::uint64_t scrambled(std::uint64_t z) {
  z = (z + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// pivots[segment << bits | j] = the sample's key of rank j / 2^bits, j > 0.
template <int count, class K, class Order>
__global__ void __launch_bounds__(SampleShape<K>::threads) pivot_kernel(
    const K* keys, Segments segments, int bits, int sample_bits, LevelRoom<K> room, Order less) {
  using I = Item<K, NoValue>;
  extern __shared__ __align__(128) unsigned char memory[];
  I* items = reinterpret_cast<I*>(memory);
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  const int thread = static_cast<int>(threadIdx.x);
  if (blockIdx.x == 0 && thread == 0) *room.left = LeftOver{};
  if (blockIdx.x >= segments.count()) return;
  const Segment segment = segments.segment(blockIdx.x);
  const std::int64_t length = segment.end - segment.begin;
  // One key of each of as many equal parts, anywhere in it.
  const int samples = 1 << sample_bits;
  for (int i = thread; i < samples; i += SampleShape<K>::threads) {
    const std::int64_t first = (i * length) >> sample_bits;
    const std::int64_t after = ((i + 1) * length) >> sample_bits;
    const std::uint64_t chance = scrambled(static_cast<std::uint64_t>(i ^ length));
    const auto at = first + static_cast<std::int64_t>(
                                __umul64hi(chance, static_cast<std::uint64_t>(after - first)));
    bring_item<K, NoValue>({keys, nullptr}, segment.begin + at, &items[i]);
  }
  wait_for_copies();
  __syncthreads();
  sort_in_block<false, count>(items, samples, thread, less);
  for (int j = thread; j < 1 << bits; j += SampleShape<K>::threads) {
    room.pivots[(std::int64_t{blockIdx.x} << bits) + j] = items[j * (samples >> bits)].key;
  }
}

/// Keys x of segment: bucket(x) = how many pivots are <= x. Where a pivot occurs twice, what equals
/// it goes to the bucket between its last two, which otherwise would be empty: so keys that occur
/// often are done with, whatever their number. Pivots are numbered from 1.
template <class K, class Order>
__device__ inline bool holds_equals(const K* pivots, int bits, int bucket, const Order& less) {
  return bucket > 0 && bucket + 1 < 1 << bits && !less(pivots[bucket], pivots[bucket + 1]);
}

struct ClassifyShape {
  static constexpr int threads = 256, rows = 8, tile = threads * rows;
};

template <class K>
struct ClassifyShared {
  alignas(16) unsigned char tree[max_buckets * sizeof(K)];  ///< of i: 2 i and 2 i + 1
  alignas(16) unsigned char sorted[max_buckets * sizeof(K)];
  bool equals[max_buckets];
  std::uint32_t counts[max_buckets];
  __device__ const K& pivot(unsigned bucket) const {
    return reinterpret_cast<const K*>(sorted)[bucket];
  }
};

/// `count` keys, a tile's unless it is not `full`. Keys' searches run side by side; a node is its
/// offset in bytes, so that a step is a load, a comparison, a doubling and an addition.
template <bool full, class K, class Order>
__device__ inline void classify_tile(ClassifyShared<K>& shared,
                                     const K* keys,
                                     int count,
                                     int bits,
                                     bool has_equals,
                                     std::uint8_t* to,
                                     const Order& less) {
  using Shape = ClassifyShape;
  constexpr auto bytes = static_cast<unsigned>(sizeof(K));
  const int thread = static_cast<int>(threadIdx.x);
  Held<K, Shape::rows> held;
  K(&own)[Shape::rows] = held.items;
  unsigned node[Shape::rows];
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    const int at = r * Shape::threads + thread;
    own[r] = keys[full || at < count ? at : 0];
    node[r] = bytes;
  }
  for (int depth = 0; depth < bits; ++depth) {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
      const bool left = less(own[r], *reinterpret_cast<const K*>(shared.tree + node[r]));
      node[r] *= 2;
      if (!left) node[r] += bytes;
    }
  }
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) {
    unsigned bucket = node[r] / bytes - (1u << bits);
    if (has_equals && bucket > 1 && shared.equals[bucket - 1] &&
        !less(shared.pivot(bucket), own[r])) {
      --bucket;
    }
    const int at = r * Shape::threads + thread;
    if (full || at < count) {
      to[at] = static_cast<std::uint8_t>(bucket);
      atomicAdd(&shared.counts[bucket], 1u);
    }
  }
}

template <class K, class Order>
__global__ void __launch_bounds__(ClassifyShape::threads)
    classify_kernel(const K* keys, Segments segments, int bits, LevelRoom<K> room, Order less) {
  using Shape = ClassifyShape;
  __shared__ ClassifyShared<K> shared;
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  const int thread = static_cast<int>(threadIdx.x);
  if (blockIdx.x >= segments.chunks()) return;
  const std::uint32_t number = segments.owner(blockIdx.x);
  const Segment segment = segments.segment(number);
  const K* pivots = room.pivots + (std::int64_t{number} << bits);
  bool equal = false;
  if (thread < 1 << bits) {
    const int depth = thread > 0 ? 31 - __clz(thread) : 0;
    const int of_depth = thread - (1 << depth);
    const int middle = ((2 * of_depth + 1) << bits) >> (depth + 1);
    reinterpret_cast<K*>(shared.sorted)[thread] = pivots[thread];
    if (thread > 0) reinterpret_cast<K*>(shared.tree)[thread] = pivots[middle];
    equal = holds_equals(pivots, bits, thread, less);
    shared.equals[thread] = equal;
    shared.counts[thread] = 0;
  }
  const bool has_equals = __syncthreads_or(equal) != 0;
  const std::int64_t chunk = blockIdx.x - segment.first_chunk;
  const std::int64_t begin = segment.begin + chunk * segments.chunk;
  const std::int64_t end = min(begin + segments.chunk, segment.end);
  std::int64_t first = begin;
  for (; first + Shape::tile <= end; first += Shape::tile) {
    classify_tile<true>(
        shared, keys + first, Shape::tile, bits, has_equals, room.buckets + first, less);
  }
  if (first < end) {
    const int count = static_cast<int>(end - first);
    classify_tile<false>(shared, keys + first, count, bits, has_equals, room.buckets + first, less);
  }
  __syncthreads();
  if (thread < 1 << bits) {
    const std::int64_t chunks = segments.chunks_of(segment);
    room.places[(segment.first_chunk << bits) + thread * chunks + chunk] = shared.counts[thread];
  }
}

/// Where a bucket begins, once the counts are scanned.
template <class K>
__device__ inline std::int64_t bucket_begin(const LevelRoom<K>& room,
                                            const Segments& segments,
                                            const Segment& segment,
                                            int bits,
                                            int bucket) {
  if (bucket == 1 << bits) return segment.end;
  const std::int64_t* places = room.places + (segment.first_chunk << bits);
  return segment.begin + places[bucket * segments.chunks_of(segment)] - places[0];
}

/// The sum of a value over the threads before, for blocks of 256; `all` gets the sum of all.
__device__ inline std::uint32_t sum_before(std::uint32_t value, std::uint32_t& all) {
  __shared__ std::uint32_t of_warp[8];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::uint32_t through = scan_lanes(value, Plus{}, lane);
  __syncthreads();
  if (lane == 31) of_warp[warp] = through;
  __syncthreads();
  std::uint32_t before = through - value;
  all = 0;
#pragma unroll
  for (int w = 0; w < 8; ++w) {
    before += w < warp ? of_warp[w] : 0;
    all += of_warp[w];
  }
  return before;
}

/// The last i with before[i] <= place: which of 256 neighbours a place belongs to.
__device__ inline int holder(const std::uint32_t* before, std::uint32_t place) {
  int low = 0;
  for (int step = max_buckets / 2; step > 0; step /= 2) {
    if (before[low + step] <= place) low += step;
  }
  return low;
}

/// A block a segment, a thread a bucket: leaves, and the segments of the next level. Which number
/// they get does not matter to the result. Buckets of equal keys are done with, but for a copy
/// where the level does not write to where the result belongs.
template <class K, class Order>
__global__ void __launch_bounds__(max_buckets) hand_on_kernel(
    Segments segments, int bits, LevelRoom<K> room, int leaf, bool copies, Order less) {
  __shared__ std::uint32_t pieces_before[max_buckets], chunks_before[max_buckets];
  __shared__ std::int64_t begins[max_buckets + 1];
  __shared__ bool sorted[max_buckets];
  __shared__ std::uint32_t first_leaf, first_segment, first_chunk;
  __shared__ std::uint32_t number_of[max_buckets];
  yupana::cuda::release_successor();
  yupana::cuda::wait_for_predecessor();
  if (blockIdx.x >= segments.count()) return;
  const Segment segment = segments.segment(blockIdx.x);
  const int bucket = static_cast<int>(threadIdx.x), buckets = 1 << bits;
  const std::int64_t begin = bucket_begin(room, segments, segment, bits, min(bucket, buckets));
  const std::int64_t end = bucket_begin(room, segments, segment, bits, min(bucket + 1, buckets));
  const std::int64_t size = end - begin;
  const K* pivots = room.pivots + (std::int64_t{blockIdx.x} << bits);
  const bool equal = holds_equals(pivots, bits, bucket, less);
  const bool is_leaf = size > 0 && (equal ? copies : size <= leaf);
  const bool is_segment = !equal && size > leaf;
  const std::uint32_t pieces = is_leaf ? static_cast<std::uint32_t>((size + leaf - 1) / leaf) : 0;
  const std::uint32_t chunks =
      is_segment ? static_cast<std::uint32_t>((size + segments.chunk - 1) / segments.chunk) : 0;
  std::uint32_t all_pieces, all_chunks, all_segments;
  pieces_before[bucket] = sum_before(pieces, all_pieces);
  chunks_before[bucket] = sum_before(chunks, all_chunks);
  const std::uint32_t segments_before = sum_before(is_segment ? 1 : 0, all_segments);
  begins[bucket] = begin;
  if (bucket + 1 == max_buckets) begins[max_buckets] = end;
  sorted[bucket] = equal;
  if (bucket == 0) {
    first_leaf = atomicAdd(&room.left->leaves, all_pieces);
    first_segment = atomicAdd(&room.left->segments, all_segments);
    first_chunk = atomicAdd(&room.left->chunks, all_chunks);
  }
  __syncthreads();
  if (is_segment) {
    number_of[bucket] = first_segment + segments_before;
    room.segments[number_of[bucket]] = {begin, end, first_chunk + chunks_before[bucket]};
    atomicMax(&room.left->longest, static_cast<unsigned long long>(size));
  }
  __syncthreads();
  for (std::uint32_t p = threadIdx.x; p < all_pieces; p += max_buckets) {
    const int of = holder(pieces_before, p);
    const std::int64_t from = begins[of] + std::int64_t{p - pieces_before[of]} * leaf;
    const std::int64_t left = begins[of + 1] - from;
    room.leaves[first_leaf + p] = {
        from, static_cast<std::int32_t>(left < leaf ? left : leaf), sorted[of]};
  }
  for (std::uint32_t c = threadIdx.x; c < all_chunks; c += max_buckets) {
    room.owners[first_chunk + c] = number_of[holder(chunks_before, c)];
  }
}

}  // namespace yupana::arrays::cuda
