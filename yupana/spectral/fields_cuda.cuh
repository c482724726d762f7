#pragma once

#include <cuda_runtime.h>

#include <complex>
#include <cstdint>

#include "yupana/core/text.hpp"

/// Private to the family: the numbers transforms are made of on the device. A field has an Element,
/// its arithmetic, and `rotate`: the product with a root of unity of a small order that the
/// compiler knows.
namespace yupana::spectral::cuda {

template <class T>
struct ComplexPair;
template <>
struct ComplexPair<float> {
  using Type = float2;
};
template <>
struct ComplexPair<double> {
  using Type = double2;
};

/// Complex numbers, roots e^(-2 pi i k / n).
template <class T>
struct ComplexField {
  using Element = typename ComplexPair<T>::Type;
  using Scale = T;
  /// Powers of a root by multiplication: four instructions each, a table's look-up costs more.
  static constexpr bool powers_from_table = false;

  static __device__ __forceinline__ Element add(Element a, Element b) {
    return {a.x + b.x, a.y + b.y};
  }
  static __device__ __forceinline__ Element subtract(Element a, Element b) {
    return {a.x - b.x, a.y - b.y};
  }
  static __device__ __forceinline__ Element multiply(Element a, Element b) {
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
  }
  static __device__ __forceinline__ Element one() { return {T{1}, T{0}}; }

  /// a e^(-2 pi i k / n), n a power of two <= 16, k < n / 2; folds where both are constants.
  static __device__ __forceinline__ Element rotate(Element a, int n, int k) {
    constexpr T eighth = T(0.70710678118654752440L);  // cos of 2 pi / 8
    constexpr T cosine = T(0.92387953251128675613L);  // of 2 pi / 16
    constexpr T sine = T(0.38268343236508977173L);
    switch (k * (16 / n)) {
      case 0:
        return a;
      case 1:
        return turn(a, cosine, sine);
      case 2:
        return {eighth * (a.x + a.y), eighth * (a.y - a.x)};
      case 3:
        return turn(a, sine, cosine);
      case 4:
        return {a.y, -a.x};
      case 5:
        return turn(a, -sine, cosine);
      case 6:
        return {eighth * (a.y - a.x), -eighth * (a.x + a.y)};
      default:
        return turn(a, -cosine, sine);
    }
  }

  static __device__ __forceinline__ Element rotated_difference(Element a, Element b, int n, int k) {
    return rotate(subtract(a, b), n, k);
  }

  /// The inverse is the forward transform of x with both parts of every number exchanged, likewise
  /// of its result: what the first pass reads and the last one writes.
  static __device__ __forceinline__ Element encode(Element a) { return {a.y, a.x}; }
  static __device__ __forceinline__ Element decode(Element a, T scale) {
    return {a.y * scale, a.x * scale};
  }

 private:
  static __device__ __forceinline__ Element turn(Element a, T c, T s) {
    return {a.x * c + a.y * s, a.y * c - a.x * s};
  }
};

template <class T>
auto elements(std::complex<T>* values) {
  return reinterpret_cast<typename ComplexField<T>::Element*>(values);
}
template <class T>
auto elements(const std::complex<T>* values) {
  return reinterpret_cast<const typename ComplexField<T>::Element*>(values);
}

/// Integers modulo p = 2^64 - 2^32 + 1, always below p. 2 has order 192 and 2^96 = -1, so that
/// roots of order 16 are shifts: 2^12. 2^32 divides p - 1.
struct GoldilocksField {
  using Element = std::uint64_t;
  using Scale = std::uint64_t;
  static constexpr bool powers_from_table = true;
  static constexpr std::uint64_t prime = 0xffffffff00000001ull;
  static constexpr std::uint64_t epsilon = 0xffffffffull;  ///< 2^64 mod p

  // a - b, and p more where that is negative: 2^64 - epsilon more, in 64 bits epsilon less. The
  // borrow as a word of ones is epsilon.
  static __device__ __forceinline__ Element subtract(Element a, Element b) {
    std::uint32_t a0 = low_of(a), a1 = high_of(a);
    asm("{\n\t.reg .u32 m;\n\t"
        "sub.cc.u32 %0, %0, %2;\n\tsubc.cc.u32 %1, %1, %3;\n\tsubc.u32 m, 0, 0;\n\t"
        "sub.cc.u32 %0, %0, m;\n\tsubc.u32 %1, %1, 0;\n\t}"
        : "+r"(a0), "+r"(a1)
        : "r"(low_of(b)), "r"(high_of(b)));
    return joined(a0, a1);
  }
  static __device__ __forceinline__ Element add(Element a, Element b) {
    return subtract(a, prime - b);
  }
  // low + 2^64 high with 2^64 = 2^32 - 1 and 2^96 = -1: low - (high >> 32) + (2^32 - 1) (high mod
  // 2^32). Each step leaves what is congruent and fits 64 bits: the difference is negative only for
  // low < 2^32, when 2^64 - 2^32 of it remain above epsilon; the sum passes 2^64 by less than
  // 2^64 - 2^33 + 1, which epsilon does not carry over again.
  static __device__ __forceinline__ Element reduce(std::uint64_t low, std::uint64_t high) {
    std::uint32_t a0 = low_of(low), a1 = high_of(low);
    const std::uint32_t middle = low_of(high);
    asm("{\n\t.reg .u32 m, t0, t1;\n\t"
        "sub.cc.u32 %0, %0, %3;\n\tsubc.cc.u32 %1, %1, 0;\n\tsubc.u32 m, 0, 0;\n\t"
        "sub.cc.u32 %0, %0, m;\n\tsubc.u32 %1, %1, 0;\n\t"
        "sub.cc.u32 t0, 0, %2;\n\tsubc.u32 t1, %2, 0;\n\t"
        "add.cc.u32 %0, %0, t0;\n\taddc.cc.u32 %1, %1, t1;\n\taddc.u32 m, 0, 0;\n\t"
        "sub.u32 m, 0, m;\n\t"
        "add.cc.u32 %0, %0, m;\n\taddc.u32 %1, %1, 0;\n\t}"
        : "+r"(a0), "+r"(a1)
        : "r"(middle), "r"(high_of(high)));
    // At least p = 2^64 - 2^32 + 1: the upper word is all ones and the lower one not zero.
    const bool above = a1 == UINT32_MAX && a0 != 0;
    return above ? joined(a0 - 1, 0) : joined(a0, a1);
  }
  static __device__ __forceinline__ Element multiply(Element a, Element b) {
    const std::uint64_t a0 = low_of(a), a1 = high_of(a), b0 = low_of(b), b1 = high_of(b);
    const std::uint64_t bottom = a0 * b0;
    const std::uint64_t left = a0 * b1 + (bottom >> 32);
    const std::uint64_t right = a1 * b0 + (left & epsilon);
    return reduce(joined(low_of(bottom), low_of(right)), a1 * b1 + (left >> 32) + (right >> 32));
  }
  static __device__ __forceinline__ Element one() { return 1; }

  /// a 2^(192 k / n): the root of order n, n a power of two <= 16, k < n / 2.
  static __device__ __forceinline__ Element rotate(Element a, int n, int k) {
    const int shift = k * (192 / n);
    if (shift == 0) return a;
    if (shift < 64) return reduce(a << shift, a >> (64 - shift));
    // 2^64 2^(shift - 64) a, whose upper 32 bits, worth 2^128 = -2^32, are subtracted.
    const std::uint64_t low = a << (shift - 64);
    const std::uint64_t high = shift == 64 ? 0 : a >> (128 - shift);
    return subtract(reduce(0, low), high << 32);
  }

  static __device__ __forceinline__ Element rotated_difference(Element a, Element b, int n, int k) {
    return rotate(subtract(a, b), n, k);
  }

  /// A signed coefficient and its residue; residues above p / 2 represent negative numbers.
  static __device__ __forceinline__ Element encode(Element a) {
    return static_cast<std::int64_t>(a) < 0 ? a - epsilon : a;
  }
  static __device__ __forceinline__ Element decode(Element a, Scale scale) {
    a = multiply(a, scale);
    return a > prime / 2 ? a + epsilon : a;
  }

 private:
  static __device__ __forceinline__ std::uint32_t low_of(std::uint64_t a) {
    return static_cast<std::uint32_t>(a);
  }
  static __device__ __forceinline__ std::uint32_t high_of(std::uint64_t a) {
    return static_cast<std::uint32_t>(a >> 32);
  }
  static __device__ __forceinline__ std::uint64_t joined(std::uint32_t low, std::uint32_t high) {
    return low | std::uint64_t{high} << 32;
  }
};

}  // namespace yupana::spectral::cuda
