#pragma once

#include <cstdint>

#include "yupana/arrays/prefix_order.hpp"
#include "yupana/arrays/scan_block_cuda.cuh"

/// Running sums of floats within a segment, in PrefixOrder from the segment's first value on.
namespace yupana::arrays::cuda {

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

/// Rows of a slice that is not whole, behind `carry`.
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

/// Up to 32 tiles, behind `before`, by one warp; out may be in.
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

}  // namespace yupana::arrays::cuda
