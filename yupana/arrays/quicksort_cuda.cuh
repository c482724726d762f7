#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "yupana/arrays/merge_sort_cuda.cuh"
#include "yupana/arrays/quicksort_scatter_cuda.cuh"
#include "yupana/arrays/scan_counts_cuda.hpp"
#include "yupana/core/cuda/launch.hpp"

namespace yupana::arrays::cuda {

/// How many levels are foreseen, and how many buckets each makes of a segment.
struct QuicksortPlan {
  int levels = 0;
  int bits[8] = {};
  std::int64_t chunk = 0;  ///< keys whose places are counted together
  int spare = 4;           ///< levels beyond those foreseen before mergesort takes over
};

/// Leaves are half full on average if chance has it so: what exceeds a block waits for a level that
/// few need.
template <class K, class V, class Order>
QuicksortPlan plan_quicksort(std::int64_t n, int multiprocessors) {
  using Leaves = LeafShape<K, V>;
  QuicksortPlan plan;
  int bits = n <= Leaves::most
                 ? 0
                 : std::bit_width(static_cast<std::uint64_t>(divide_up(n, Leaves::most / 2) - 1));
  plan.levels = static_cast<int>(divide_up(bits, max_bucket_bits));
  for (int level = 0; level < plan.levels; ++level) {
    plan.bits[level] = static_cast<int>(divide_up(bits, plan.levels - level));
    bits -= plan.bits[level];
  }
  // Every multiprocessor gets a few chunks' blocks, and a long array few counts.
  using Scatter = ScatterShapeFor<K, V, Order>;
  const std::int64_t places = std::int64_t{4} * Scatter::blocks * multiprocessors;
  plan.chunk = Scatter::tile * std::clamp<std::int64_t>(n / (Scatter::tile * places), 1, 8);
  return plan;
}

/// Bounds of what a level has to do and leaves to do, and where it writes that.
template <class K>
struct LevelBounds {
  std::int64_t segments, chunks, next_segments, next_chunks, leaves;
  int bits;
  std::int64_t places() const { return chunks << bits; }

  /// `leaf` keys fit a block.
  LevelBounds(std::int64_t n,
              std::int64_t of_segments,
              std::int64_t of_chunks,
              int of_bits,
              std::int64_t chunk,
              std::int64_t leaf)
      : segments(of_segments), chunks(of_chunks), bits(of_bits) {
    next_segments = std::min(segments << bits, n / leaf);
    next_chunks = n / chunk + next_segments;
    leaves = (segments << bits) + n / leaf;
  }

  /// Places the parts from `at` on and moves it past their end; null only counts.
  LevelRoom<K> place(std::uint64_t& at, unsigned char* memory) const {
    const auto take = [&](auto*& part, std::int64_t count) {
      using Part = std::remove_reference_t<decltype(*part)>;
      part = reinterpret_cast<Part*>(memory + at);
      at += static_cast<std::uint64_t>(
          round_up(count * static_cast<std::int64_t>(sizeof(Part)), 256));
    };
    LevelRoom<K> room;
    take(room.pivots, segments << bits);
    take(room.places, places());
    take(room.segments, next_segments);
    take(room.owners, next_chunks);
    take(room.leaves, leaves);
    take(room.left, 1);
    return room;
  }
};

/// Bytes for the scan of a level's counts, which requests the workspace for itself and so gets the
/// front: a word or two a tile of at least 1,024 counts.
inline std::int64_t scan_room(std::int64_t places) { return round_up(places / 32 + 4096, 256); }

/// One sort: where its levels write, and its launches.
template <class K, class V, class Order>
class Quicksort {
 public:
  Quicksort(Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n, Order less)
      : space_(space), stream_(stream), data_(data), n_(n), less_(less) {}

  void run(const QuicksortPlan& plan) {
    if (plan.levels == 0) {
      sort_leaves(data_, {0, static_cast<std::int32_t>(n_), false}, nullptr, nullptr, 1);
      return;
    }
    lay_out(plan);
    Columns<K, V> from = data_, to = other_;
    Segments segments;
    segments.only = {0, n_, 0};
    segments.chunk = plan.chunk;
    for (int level = 0; level < plan.levels; ++level) {
      run_level(segments, planned_[static_cast<std::size_t>(level)], from, to);
      std::swap(from, to);
    }
    run_spare_levels(plan, segments, from, to);
  }

 private:
  using Leaves = LeafShape<K, V>;
  struct Level {
    LevelBounds<K> bounds;
    LevelRoom<K> room;
  };

  void lay_out(const QuicksortPlan& plan) {
    std::vector<LevelBounds<K>> bounds;
    std::int64_t segments = 1, chunks = divide_up(n_, plan.chunk);
    for (int level = 0; level < plan.levels; ++level) {
      bounds.emplace_back(n_, segments, chunks, plan.bits[level], plan.chunk, Leaves::most);
      segments = bounds.back().next_segments;
      chunks = bounds.back().next_chunks;
    }
    // As many as a spare level may have.
    const std::int64_t max_places = (n_ / plan.chunk + n_ / Leaves::most + 1) << plan.bits[0];
    const auto bytes = [&](std::int64_t size) {
      return static_cast<std::uint64_t>(round_up(n_ * size, 256));
    };
    // Twice: to count, then to place.
    unsigned char* memory = nullptr;
    for (int round = 0; round < 2; ++round) {
      auto at = static_cast<std::uint64_t>(scan_room(max_places));
      other_.keys = reinterpret_cast<K*>(memory + at);
      at += bytes(sizeof(K));
      if constexpr (Columns<K, V>::has_values) {
        other_.values = reinterpret_cast<V*>(memory + at);
        at += bytes(sizeof(V));
      }
      buckets_ = memory + at;
      at += bytes(1);
      planned_.clear();
      for (const LevelBounds<K>& b : bounds) planned_.push_back({b, b.place(at, memory)});
      if (round == 0) memory = static_cast<unsigned char*>(space_.scratch(at));
    }
  }

  /// Parts the segments, sorts the leaves into data_, and makes `segments` those of the next level.
  void run_level(Segments& segments, Level& level, Columns<K, V> from, Columns<K, V> to) {
    const LevelBounds<K>& bounds = level.bounds;
    LevelRoom<K>& room = level.room;
    room.buckets = buckets_;
    find_pivots(segments, bounds, room, from);
    yupana::cuda::launch_dependent("classify keys",
                                   classify_kernel<K, Order>,
                                   {bounds.chunks, ClassifyShape::threads},
                                   stream_,
                                   static_cast<const K*>(from.keys),
                                   segments,
                                   bounds.bits,
                                   room,
                                   less_);
    scan_counts(space_, stream_, room.places, bounds.places());
    const bool copies = to.keys != data_.keys;
    yupana::cuda::launch_dependent("plan the next level",
                                   hand_on_kernel<K, Order>,
                                   {bounds.segments, max_buckets},
                                   stream_,
                                   segments,
                                   bounds.bits,
                                   room,
                                   Leaves::most,
                                   copies,
                                   less_);
    using Scatter = ScatterShapeFor<K, V, Order>;
    constexpr int bytes = static_cast<int>(sizeof(ScatterShared<Item<K, V>, Scatter>));
    static_assert(bytes <= yupana::cuda::shared_bytes_everywhere);
    static_assert(Leaves::bytes <= yupana::cuda::shared_bytes_everywhere);
    const auto scatter = scatter_kernel<K, V, Scatter>;
    yupana::cuda::launch_dependent("scatter keys",
                                   scatter,
                                   {bounds.chunks, Scatter::threads, bytes},
                                   stream_,
                                   from,
                                   segments,
                                   bounds.bits,
                                   room,
                                   to);
    sort_leaves(to, {}, room.leaves, room.left, bounds.leaves);
    segments.many = room.segments;
    segments.owners = room.owners;
    segments.left = room.left;
  }

  void find_pivots(const Segments& segments,
                   const LevelBounds<K>& bounds,
                   const LevelRoom<K>& room,
                   Columns<K, V> from) {
    using Sample = SampleShape<K>;
    const int sample_bits = Sample::sample_bits(bounds.bits);
    const auto launch = [&](auto kernel, int count) {
      yupana::cuda::launch_dependent("quicksort",
                                     kernel,
                                     {bounds.segments, Sample::threads, Sample::bytes(count)},
                                     stream_,
                                     static_cast<const K*>(from.keys),
                                     segments,
                                     bounds.bits,
                                     sample_bits,
                                     room,
                                     less_);
    };
    if (1 << sample_bits <= Sample::threads * Sample::few) {
      launch(pivot_kernel<Sample::few, K, Order>, Sample::few);
    } else {
      launch(pivot_kernel<Sample::many, K, Order>, Sample::many);
    }
  }

  void sort_leaves(
      Columns<K, V> from, Leaf only, const Leaf* leaves, const LeftOver* left, std::int64_t most) {
    const auto kernel = leaf_kernel<K, V, Leaves, Order>;
    // A block may have several: some thousand keep the device even where leaves differ in size.
    const std::int64_t blocks = std::min<std::int64_t>(
        most, std::int64_t{64} * yupana::cuda::device_facts().multiprocessors);
    yupana::cuda::launch_dependent("quicksort",
                                   kernel,
                                   {blocks, Leaves::threads, Leaves::bytes},
                                   stream_,
                                   from,
                                   only,
                                   leaves,
                                   left,
                                   data_,
                                   less_);
  }

  /// Levels for what chance or a pattern has left longer than a block, as long as there is any; the
  /// host looks. Were a pattern to withstand them all, mergesort bounds the work.
  void run_spare_levels(const QuicksortPlan& plan,
                        Segments segments,
                        Columns<K, V> from,
                        Columns<K, V> to) {
    std::vector<yupana::cuda::DeviceArray<unsigned char>> memory;
    for (int spare = 0;; ++spare) {
      LeftOver left{};
      yupana::cuda::check(
          cudaMemcpyAsync(&left, segments.left, sizeof(left), cudaMemcpyDeviceToHost, stream_),
          "ask what is left");
      yupana::cuda::check(cudaStreamSynchronize(stream_), "quicksort");
      if (left.segments == 0) return;
      if (spare >= plan.spare && from.keys == data_.keys) {
        return merge_sort_by_key(space_, stream_, data_, n_, less_);
      }
      const auto parts = static_cast<std::uint64_t>(
          divide_up(static_cast<std::int64_t>(left.longest), Leaves::most / 2));
      const int bits = std::clamp(static_cast<int>(std::bit_width(parts - 1)), 1, plan.bits[0]);
      Level level{{n_, left.segments, left.chunks, bits, plan.chunk, Leaves::most}, {}};
      std::uint64_t bytes = 0;
      level.bounds.place(bytes, nullptr);
      memory.emplace_back(static_cast<std::int64_t>(bytes));
      bytes = 0;
      level.room = level.bounds.place(bytes, memory.back().data());
      run_level(segments, level, from, to);
      std::swap(from, to);
    }
  }

  Workspace& space_;
  cudaStream_t stream_;
  Columns<K, V> data_, other_{};
  std::int64_t n_;
  Order less_;
  std::uint8_t* buckets_ = nullptr;
  std::vector<Level> planned_;
};

/// Quicksort with up to 256 buckets a level in device memory; values move with their keys. Equal
/// keys that can be told apart keep their order, since every step keeps it; so the bytes are the
/// same in every run, and mergesort's.
///   less: a device function object, a strict weak order; K and V together at most 32 bytes
///   work: levels of 8 comparisons a key until leaves fit a block, two up to 2.7e8 keys of at most
///   8 bytes, then log2 steps there; fewer where keys are often equal. What chance leaves longer
///   takes further levels; after four of those mergesort takes over, whatever the input
///   memory: a copy of keys and values, a byte a key, less than half a byte a key of counts (a byte
///   where key and value have over 8); in the workspace. The host waits for the device
///   source: Leischner, Osipov, Sanders, GPU sample sort, 2010; the search tree and the buckets of
///   equal keys after Sanders, Winkel, Super scalar sample sort, 2004
template <class K, class V, class Order = Less>
void quicksort_by_key(
    Workspace& space, cudaStream_t stream, Columns<K, V> data, std::int64_t n, Order less = {}) {
  if (n < 2) return;
  Quicksort<K, V, Order>(space, stream, data, n, less)
      .run(plan_quicksort<K, V, Order>(n, yupana::cuda::device_facts().multiprocessors));
}

}  // namespace yupana::arrays::cuda
