#include <cmath>
#include <cstdint>

#include "yupana/graph/min_plus_kernels.hpp"
#include "yupana/graph/shortest_paths.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yupana/graph/min_plus_kernels_cpu.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yupana::graph::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 6 x 4 vectors of accumulators, 4 of the right panel and the sums in flight fill 32 registers;
// with 16 registers 6 x 2 do.
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int tile_vectors = 4;
#else
constexpr int tile_vectors = 2;
#endif
constexpr int tile_rows = 6;

// One value of the left panel plus a vector of the right one. A broadcast inside the addition costs
// no slot of the vector units where one instruction for all columns does: measured on Zen 4 59 for
// 49 G (add+min)/s with int32, 29 for 25 G with double. With float it is the other way round
// (45 and 51 G), since only two of the four units add floats. Compilers hoist the broadcast out of
// the additions, so the instruction is spelled out.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> add_broadcast(D d, const T* left, hn::Vec<D> broadcast, hn::Vec<D> right) {
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(T) == 4 && !hwy::IsFloat<T>()) {
    hn::Vec<D> sum;
    asm("vpaddd %2%{1to16%}, %1, %0" : "=v"(sum.raw) : "v"(right.raw), "m"(*left));
    return sum;
  } else if constexpr (sizeof(T) == 8) {
    hn::Vec<D> sum;
    asm("vaddpd %2%{1to8%}, %1, %0" : "=v"(sum.raw) : "v"(right.raw), "m"(*left));
    return sum;
  }
#endif
  (void)d;
  (void)left;
  return hn::Add(broadcast, right);
}

// Non-negative floats (infinity included, -0.0 not) order as their bits read as integers. The
// integer minimum runs on the units that the float addition leaves idle: on Zen 4 the pair takes
// 1.2 (float) and 1 (double) clocks for 2.
template <Signs signs, class D, class V = hn::Vec<D>>
HWY_INLINE V minimum(D d, V a, V b) {
  using T = hn::TFromD<D>;
  constexpr bool by_bits = sizeof(T) == 4 || HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_AVX3;
  if constexpr (hwy::IsFloat<T>() && signs == Signs::nonnegative && by_bits) {
    const hn::RebindToSigned<D> di;
    return hn::BitCast(d, hn::Min(hn::BitCast(di, a), hn::BitCast(di, b)));
  } else {
    return hn::Min(a, b);
  }
}

template <class T, Signs signs>
void tile(std::int64_t depth, const T* left, const T* right, T* c, std::int64_t stride) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::int64_t lanes = HWY_LANES(T);
  constexpr int vectors = tile_vectors;
  V sum[tile_rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < tile_rows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) sum[i][v] = hn::LoadU(d, c + i * stride + v * lanes);
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    V b[vectors];
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) b[v] = hn::Load(d, right + v * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < tile_rows; ++i) {
      const V a = hn::Set(d, left[i]);
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        sum[i][v] = minimum<signs>(d, sum[i][v], add_broadcast(d, left + i, a, b[v]));
      }
    }
    left += tile_rows;
    right += vectors * lanes;
  }
#pragma GCC unroll 8
  for (int i = 0; i < tile_rows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) hn::StoreU(sum[i][v], d, c + i * stride + v * lanes);
  }
}

// Pivot k is row k and column k; both stay as they are while it is worked, since the diagonal is
// zero or, with a negative cycle, the block is given up.
template <class T, Signs signs>
std::int64_t leaf(std::int64_t n, T* c, std::int64_t stride) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t lanes = HWY_LANES(T);
  const std::int64_t whole = n / lanes * lanes;
  for (std::int64_t k = 0; k < n; ++k) {
    const T* pivot = c + k * stride;
    for (std::int64_t i = 0; i < n; ++i) {
      T* row = c + i * stride;
      const T left = row[k];
      const auto a = hn::Set(d, left);
      for (std::int64_t j = 0; j < whole; j += lanes) {
        const auto through = hn::Add(a, hn::LoadU(d, pivot + j));
        hn::StoreU(minimum<signs>(d, hn::LoadU(d, row + j), through), d, row + j);
      }
      for (std::int64_t j = whole; j < n; ++j) {
        const T through = left + pivot[j];
        row[j] = through < row[j] ? through : row[j];
      }
    }
    if constexpr (signs == Signs::any) {
      // Not ">= 0" holds for NaN too.
      for (std::int64_t i = 0; i < n; ++i) {
        if (!(c[i * stride + i] >= 0)) return k;
      }
    }
  }
  return -1;
}

template <class T>
void scan_weights(const T* values, std::int64_t count, WeightStats<T>& stats) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t lanes = HWY_LANES(T);
  const auto none = hn::Set(d, unreachable<T>);
  const auto zero = hn::Zero(d);
  auto least = hn::Set(d, stats.smallest);
  auto most = hn::Set(d, stats.largest);
  auto far = hn::FirstN(d, 0);
  auto nan = hn::FirstN(d, 0);
  auto signs = zero;  // bits of all zeros: -0.0 leaves its sign
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::LoadU(d, values + i);
    const auto is_far = hn::Eq(x, none);
    far = hn::Or(far, is_far);
    least = hn::Min(x, least);
    most = hn::Max(hn::IfThenElse(is_far, most, x), most);
    if constexpr (hwy::IsFloat<T>()) {
      nan = hn::Or(nan, hn::IsNaN(x));
      signs = hn::Or(signs, hn::IfThenElseZero(hn::Eq(x, zero), x));
    }
  }
  // Of all infinite lanes Highway's emulated targets take the largest finite number.
  stats.smallest = hn::AllTrue(d, hn::Eq(least, none)) ? hn::GetLane(none)
                                                       : hn::GetLane(hn::MinOfLanes(d, least));
  stats.largest = hn::GetLane(hn::MaxOfLanes(d, most));
  stats.unreachable |= !hn::AllFalse(d, far);
  stats.not_a_number |= !hn::AllFalse(d, nan);
  if constexpr (hwy::IsFloat<T>()) {
    const hn::RebindToSigned<decltype(d)> di;
    const auto bits = hn::BitCast(di, signs);
    stats.negative_zero |= !hn::AllFalse(di, hn::Lt(bits, hn::Zero(di)));
  }
  for (; i < count; ++i) {
    const T x = values[i];
    if (x == unreachable<T>) {
      stats.unreachable = true;
    } else if (x > stats.largest) {
      stats.largest = x;
    }
    if (x < stats.smallest) stats.smallest = x;
    if (x != x) stats.not_a_number = true;
    if constexpr (hwy::IsFloat<T>()) stats.negative_zero |= x == 0 && std::signbit(x);
  }
}

// Makes the compiler forget what a register holds, at no cost.
template <class V>
HWY_INLINE void forget(V& v) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  asm volatile("" : "+m"(v));
#elif HWY_ARCH_X86
  asm volatile("" : "+v"(v.raw));
#else
  asm volatile("" : "+w"(v.raw));
#endif
}

// The inner step of tile() with every operand in a register; fewer rows, lest any be spilled.
constexpr int loop_rows = 4;

template <class T>
T register_loop(std::int64_t steps, std::int64_t& pairs) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  V sum[loop_rows][tile_vectors];
  V b[tile_vectors];
  V a = hn::Set(d, T{1});
#pragma GCC unroll 8
  for (int v = 0; v < tile_vectors; ++v) {
    b[v] = hn::Set(d, static_cast<T>(v));
#pragma GCC unroll 8
    for (int i = 0; i < loop_rows; ++i) sum[i][v] = hn::Set(d, static_cast<T>(i));
  }
  for (std::int64_t k = 0; k < steps; ++k) {
#pragma GCC unroll 8
    for (int v = 0; v < tile_vectors; ++v) forget(b[v]);
#pragma GCC unroll 8
    for (int i = 0; i < loop_rows; ++i) {
      forget(a);
#pragma GCC unroll 8
      for (int v = 0; v < tile_vectors; ++v) {
        sum[i][v] = minimum<Signs::nonnegative>(d, sum[i][v], hn::Add(a, b[v]));
      }
    }
  }
  pairs = steps * loop_rows * tile_vectors * static_cast<std::int64_t>(HWY_LANES(T));
  V all = sum[0][0];
#pragma GCC unroll 8
  for (int i = 0; i < loop_rows; ++i) {
#pragma GCC unroll 8
    for (int v = 0; v < tile_vectors; ++v) all = hn::Min(all, sum[i][v]);
  }
  return hn::GetLane(hn::MinOfLanes(d, all));
}

template <class T, Signs signs>
MinPlusKernels<T> kernels_of() {
  return {tile_rows,
          tile_vectors * static_cast<std::int64_t>(HWY_LANES(T)),
          &tile<T, signs>,
          &leaf<T, signs>};
}

template <class T>
SimdTable<T> table_of() {
  return {kernels_of<T, Signs::nonnegative>(),
          kernels_of<T, Signs::any>(),
          &scan_weights<T>,
          &register_loop<T>};
}

const SimdTables* tables() {
  static const SimdTables all = {table_of<std::int32_t>(), table_of<float>(), table_of<double>()};
  return &all;
}

}  // namespace yupana::graph::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yupana::graph::cpu {

HWY_EXPORT(tables);

const SimdTables& simd_tables() { return *HWY_DYNAMIC_DISPATCH(tables)(); }

}  // namespace yupana::graph::cpu
#endif
