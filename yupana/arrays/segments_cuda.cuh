#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "yupana/arrays/fold_cuda.cuh"
#include "yupana/arrays/prefix_order.hpp"
#include "yupana/arrays/scan_block_cuda.cuh"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/arrays/tile.hpp"
#include "yupana/core/cuda/launch.hpp"

/// Segments of device memory: short ones a thread each, those of up to a tile a warp each, longer
/// ones cut into pieces for all warps.
namespace yupana::arrays::cuda {

// Running sums of floats within a segment, in PrefixOrder from the segment's first value on.

/// Up to `few` values by one thread; out may be in.
template <int few, class T>
__device__ void scan_few_in_order(const T* in, int n, T before, bool exclusive, T* out) {
  constexpr int vector = vector_of<T>, vectors = few / vector;
  T through[vectors];
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    through[v] = T(-0.0);
#pragma unroll
    for (int j = 0; j < vector; ++j) {
      if (v * vector + j < n) through[v] += in[v * vector + j];
    }
  }
#pragma unroll
  for (int distance = 1; distance < vectors; distance *= 2) {
#pragma unroll
    for (int v = vectors - 1; v >= distance; --v) through[v] += through[v - distance];
  }
#pragma unroll
  for (int v = 0; v < vectors; ++v) {
    const T carry = v == 0 ? before : before + through[v > 0 ? v - 1 : 0];
    T inside = T(-0.0);
#pragma unroll
    for (int j = 0; j < vector; ++j) {
      const int at = v * vector + j;
      if (at >= n) continue;
      const T value = in[at];
      if (exclusive) out[at] = carry + inside;
      inside += value;
      if (!exclusive) out[at] = carry + inside;
    }
  }
}

/// Rows of a slice that is not whole, after `carry`.
template <class T>
__device__ void scan_rows_in_order(
    const T* in, std::int64_t n, T carry, bool exclusive, T* out, int lane) {
  using Row = ScanRows<T, 1>;
  for (std::int64_t i = 0; i < n; i += Row::row) {
    Row row;
    row.load_some(in + i, n - i, lane);
    row.scan(Plus{}, lane);
    const T total = row.total(Plus{});
    row.finish(carry, true, exclusive, Plus{}, lane);
    row.store_some(out + i, n - i, lane);
    carry += total;
  }
}

/// Up to 32 tiles, after `before`, by one warp; out may be in.
template <class T>
__device__ void scan_warp_in_order(
    const T* in, std::int64_t n, T before, bool exclusive, T* out, int lane) {
  using Order = PrefixOrder<T>;
  using Slice = ScanRows<T, static_cast<int>(Order::rows)>;
  const Plus op;
  T tiles = T(-0.0), slices = T(-0.0);  // lane l: the sum of tile l, of slice l of this tile
  for (std::int64_t i = 0, slice = 0; i < n; i += Order::slice, ++slice) {
    const int t = static_cast<int>(slice / Order::slices);
    const int s = static_cast<int>(slice % Order::slices);
    if (s == 0) slices = T(-0.0);
    const T tiles_before = lane_value(scan_lanes(tiles, op, lane), t > 0 ? t - 1 : 0);
    const T slices_before = lane_value(scan_lanes(slices, op, lane), s > 0 ? s - 1 : 0);
    T carry = t > 0 ? before + tiles_before : before;
    if (s > 0) carry += slices_before;
    if (n - i < Order::slice) {
      return scan_rows_in_order(in + i, n - i, carry, exclusive, out + i, lane);
    }
    Slice rows;
    rows.load_some(in + i, Order::slice, lane);
    const T sum = rows.fold(op, lane);
    rows.scan(op, lane);
    rows.finish(carry, true, exclusive, op, lane);
    rows.store_some(out + i, Order::slice, lane);
    if (lane == s) slices = sum;
    const T whole = lane_value(scan_lanes(slices, op, lane), static_cast<int>(Order::slices) - 1);
    if (s == Order::slices - 1 && lane == t) tiles = whole;
  }
}

/// Segments for one warp, and those for all warps.
struct SegmentLists {
  std::int64_t* middle;
  std::int64_t* large;
  unsigned long long* counts;  ///< of middle, of large

  static std::uint64_t bytes(std::int64_t segments) {
    return static_cast<std::uint64_t>(2 * segments + 2) * sizeof(std::int64_t);
  }
  static SegmentLists in(void* memory, std::int64_t segments) {
    auto* words = static_cast<std::int64_t*>(memory);
    return {words + 2, words + 2 + segments, reinterpret_cast<unsigned long long*>(words)};
  }
};

struct SegmentShape {
  static constexpr int threads = 256;
  static constexpr int max_short_scan = 16;  ///< values that one thread scans
};

template <class T, class Op>
struct SegmentTask {
  const T* in;
  const std::int64_t* offsets;
  std::int64_t segments;
  std::int64_t tile;
  Words<T> init;
  bool has_init;  // else totals begin with the first value, and scans are inclusive
  T* out;
  Words<T>* pieces;
  SegmentLists lists;
  Op op;

  __device__ void put(std::int64_t s, const T& total) const {
    out[s] = has_init ? op(from_words<T>(init), total) : total;
  }
};

template <class Order, class T, class Op>
__global__ void __launch_bounds__(SegmentShape::threads)
    fold_short_kernel(SegmentTask<T, Op> task) {
  const std::int64_t s = std::int64_t{blockIdx.x} * SegmentShape::threads + threadIdx.x;
  if (s >= task.segments) return;
  const std::int64_t begin = task.offsets[s], end = task.offsets[s + 1];
  if (begin >= end) {
    if (task.has_init) task.out[s] = from_words<T>(task.init);
    return;
  }
  if (end - begin < Order::template few<T, Op>) {
    T total = task.in[begin];
    for (std::int64_t i = begin + 1; i < end; ++i) total = task.op(total, task.in[i]);
    // A run may be cut where a tile begins, but these folds are joined in the same order.
    const bool whole = Order::pairwise || Order::pieces(begin, end, task.tile) == 1;
    if (whole || !order_matters<T, Op>) return task.put(s, total);
  }
  const bool is_large = Order::pieces(begin, end, task.tile) > 1;
  const auto place = atomicAdd(task.lists.counts + (is_large ? 1 : 0), 1ull);
  (is_large ? task.lists.large : task.lists.middle)[place] = s;
}

template <class Order, class T, class Op>
__global__ void __launch_bounds__(SegmentShape::threads) fold_long_kernel(SegmentTask<T, Op> task) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * SegmentShape::threads + threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * SegmentShape::threads / 32;
  const auto middle = static_cast<std::int64_t>(task.lists.counts[0]);
  const auto large = static_cast<std::int64_t>(task.lists.counts[1]);
  for (std::int64_t i = warp; i < middle; i += warps) {
    const std::int64_t s = task.lists.middle[i];
    const std::int64_t begin = task.offsets[s];
    const T total = Order::fold(task.in + begin, task.offsets[s + 1] - begin, task.op, lane);
    if (lane == 0) task.put(s, total);
  }
  std::int64_t turn = warp;  // continues where the segment before ended, so that all have as much
  for (std::int64_t i = 0; i < large; ++i) {
    const std::int64_t s = task.lists.large[i];
    const std::int64_t begin = task.offsets[s], end = task.offsets[s + 1];
    const std::int64_t pieces = Order::pieces(begin, end, task.tile);
    for (; turn < pieces; turn += warps) {
      const std::int64_t from = Order::piece_begin(begin, turn, task.tile);
      const std::int64_t to = min(end, Order::piece_begin(begin, turn + 1, task.tile));
      const T total = Order::fold(task.in + from, to - from, task.op, lane);
      if (lane == 0) task.pieces[begin / task.tile + s + turn] = to_words(total);
    }
    turn -= pieces;
  }
}

template <class Order, class T, class Op>
__global__ void __launch_bounds__(SegmentShape::threads)
    join_pieces_kernel(SegmentTask<T, Op> task) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * SegmentShape::threads + threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * SegmentShape::threads / 32;
  const auto large = static_cast<std::int64_t>(task.lists.counts[1]);
  for (std::int64_t i = warp; i < large; i += warps) {
    const std::int64_t s = task.lists.large[i];
    const std::int64_t begin = task.offsets[s], end = task.offsets[s + 1];
    const std::int64_t pieces = Order::pieces(begin, end, task.tile);
    const Words<T>* totals = task.pieces + (begin / task.tile + s);
    if constexpr (Order::pairwise) {
      // As arrays of T: sums of floats are what the order is kept for, other types have any.
      if constexpr (sizeof(T) == sizeof(Words<T>)) {
        const T total =
            fold_halves_by_warp(reinterpret_cast<const T*>(totals), pieces, task.op, lane);
        if (lane == 0) task.put(s, total);
        continue;
      }
    }
    if (lane != 0) continue;
    T total = from_words<T>(totals[0]);
    for (std::int64_t p = 1; p < pieces; ++p) total = task.op(total, from_words<T>(totals[p]));
    task.put(s, total);
  }
}

/// `first`, `last`: the ends of all segments, which the caller knows or over-estimates.
template <class Order, class T, class Op>
void fold_segments(Workspace& space,
                   cudaStream_t stream,
                   const T* in,
                   const std::int64_t* offsets,
                   std::int64_t segments,
                   std::int64_t last,
                   std::int64_t tile,
                   const T* init,
                   T* out,
                   Op op) {
  if (segments <= 0) return;
  const std::int64_t slots = last / tile + segments + 1;
  const std::uint64_t lists = (SegmentLists::bytes(segments) + 255) / 256 * 256;
  auto* memory = static_cast<unsigned char*>(
      space.scratch(lists + static_cast<std::uint64_t>(slots) * sizeof(Words<T>)));
  SegmentTask<T, Op> task{in,
                          offsets,
                          segments,
                          tile,
                          {},
                          init != nullptr,
                          out,
                          reinterpret_cast<Words<T>*>(memory + lists),
                          SegmentLists::in(memory, segments),
                          op};
  if (init != nullptr) memcpy(task.init.word, init, sizeof(T));
  yupana::cuda::check(cudaMemsetAsync(memory, 0, 2 * sizeof(std::int64_t), stream), "clear counts");
  const auto blocks = static_cast<unsigned>(divide_up(segments, SegmentShape::threads));
  const auto all = static_cast<unsigned>(8 * yupana::cuda::device_facts().multiprocessors);
  fold_short_kernel<Order><<<blocks, SegmentShape::threads, 0, stream>>>(task);
  fold_long_kernel<Order><<<all, SegmentShape::threads, 0, stream>>>(task);
  join_pieces_kernel<Order><<<all, SegmentShape::threads, 0, stream>>>(task);
  yupana::cuda::check_launch("fold segments");
}

template <class T, class Op>
void segmented_reduce(Workspace& space,
                      cudaStream_t stream,
                      const T* in,
                      const std::int64_t* offsets,
                      std::int64_t segments,
                      std::int64_t last,
                      T init,
                      T* totals,
                      Op op) {
  fold_segments<TiledOrder>(
      space, stream, in, offsets, segments, last, tile_size<T>, &init, totals, op);
}

/// One thread a short segment; longer ones wait for a warp, or for the whole device.
template <class T, class Op>
__global__ void __launch_bounds__(SegmentShape::threads)
    scan_short_kernel(SegmentTask<T, Op> task) {
  constexpr std::int64_t max_short = SegmentShape::max_short_scan;
  const std::int64_t s = std::int64_t{blockIdx.x} * SegmentShape::threads + threadIdx.x;
  if (s >= task.segments) return;
  const std::int64_t begin = task.offsets[s], end = task.offsets[s + 1];
  if (begin >= end) return;
  const bool exclusive = task.has_init;
  if (end - begin > max_short) {
    const bool is_large = end - begin > task.tile;
    const auto place = atomicAdd(task.lists.counts + (is_large ? 1 : 0), 1ull);
    (is_large ? task.lists.large : task.lists.middle)[place] = s;
    return;
  }
  if constexpr (has_prefix_order<T, Op>) {
    const T before = exclusive ? from_words<T>(task.init) : no_sum<T>;
    return scan_few_in_order<max_short>(
        task.in + begin, static_cast<int>(end - begin), before, exclusive, task.out + begin);
  }
  const T first = task.in[begin];
  task.out[begin] = exclusive ? from_words<T>(task.init) : first;
  T total = exclusive ? task.op(from_words<T>(task.init), first) : first;
  for (std::int64_t i = begin + 1; i < end; ++i) {
    const T value = task.in[i];
    if (exclusive) task.out[i] = total;
    total = task.op(total, value);
    if (!exclusive) task.out[i] = total;
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(SegmentShape::threads)
    scan_middle_kernel(SegmentTask<T, Op> task) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * SegmentShape::threads + threadIdx.x) / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * SegmentShape::threads / 32;
  const auto middle = static_cast<std::int64_t>(task.lists.counts[0]);
  for (std::int64_t i = warp; i < middle; i += warps) {
    const std::int64_t s = task.lists.middle[i];
    const std::int64_t begin = task.offsets[s], end = task.offsets[s + 1];
    if constexpr (has_prefix_order<T, Op>) {
      const T before = task.has_init ? from_words<T>(task.init) : no_sum<T>;
      scan_warp_in_order(
          task.in + begin, end - begin, before, task.has_init, task.out + begin, lane);
      continue;
    }
    Words<T> carry = task.init;
    bool has_carry = task.has_init;
    for (std::int64_t row = begin; row < end; row += 32) {
      const std::int64_t at = row + lane;
      const T through = scan_lanes(task.in[at < end ? at : end - 1], task.op, lane);
      const T below = value_below(through, 1);
      const T before = from_words<T>(carry);
      if (at < end) {
        if (task.has_init) {
          task.out[at] = lane == 0 ? before : task.op(before, below);
        } else {
          task.out[at] = has_carry ? task.op(before, through) : through;
        }
      }
      const T row_total = lane_value(through, 31);
      carry = to_words(has_carry ? task.op(before, row_total) : row_total);
      has_carry = true;
    }
  }
}

template <bool exclusive, class T, class Op>
void segmented_scan(Workspace& space,
                    cudaStream_t stream,
                    const T* in,
                    const std::int64_t* offsets,
                    std::int64_t segments,
                    T init,
                    T* out,
                    Op op) {
  using yupana::cuda::check;
  if (segments <= 0) return;
  constexpr std::int64_t large = 1 << 16;
  const auto words =
      static_cast<std::int64_t>(SegmentLists::bytes(segments) / sizeof(std::int64_t));
  yupana::cuda::DeviceArray<std::int64_t> memory(words);
  SegmentTask<T, Op> task{in,
                          offsets,
                          segments,
                          large,
                          {},
                          exclusive,
                          out,
                          nullptr,
                          SegmentLists::in(memory.data(), segments),
                          op};
  memcpy(task.init.word, &init, sizeof(T));
  check(cudaMemsetAsync(memory.data(), 0, 2 * sizeof(std::int64_t), stream), "clear counts");
  const auto blocks = static_cast<unsigned>(divide_up(segments, SegmentShape::threads));
  scan_short_kernel<<<blocks, SegmentShape::threads, 0, stream>>>(task);
  scan_middle_kernel<<<static_cast<unsigned>(8 * yupana::cuda::device_facts().multiprocessors),
                       SegmentShape::threads,
                       0,
                       stream>>>(task);
  yupana::cuda::check_launch("scan segments");
  const auto fetch = [&](void* to, const void* from, std::int64_t count) {
    check(cudaMemcpyAsync(to,
                          from,
                          static_cast<std::size_t>(count) * sizeof(std::int64_t),
                          cudaMemcpyDeviceToHost,
                          stream),
          "list long segments");
    check(cudaStreamSynchronize(stream), "list long segments");
  };
  std::int64_t counts[2];
  fetch(counts, memory.data(), 2);
  std::vector<std::int64_t> list(static_cast<std::size_t>(counts[1]));
  if (!list.empty()) fetch(list.data(), task.lists.large, counts[1]);
  for (const std::int64_t s : list) {
    std::int64_t ends[2];
    fetch(ends, offsets + s, 2);
    const std::int64_t n = ends[1] - ends[0];
    if constexpr (exclusive) {
      exclusive_scan(space, stream, in + ends[0], n, init, out + ends[0], op);
    } else {
      inclusive_scan(space, stream, in + ends[0], n, out + ends[0], op);
    }
  }
}

}  // namespace yupana::arrays::cuda
