#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/arrays/warp_cuda.cuh"

/// Folds of a piece of an array by one warp, and of pieces into one.
namespace yupana::arrays::cuda {

/// True where the order of operations can be felt: floats added or multiplied, operators of one's
/// own. Such folds follow the CPU's order.
template <class T, class Op>
inline constexpr bool order_matters =
    !(std::is_same_v<Op, Min> || std::is_same_v<Op, Max> ||
      (std::is_integral_v<T> && (std::is_same_v<Op, Plus> || std::is_same_v<Op, Multiply>)));

/// True where the CPU folds by SIMD sums (sums.hpp).
template <class T, class Op>
inline constexpr bool simd_sums = std::is_same_v<Op, Plus>&& std::is_floating_point_v<T> &&
                                  sizeof(T) <= 8;

/// The 128 bytes that the SIMD sums take at a time: lane l holds the sum of every value l of them.
template <class T>
inline constexpr int sum_row = static_cast<int>(128 / sizeof(T));

/// From the sums of a row's places to one, in the order of sums_narrow_cpu.cpp: eight vectors of 16
/// bytes, (0 + 2) + (4 + 6) and (1 + 3) + (5 + 7), then the lanes of a vector one after the other.
template <class T>
__device__ T join_sums(T sum) {
  constexpr int lanes = static_cast<int>(16 / sizeof(T));
  for (const int vectors : {2, 4, 1}) {
    sum += __shfl_xor_sync(all_lanes, sum, vectors * lanes);
  }
  T total = lane_value(sum, 0);
  for (int lane = 1; lane < lanes; ++lane) total += lane_value(sum, lane);
  return total;
}

/// The last values, which fill no row, one by one.
template <class T>
__device__ T add_rest(T total, const T* values, std::int64_t rest) {
  for (std::int64_t i = 0; i < rest; ++i) total += values[i];
  return total;
}

/// values[0] op ... op values[n - 1] from left to right, n > 0; every lane gets it.
template <class T, class Op>
__device__ T fold_serially(const T* values, std::int64_t n, const Op& op, int lane) {
  T total = values[0];
  for (std::int64_t first = 1; first < n; first += 32) {
    const int count = static_cast<int>(n - first < 32 ? n - first : 32);
    const T own = values[first + (lane < count ? lane : 0)];
#pragma unroll 8
    for (int i = 0; i < count; ++i) total = op(total, lane_value(own, i));
  }
  return total;
}

/// The same with whatever grouping is fast; the order of operands is kept.
template <class T, class Op>
__device__ T fold_grouped(const T* values, std::int64_t n, const Op& op, int lane) {
  constexpr int unroll = sizeof(T) <= 8 ? 8 : 2;
  std::int64_t done = 0;
  Words<T> kept{};
  bool has = false;
  const auto add = [&](const T& value) {
    kept = to_words(has ? op(from_words<T>(kept), value) : value);
    has = true;
  };
  for (; done + 32 * unroll <= n; done += 32 * unroll) {
    Words<T> x[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) x[k] = to_words(values[done + 32 * k + lane]);
#pragma unroll
    for (int k = 0; k < unroll; ++k) add(fold_lanes(from_words<T>(x[k]), op, lane));
  }
  for (; done + 32 <= n; done += 32) add(fold_lanes(values[done + lane], op, lane));
  for (; done < n; ++done) add(values[done]);
  return from_words<T>(kept);
}

/// The SIMD sum of n values, with many loads on their way.
template <class T>
__device__ T sum_as_cpu(const T* values, std::int64_t n, int lane) {
  constexpr int row = sum_row<T>, unroll = 16;
  T sum = T(-0.0);
  std::int64_t i = 0;
  const T* own = values + lane % row;
  for (; i + unroll * row <= n; i += unroll * row) {
    T x[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) x[k] = own[i + k * row];
#pragma unroll
    for (int k = 0; k < unroll; ++k) sum += x[k];
  }
  for (; i + row <= n; i += row) sum += own[i];
  return add_rest(join_sums(sum), values + i, n - i);
}

/// How reduce() and segmented_reduce() of the CPU fold: the same bits for sums of floats; pieces of
/// a tile's length from the first value on.
struct TiledOrder {
  template <class T, class Op>
  __device__ __noinline__ static T fold(const T* values, std::int64_t n, const Op& op, int lane) {
    if constexpr (simd_sums<T, Op>) {
      return sum_as_cpu(values, n, lane);
    } else if constexpr (order_matters<T, Op> && std::is_floating_point_v<T>) {
      return fold_serially(values, n, op, lane);
    } else {
      return fold_grouped(values, n, op, lane);
    }
  }
  /// Fewer values than this fold one by one in any case.
  template <class T, class Op>
  static constexpr int few = simd_sums<T, Op> ? sum_row<T> : 33;
  __device__ static std::int64_t pieces(std::int64_t begin, std::int64_t end, std::int64_t tile) {
    return (end - begin + tile - 1) / tile;
  }
  __device__ static std::int64_t piece_begin(std::int64_t begin,
                                             std::int64_t piece,
                                             std::int64_t tile) {
    return begin + piece * tile;
  }
  static constexpr bool pairwise = true;
};

/// How reduce_by_key() of the CPU folds: from left to right, cut where tiles of the whole begin.
struct RunOrder {
  template <class T, class Op>
  __device__ __noinline__ static T fold(const T* values, std::int64_t n, const Op& op, int lane) {
    if constexpr (order_matters<T, Op>) {
      return fold_serially(values, n, op, lane);
    } else {
      return fold_grouped(values, n, op, lane);
    }
  }
  template <class T, class Op>
  static constexpr int few = 33;
  __device__ static std::int64_t pieces(std::int64_t begin, std::int64_t end, std::int64_t tile) {
    return (end - 1) / tile - begin / tile + 1;
  }
  __device__ static std::int64_t piece_begin(std::int64_t begin,
                                             std::int64_t piece,
                                             std::int64_t tile) {
    return piece == 0 ? begin : (begin / tile + piece) * tile;
  }
  static constexpr bool pairwise = false;
};

/// The pairwise fold of the CPU (reduce_cpu.hpp), n > 0: halves of n / 2 and the rest. Without
/// recursion, whose stack the compiler could not foresee: the left halves that wait for their right
/// ones.
template <class T, class Op>
__device__ __noinline__ T fold_halves(const T* values, std::int64_t n, const Op& op) {
  constexpr int max_depth = 48;
  Words<T> left[max_depth];
  std::int64_t count[max_depth];  // of the node on the way down
  std::uint64_t is_right = 0;     // a bit a depth
  int depth = 0;
  count[0] = n;
  for (;; ++values) {
    for (; count[depth] > 1; ++depth) {
      count[depth + 1] = count[depth] / 2;
      is_right &= ~(std::uint64_t{2} << depth);
    }
    Words<T> value = to_words(values[0]);
    for (; (is_right >> depth & 1) != 0; --depth) {
      value = to_words(op(from_words<T>(left[depth]), from_words<T>(value)));
    }
    if (depth == 0) return from_words<T>(value);
    left[depth] = value;
    count[depth] = count[depth - 1] - count[depth];
    is_right |= std::uint64_t{1} << depth;
  }
}

/// The same by a warp: its lanes are the nodes five levels down.
template <class T, class Op>
__device__ T fold_halves_by_warp(const T* values, std::int64_t n, const Op& op, int lane) {
  std::int64_t first = 0;
  for (int bit = 16; bit > 0; bit /= 2) {
    const std::int64_t half = n / 2;
    if ((lane & bit) != 0) {
      first += half;
      n -= half;
    } else {
      n = half;
    }
  }
  // A node of one value stays on the right; what would be left of it is empty.
  int has = n > 0;
  T value = fold_halves(values + first, n > 0 ? n : 1, op);
  for (int distance = 1; distance < 32; distance *= 2) {
    const T other = lane_value(value, lane ^ distance);
    const int other_has = __shfl_xor_sync(all_lanes, has, distance);
    if (has && other_has) {
      value = (lane & distance) != 0 ? op(other, value) : op(value, other);
    } else if (other_has) {
      value = other;
    }
    has |= other_has;
  }
  return value;
}

}  // namespace yupana::arrays::cuda
