#pragma once

#include <cuda_runtime.h>

#include <cstdint>

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
      case 0: return a;
      case 1: return turn(a, cosine, sine);
      case 2: return {eighth * (a.x + a.y), eighth * (a.y - a.x)};
      case 3: return turn(a, sine, cosine);
      case 4: return {a.y, -a.x};
      case 5: return turn(a, -sine, cosine);
      case 6: return {eighth * (a.y - a.x), -eighth * (a.x + a.y)};
      default: return turn(a, -cosine, sine);
    }
  }

  /// The inverse is the forward transform of x with both parts of every number exchanged, likewise
  /// of its result: what the first pass reads and the last one writes.
  static __device__ __forceinline__ Element enter(Element a) { return {a.y, a.x}; }
  static __device__ __forceinline__ Element leave(Element a, T scale) {
    return {a.y * scale, a.x * scale};
  }

 private:
  static __device__ __forceinline__ Element turn(Element a, T c, T s) {
    return {a.x * c + a.y * s, a.y * c - a.x * s};
  }
};

/// Integers modulo p = 2^64 - 2^32 + 1, always below p. 2 has order 192 and 2^96 = -1, so that
/// roots of order 16 are shifts: 2^12. 2^32 divides p - 1.
struct GoldilocksField {
  using Element = std::uint64_t;
  using Scale = std::uint64_t;
  static constexpr bool powers_from_table = true;
  static constexpr std::uint64_t prime = 0xffffffff00000001ull;
  static constexpr std::uint64_t epsilon = 0xffffffffull;  ///< 2^64 mod p

  // a - b, and p more where that is negative: 2^64 - epsilon more, in 64 bits epsilon less.
  static __device__ __forceinline__ Element subtract(Element a, Element b) {
    const Element difference = a - b;
    return difference - (a < b ? epsilon : 0);
  }
  static __device__ __forceinline__ Element add(Element a, Element b) {
    return subtract(a, prime - b);
  }
  // low + 2^64 high with 2^64 = 2^32 - 1 and 2^96 = -1: low - (high >> 32) + (2^32 - 1) (high mod
  // 2^32). Each step leaves what is congruent and fits 64 bits: the difference is negative only for
  // low < 2^32, when 2^64 - 2^32 of it remain above epsilon; the sum passes 2^64 by less than
  // 2^64 - 2^33 + 1, which epsilon does not carry over again.
  static __device__ __forceinline__ Element reduce(std::uint64_t low, std::uint64_t high) {
    const std::uint64_t top = high >> 32;
    std::uint64_t rest = low - top;
    rest -= low < top ? epsilon : 0;
    const std::uint64_t middle = (high << 32) - (high & epsilon);
    std::uint64_t sum = rest + middle;
    sum += sum < middle ? epsilon : 0;
    return sum >= prime ? sum - prime : sum;
  }
  static __device__ __forceinline__ Element multiply(Element a, Element b) {
    return reduce(a * b, __umul64hi(a, b));
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

  /// A signed coefficient and its residue; residues above p / 2 stand for negative numbers.
  static __device__ __forceinline__ Element enter(Element a) {
    return static_cast<std::int64_t>(a) < 0 ? a - epsilon : a;
  }
  static __device__ __forceinline__ Element leave(Element a, Scale scale) {
    a = multiply(a, scale);
    return a > prime / 2 ? a + epsilon : a;
  }
};

}  // namespace yupana::spectral::cuda
