#pragma once

#include "yupana/core/cuda/launch.hpp"
#include "yupana/graph/min_plus_cuda.hpp"

/// Private to the family: the instructions of the min-plus product, kind by kind.
namespace yupana::graph::cuda {

// Two steps of k for one cell. The three-input minimum takes one instruction where two additions
// feed it; additions of floats run beside it on another unit. Of the integers, half of the cells go
// through the fused add+min: alone that is bound by the one unit that has it, and the other form by
// the additions (registers alone, H200: 16.5 and 16.0 T (add+min)/s, half and half 18.7).
// `one` keeps the compiler from fusing those additions too: it cannot know the factor.
template <class Kind>
struct Cell;

template <>
struct Cell<Int32> {
  static __device__ __forceinline__ std::int32_t add(std::int32_t a, std::int32_t b, int one) {
    std::int32_t sum;
    asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(one), "r"(b));
    return sum;
  }
  static __device__ __forceinline__ void lower(std::int32_t a0,
                                               std::int32_t b0,
                                               std::int32_t a1,
                                               std::int32_t b1,
                                               std::int32_t& c,
                                               int index,
                                               int one) {
    if (index % 4 < 2) {
      c = __vimin3_s32(add(a0, b0, one), add(a1, b1, one), c);
    } else {
      c = __viaddmin_s32(a1, b1, __viaddmin_s32(a0, b0, c));
    }
  }
};

template <>
struct Cell<Float32> {
  static __device__ __forceinline__ std::int32_t add(std::int32_t a, std::int32_t b) {
    return __float_as_int(__int_as_float(a) + __int_as_float(b));
  }
  static __device__ __forceinline__ void lower(std::int32_t a0,
                                               std::int32_t b0,
                                               std::int32_t a1,
                                               std::int32_t b1,
                                               std::int32_t& c,
                                               int,
                                               int) {
    c = __vimin3_s32(add(a0, b0), add(a1, b1), c);
  }
};

template <>
struct Cell<SignedFloat32> {
  static __device__ __forceinline__ void lower(
      float a0, float b0, float a1, float b1, float& c, int, int) {
    c = fminf(fminf(c, a0 + b0), a1 + b1);
  }
};

template <>
struct Cell<Float64> {
  static __device__ __forceinline__ void lower(
      double a0, double b0, double a1, double b1, double& c, int, int) {
    const double first = a0 + b0;
    const double second = a1 + b1;
    c = first < c ? first : c;
    c = second < c ? second : c;
  }
};

// One 32-bit addition makes two sums. A cell is at least 0x8000, no path being longer than "no
// edge", and at most 0xfc00; a sum may be anything from 0x0400 on. As halves, cells are the
// negative numbers, -0 and -infinity included, and order the other way round; a sum below 0x8000 is
// a positive number or none at all, and loses against every cell. So the minimum of halves, which
// needs no Hopper, is the maximum of 16-bit numbers. Measured as the large tile was: 26.5 T
// (add+min)/s by halves, 30.7 by Hopper's maximum of integers, 5.7 where that takes several
// instructions; registers alone 33.0, 34.4 and 6.2.
template <>
struct Cell<Packed16> {
  static __device__ __forceinline__ std::uint32_t half_min(std::uint32_t a, std::uint32_t b) {
    std::uint32_t least;
    asm("min.f16x2 %0, %1, %2;" : "=r"(least) : "r"(a), "r"(b));
    return least;
  }
  static __device__ __forceinline__ void lower(std::uint32_t a0,
                                               std::uint32_t b0,
                                               std::uint32_t a1,
                                               std::uint32_t b1,
                                               std::uint32_t& c,
                                               int index,
                                               int) {
    if constexpr (yupana::cuda::compiled_for < 90) {
      c = half_min(half_min(a0 + b0, a1 + b1), c);
    } else if (index % 4 < 2) {
      c = __vimax3_u16x2(a0 + b0, a1 + b1, c);
    } else {
      c = __viaddmax_u16x2(a1, b1, __viaddmax_u16x2(a0, b0, c));
    }
  }
};

}  // namespace yupana::graph::cuda
