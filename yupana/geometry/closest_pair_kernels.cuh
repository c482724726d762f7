#pragma once

#include <cstdint>

#include "yupana/geometry/grid.hpp"

/// Private to the family: the kernels of the grid on a GPU.
namespace yupana::geometry::cuda {

inline constexpr int block_threads = 256;
inline constexpr std::uint32_t none = 0xffffffffu;

/// Points in device memory; indices are 32 bits wide.
template <class T, int D>
struct Points {
  const T* data;
  std::int64_t stride;
  std::uint32_t count;

  __device__ const T* row(std::uint32_t i) const { return data + i * stride; }
  __device__ void load(std::uint32_t i, T (&x)[D]) const {
    const T* from = row(i);
#pragma unroll
    for (int k = 0; k < D; ++k) x[k] = from[k];
  }
};

/// A candidate as one thread keeps it: of equal squares the smaller i, then the smaller j.
struct Found {
  double square;
  std::uint64_t pair;  ///< i in the upper half, j in the lower

  __device__ void lower(double other_square, std::uint64_t other_pair) {
    if (other_square > square || (other_square == square && other_pair >= pair)) return;
    square = other_square;
    pair = other_pair;
  }
  __device__ void lower(double other_square, std::uint32_t a, std::uint32_t b) {
    lower(other_square, std::uint64_t{min(a, b)} << 32 | max(a, b));
  }
};

/// The block's least to out[blockIdx.x].
__device__ inline void reduce_block(Found best, Found* out) {
  constexpr int warps = block_threads / 32;
  __shared__ Found of_warp[warps];
  const auto fold = [&](int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2) {
      const double square = __shfl_down_sync(0xffffffffu, best.square, step);
      const std::uint64_t pair = __shfl_down_sync(0xffffffffu, best.pair, step);
      best.lower(square, pair);
    }
  };
  fold(32);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  best = of_warp[threadIdx.x % warps];
  fold(warps);
  if (threadIdx.x == 0) out[blockIdx.x] = best;
}

__device__ inline std::uint32_t slot_of(std::uint64_t sum, int bits) {
  return static_cast<std::uint32_t>(mixed(sum) >> (64 - bits));
}
__device__ inline std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
}
__device__ inline std::int64_t index_step() { return std::int64_t{gridDim.x} * block_threads; }

/// facts[0]: bits of the largest absolute coordinate; facts[1]: the first row with one that is not
/// finite. Doubles that are not negative order like their bits, NaN and infinity above all.
template <class T, int D>
__global__ void __launch_bounds__(block_threads)
    extent_kernel(Points<T, D> points, unsigned long long* facts) {
  using Bits = long long;  // what the device's functions are overloaded for
  constexpr Bits infinite = 0x7ff0000000000000;
  constexpr Bits without_sign = 0x7fffffffffffffff;  // fabs may leave a NaN its sign
  Bits largest = 0;
  for (std::int64_t i = first_index(); i < points.count; i += index_step()) {
    T x[D];
    points.load(static_cast<std::uint32_t>(i), x);
    Bits here = 0;
#pragma unroll
    for (int k = 0; k < D; ++k) {
      here = max(here, __double_as_longlong(static_cast<double>(x[k])) & without_sign);
    }
    if (here >= infinite) {
      atomicMin(facts + 1, static_cast<unsigned long long>(i));
    } else {
      largest = max(largest, here);
    }
  }
  for (int step = 16; step > 0; step /= 2) {
    largest = max(largest, __shfl_down_sync(0xffffffffu, largest, step));
  }
  if (threadIdx.x % 32 == 0) atomicMax(facts, static_cast<unsigned long long>(largest));
}

/// One point at random of each of `count` stretches of equal length.
template <class T, int D>
__global__ void __launch_bounds__(block_threads)
    sample_kernel(Points<T, D> points, std::uint32_t count, T* sample, std::uint32_t* from) {
  for (std::int64_t s = first_index(); s < count; s += index_step()) {
    const std::int64_t first = s * points.count / count;
    const std::int64_t room = (s + 1) * points.count / count - first;
    const std::uint64_t word = mixed(static_cast<std::uint64_t>(s) * axis_key(0) + points.count);
    const auto i =
        static_cast<std::uint32_t>(first + static_cast<std::int64_t>((word >> 32) % room));
    from[s] = i;
    T x[D];
    points.load(i, x);
#pragma unroll
    for (int k = 0; k < D; ++k) sample[s * D + k] = x[k];
  }
}

/// Block i meets point i with those after it.
template <class T, int D>
__global__ void __launch_bounds__(block_threads)
    all_pairs_kernel(Points<T, D> points, Unit unit, Found bound, Found* out) {
  Found best = bound;
  const std::uint32_t i = blockIdx.x;
  T x[D], y[D];
  points.load(i, x);
  for (std::uint32_t j = i + 1 + threadIdx.x; j < points.count; j += block_threads) {
    points.load(j, y);
    best.lower(square_of(x, y, D, unit), i, j);
  }
  reduce_block(best, out);
}

/// Every point to the head of its cell's chain.
template <class T, int D>
__global__ void __launch_bounds__(block_threads) chain_kernel(
    Points<T, D> points, Grid grid, int bits, std::uint32_t* heads, std::uint32_t* next) {
  for (std::int64_t at = first_index(); at < points.count; at += index_step()) {
    const auto i = static_cast<std::uint32_t>(at);
    T x[D];
    points.load(i, x);
    const Place<D> place(grid, x);
    next[i] = atomicExch(heads + slot_of(place.sum(), bits), i);
  }
}

/// Every point against those of lower index in the chains of the cells near it. Chains hold other
/// cells' points too, whose squares are then too large.
template <class T, int D>
__global__ void __launch_bounds__(block_threads) near_kernel(Points<T, D> points,
                                                             Unit unit,
                                                             Grid grid,
                                                             int bits,
                                                             const std::uint32_t* heads,
                                                             const std::uint32_t* next,
                                                             Found bound,
                                                             Found* out) {
  Found best = bound;
  for (std::int64_t at = first_index(); at < points.count; at += index_step()) {
    const auto i = static_cast<std::uint32_t>(at);
    T x[D];
    points.load(i, x);
    const Place<D> place(grid, x);
    place.each_near(place.sum(), [&](std::uint64_t sum) {
      for (std::uint32_t j = heads[slot_of(sum, bits)]; j != none; j = next[j]) {
        if (j >= i) continue;
        T y[D];
        points.load(j, y);
        best.lower(square_of(y, x, D, unit), j, i);
      }
    });
  }
  reduce_block(best, out);
}

template <class T, int D>
__device__ bool equal_points(const Points<T, D>& points, std::uint32_t i, const T (&x)[D]) {
  T y[D];
  points.load(i, y);
  bool equal = true;
#pragma unroll
  for (int k = 0; k < D; ++k) equal &= x[k] == y[k];
  return equal;
}

/// Into a table of distinct points with open addressing: each slot ends as the lowest index of the
/// points equal to it.
template <class T, int D>
__global__ void __launch_bounds__(block_threads)
    distinct_kernel(Points<T, D> points, int bits, std::uint32_t* table) {
  const Grid grid = Grid::of_points();
  const std::uint32_t mask = (1u << bits) - 1;
  for (std::int64_t at = first_index(); at < points.count; at += index_step()) {
    const auto i = static_cast<std::uint32_t>(at);
    T x[D];
    points.load(i, x);
    std::uint32_t slot = slot_of(Place<D>(grid, x).sum(), bits);
    while (true) {
      // Other blocks write here: look past the first-level cache.
      std::uint32_t held = __ldcg(table + slot);
      if (held == none) held = atomicCAS(table + slot, none, i);
      if (held == none) break;
      if (equal_points(points, held, x)) {
        if (i < held) atomicMin(table + slot, i);
        break;
      }
      slot = (slot + 1) & mask;
    }
  }
}

/// Every point with the lowest index of its equals, if that is another.
template <class T, int D>
__global__ void __launch_bounds__(block_threads)
    equal_kernel(Points<T, D> points, int bits, const std::uint32_t* table, Found* out) {
  const Grid grid = Grid::of_points();
  const std::uint32_t mask = (1u << bits) - 1;
  Found best{HUGE_VAL, ~std::uint64_t{0}};
  for (std::int64_t at = first_index(); at < points.count; at += index_step()) {
    const auto i = static_cast<std::uint32_t>(at);
    T x[D];
    points.load(i, x);
    std::uint32_t slot = slot_of(Place<D>(grid, x).sum(), bits);
    while (!equal_points(points, table[slot], x)) slot = (slot + 1) & mask;
    if (table[slot] != i) best.lower(0, table[slot], i);
  }
  reduce_block(best, out);
}

}  // namespace yupana::geometry::cuda
