#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/scan_ring_cuda.cuh"
#include "yupana/arrays/scan_task_cuda.cuh"
#include "yupana/core/cuda/launch.hpp"

namespace yupana::arrays::cuda {

/// Scans of which every block holds one tile in registers: up to as many tiles as a warp collects
/// in one go. One round of totals, and no ring to fill.
template <class T, int W = 16, int R = 4>
struct FlatScan {
  static constexpr int warps = W, threads = 32 * warps;
  static constexpr int rows = sizeof(T) <= 16 ? R : 1;
  static constexpr int slice = rows * ScanRows<T, rows>::row;
  static constexpr int tile = warps * slice;
  static constexpr std::int64_t most = std::int64_t{32} * TileTotals<T>::batch * tile;
  static_assert(32 * TileTotals<T>::batch <= threads, "a thread publishes one tile");
};

/// Sums of floats: slices and tiles of PrefixOrder.
template <class T, class Op>
using FlatScanOf = FlatScan<T, has_prefix_order<T, Op> ? 8 : 16, has_prefix_order<T, Op> ? 8 : 4>;

template <class T, class Op>
__global__ void __launch_bounds__(FlatScanOf<T, Op>::threads)
    flat_scan_kernel(ScanTask<T, Op> task) {
  using Flat = FlatScanOf<T, Op>;
  constexpr bool ordered = has_prefix_order<T, Op>;
  static_assert(!ordered ||
                (Flat::slice == PrefixOrder<T>::slice && Flat::tile == PrefixOrder<T>::tile));
  constexpr int batch = TileTotals<T>::batch;
  __shared__ Words<T> totals[Flat::warps], before_tile;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t tile = blockIdx.x;
  const std::int64_t first = tile * Flat::tile + warp * Flat::slice;
  const std::int64_t count = task.n - first;
  ScanRows<T, Flat::rows> rows;
  if (count >= Flat::slice && reinterpret_cast<std::uintptr_t>(task.in) % 16 == 0) {
    rows.load(task.in + first, lane);
  } else if (count > 0) {
    rows.load_some(task.in + first, count, lane);
  } else {
    // Nothing depends on these; they are the tile's own, since others may be written already.
    rows.load_some(task.in + tile * Flat::tile, task.n - tile * Flat::tile, lane);
  }
  // Where the order does not matter, or is that of columns, the tile's fold is known before its
  // scan is begun.
  constexpr bool fold_first = commutes<T, Op>;
  const T total = [&] {
    if constexpr (fold_first) {
      return rows.fold(task.op, lane);
    } else {
      rows.scan(task.op, lane);
      return rows.total(task.op);
    }
  }();
  if (lane == 0) totals[warp] = to_words(total);
  __syncthreads();  // and so the tile was read: out may be in
  const T through = scan_lanes(from_words<T>(totals[lane % Flat::warps]), task.op, lane);
  TileTotals<T> status = task.totals;
  if constexpr (TileTotals<T>::packed) {
    // Each tile has words of its own: blocks that wait do not all poll the same cache line.
    const T all = lane_value(through, Flat::warps - 1);
    const std::int64_t to = tile + 1 + threadIdx.x;
    if (to < gridDim.x) status.publish(to * gridDim.x + tile, all);
    status.words += tile * gridDim.x;
  } else if (warp == 0 && lane == Flat::warps - 1 && tile + 1 < gridDim.x) {
    status.publish(tile, through);
  }
  if constexpr (fold_first) rows.scan(task.op, lane);
  if (warp == 0) {
    // Blocks start in the order of their tiles, so the tiles before this one are running.
    Words<T> taken[batch];
    status.take(0, tile, lane, taken);
    T before = from_words<T>(task.init);
    bool has_before = task.kind.seeded;
#pragma unroll
    for (int g = 0; g < batch; ++g) {
      const int here = static_cast<int>(tile) - 32 * g;
      if (here <= 0) continue;
      const T value = from_words<T>(taken[g]);
      const T sum = here >= 32 ? fold_lanes(value, task.op, lane)
                               : lane_value(scan_lanes(value, task.op, lane), here - 1);
      before = has_before ? task.op(before, sum) : sum;
      has_before = true;
    }
    if (lane == 0) before_tile = to_words(before);
  }
  const T inside = lane_value(through, warp > 0 ? warp - 1 : 0);
  const bool has_before = task.kind.seeded || tile > 0;
  if constexpr (ordered) {
    __syncthreads();
    T carry = inside;
    if (has_before) {
      carry = from_words<T>(before_tile);
      if (warp > 0) carry = task.op(carry, inside);
    }
    rows.finish(carry, has_before || warp > 0, task.kind.exclusive, task.op, lane);
  } else {
    // Work that does not need the tiles before overlaps the wait for them.
    rows.finish(inside, warp > 0, task.kind.exclusive, task.op, lane);
    __syncthreads();
    if (has_before) {
      rows.put_before(from_words<T>(before_tile), task.kind.exclusive, threadIdx.x == 0, task.op);
    }
  }
  if (count >= Flat::slice && reinterpret_cast<std::uintptr_t>(task.out) % 16 == 0) {
    rows.store(task.out + first, lane);
  } else {
    rows.store_some(task.out + first, count, lane);
  }
}

template <class T, class Op>
void launch_flat_scan(Workspace& space,
                      cudaStream_t stream,
                      ScanKind kind,
                      const T* in,
                      std::int64_t n,
                      Words<T> init,
                      T* out,
                      Op op) {
  const std::int64_t tiles = divide_up(n, FlatScanOf<T, Op>::tile);
  const std::int64_t words = TileTotals<T>::packed ? tiles * tiles : tiles;
  const auto task =
      with_totals<T, Op>(space, stream, {kind, in, out, n, tiles, {}, init, op}, words);
  flat_scan_kernel<<<static_cast<unsigned>(task.tiles), FlatScanOf<T, Op>::threads, 0, stream>>>(
      task);
  yupana::cuda::check_launch("scan");
}

template <class T, class Op>
void scan_by_size(Workspace& space,
                  cudaStream_t stream,
                  ScanKind kind,
                  const T* in,
                  std::int64_t n,
                  Words<T> init,
                  T* out,
                  Op op) {
  if (n <= 0) return;
  if (n <= BlockScans<T, Op>::Many::most) {
    return launch_block_scan(stream, kind, in, n, init, out, op);
  }
  // By n alone, so that products of floats have the same bits on devices of other sizes.
  if (n <= FlatScanOf<T, Op>::most) {
    return launch_flat_scan(space, stream, kind, in, n, init, out, op);
  }
  launch_scan(space, stream, kind, in, n, init, out, op);
}

/// out[i] = in[0] op ... op in[i] in device memory, on `stream`; the host does not wait.
///   op: any associative operator, a device function object; T: trivially copyable, to 768 bytes
///   out: n values; may be `in` itself, must not overlap it otherwise. Full speed where both are
///   aligned to 16 bytes
///   determinism: sums of floats have the bits of the CPU (PrefixOrder); for other operators the
///   order of operations depends on n alone: the same bits on any device, in any run
template <class T, class Op = Plus>
void inclusive_scan(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T* out, Op op = {}) {
  scan_by_size(space, stream, {false, false}, in, n, Words<T>{}, out, op);
}

/// out[0] = init, out[i] = init op in[0] op ... op in[i - 1].
template <class T, class Op = Plus>
void exclusive_scan(Workspace& space,
                    cudaStream_t stream,
                    const T* in,
                    std::int64_t n,
                    T init,
                    T* out,
                    Op op = {}) {
  scan_by_size(space, stream, {true, true}, in, n, to_words(init), out, op);
}

template <class T, class Op>
void scan(Workspace& space,
          cudaStream_t stream,
          const T* in,
          std::int64_t n,
          const T* first,
          bool exclusive,
          T* out,
          Op op) {
  const Words<T> init = first != nullptr ? to_words(*first) : Words<T>{};
  scan_by_size(space, stream, {exclusive, first != nullptr}, in, n, init, out, op);
}

}  // namespace yupana::arrays::cuda
