#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "yupana/arrays/prefix_order.hpp"
#include "yupana/arrays/warp_cuda.cuh"
#include "yupana/core/cuda/runtime.hpp"

/// The scan of what one warp holds, and of what one block holds.
namespace yupana::arrays::cuda {

/// The kind of a scan: known at run time, since a kernel for each is slow to
/// compile on GPUs that get PTX.
struct ScanKind {
  bool exclusive;  ///< else inclusive
  bool seeded;     ///< there is a value before the first; always where exclusive
};

/// Rows of 32 vectors: lane l holds neighbours [l * vector, (l + 1) * vector) of each row.
template <class T, int rows>
struct ScanRows {
  static constexpr int vector = vector_of<T>;
  static constexpr int row = 32 * vector;
  // Not constructed: T may have no default constructor.
  union {
    T x[rows][vector];
  };
  union {
    T through[rows];  // the folds of the row's lanes to one's own
  };

  __device__ ScanRows() {}

  __device__ void load(const T* from, int lane) {
#pragma unroll
    for (int r = 0; r < rows; ++r) load_vector(from + r * row + lane * vector, x[r]);
  }
  /// Beyond `count` the last value again: what it gives is not written.
  __device__ void load_some(const T* from, std::int64_t count, int lane) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        const std::int64_t at = r * row + lane * vector + j;
        x[r][j] = from[at < count ? at : count - 1];
      }
    }
  }
  __device__ void store(T* to, int lane) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) store_vector(x[r], to + r * row + lane * vector);
  }
  __device__ void store_some(T* to, std::int64_t count, int lane) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        const std::int64_t at = r * row + lane * vector + j;
        if (at < count) to[at] = x[r][j];
      }
    }
  }

  /// Rows by themselves.
  template <class Op>
  __device__ void scan(const Op& op, int lane) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 1; j < vector; ++j) x[r][j] = op(x[r][j - 1], x[r][j]);
      through[r] = scan_lanes(x[r][vector - 1], op, lane);
    }
  }
  /// x = before op x, but for the very first value of an exclusive scan's tile, which is `before`.
  template <class Op>
  __device__ void put_before(const T& before, bool exclusive, bool first, const Op& op) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        x[r][j] = exclusive && r == 0 && j == 0 && first ? before : op(before, x[r][j]);
      }
    }
  }
  /// The fold of all rows, in every lane, by columns: a slice's sum in PrefixOrder. Leaves the
  /// values.
  template <class Op>
  __device__ T fold(const Op& op, int lane) const {
    T all[vector];
#pragma unroll
    for (int j = 0; j < vector; ++j) {
      all[j] = x[0][j];
#pragma unroll
      for (int r = 1; r < rows; ++r) all[j] = op(all[j], x[r][j]);
      if (j > 0) all[0] = op(all[0], all[j]);
    }
    return fold_lanes(all[0], op, lane);
  }
  /// The fold of all rows, in every lane; after scan().
  template <class Op>
  __device__ T total(const Op& op) const {
    T all = lane_value(through[0], 31);
#pragma unroll
    for (int r = 1; r < rows; ++r) all = op(all, lane_value(through[r], 31));
    return all;
  }
  /// Puts the carry before the first row, and each row's fold before the next. The carry meets
  /// folds, not values one by one: a large float would swallow those. Without a carry an exclusive
  /// scan leaves the first lane's first value undefined.
  template <class Op>
  __device__ void finish(T carry, bool has_carry, bool exclusive, const Op& op, int lane) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const T below = value_below(through[r], 1);
      const T row_total = lane_value(through[r], 31);
      T before = carry;
      bool has_before = true;
      if (has_carry) {
        if (lane > 0) before = op(carry, below);
        carry = op(carry, row_total);
      } else {
        if (lane > 0) before = below;
        has_before = lane > 0;
        carry = row_total;
        has_carry = true;
      }
      if (exclusive) {
#pragma unroll
        for (int j = vector - 1; j > 0; --j) x[r][j] = x[r][j - 1];
      }
#pragma unroll
      for (int j = 0; j < vector; ++j) {
        if (exclusive && j == 0) {
          x[r][j] = before;
        } else if (has_before) {
          x[r][j] = op(before, x[r][j]);
        }
      }
    }
  }
};

/// Scans that one block of W warps makes faster than many blocks exchange their results.
template <class T, int W, int R = 4>
struct BlockScan {
  static constexpr int warps = W, threads = 32 * warps;
  static constexpr int rows = sizeof(T) <= 16 ? R : 1;
  static constexpr int slice = rows * ScanRows<T, rows>::row;
  static constexpr std::int64_t most = std::int64_t{warps} * slice;
};

/// The few warps and the many that a scan of T by Op may take; sums of floats: slices of
/// PrefixOrder, at most a tile.
template <class T, class Op>
struct BlockScans {
  static constexpr bool ordered = has_prefix_order<T, Op>;
  using Few = BlockScan<T, ordered ? 2 : 4, ordered ? 8 : 4>;
  using Many = BlockScan<T, ordered ? 8 : 16, ordered ? 8 : 4>;
  static_assert(!ordered ||
                (Many::slice == PrefixOrder<T>::slice && Many::most == PrefixOrder<T>::tile));
};

/// By a block of few or many warps.
template <class T, class Op>
__global__ void __launch_bounds__(BlockScans<T, Op>::Many::threads)
    block_scan_kernel(ScanKind kind, const T* in, int n, Words<T> init, T* out, Op op) {
  using Block = typename BlockScans<T, Op>::Many;
  __shared__ Words<T> totals[Block::warps];
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first = warp * Block::slice;
  const int count = n - first;
  ScanRows<T, Block::rows> rows;
  const bool whole = count >= Block::slice;
  if (whole && reinterpret_cast<std::uintptr_t>(in) % 16 == 0) {
    rows.load(in + first, lane);
  } else if (count > 0) {
    rows.load_some(in + first, count, lane);
  } else {
    rows.load_some(in, n, lane);  // nothing depends on it
  }
  const T total = [&] {
    if constexpr (has_prefix_order<T, Op>) {
      const T sum = rows.fold(op, lane);
      rows.scan(op, lane);
      return sum;
    } else {
      rows.scan(op, lane);
      return rows.total(op);
    }
  }();
  if (lane == 0) totals[warp] = to_words(total);
  __syncthreads();  // and so the whole input was read: out may be in
  const T through = scan_lanes(from_words<T>(totals[lane & (warps - 1)]), op, lane);
  T carry = from_words<T>(init);
  bool has_carry = kind.seeded;
  const T before = lane_value(through, warp > 0 ? warp - 1 : 0);
  if (warp > 0) {
    carry = kind.seeded ? op(carry, before) : before;
    has_carry = true;
  }
  rows.finish(carry, has_carry, kind.exclusive, op, lane);
  if (whole && reinterpret_cast<std::uintptr_t>(out) % 16 == 0) {
    rows.store(out + first, lane);
  } else {
    rows.store_some(out + first, count, lane);
  }
}

/// n <= BlockScans<T, Op>::Many::most.
template <class T, class Op>
void launch_block_scan(
    cudaStream_t stream, ScanKind kind, const T* in, std::int64_t n, Words<T> init, T* out, Op op) {
  using Scans = BlockScans<T, Op>;
  const int threads = n <= Scans::Few::most ? Scans::Few::threads : Scans::Many::threads;
  block_scan_kernel<<<1, threads, 0, stream>>>(kind, in, static_cast<int>(n), init, out, op);
  yupana::cuda::check_launch("scan in a block");
}

}  // namespace yupana::arrays::cuda
