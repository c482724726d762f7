#pragma once

#include <cuda_runtime.h>

#include <cstdint>

/// Private to the family: integers modulo two primes of 31 bits, the field of exact products whose
/// coefficients stay below half the primes' product.
namespace yupana::spectral::cuda {

/// 2^32 = R. A product by montgomery() is a b / R modulo P; by shoup() with a constant it is a w.
template <std::uint32_t P>
struct Residues {
  static_assert(P > 1u << 30 && P < 1u << 31);
  static constexpr std::uint32_t radix = (std::uint64_t{1} << 32) % P;              // R
  static constexpr std::uint32_t radix_squared = std::uint64_t{radix} * radix % P;  // R^2

  /// P^-1 modulo R: every step of Newton's doubles the bits that are right, 3 of P itself.
  static constexpr std::uint32_t inverse = [] {
    std::uint32_t x = P;
    for (int i = 0; i < 4; ++i) x *= 2u - P * x;
    return x;
  }();

  static constexpr __host__ __device__ std::uint32_t product(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::uint64_t{a} * b % P);
  }
  static constexpr __host__ __device__ std::uint32_t power(std::uint32_t a,
                                                           std::uint64_t exponent) {
    std::uint32_t result = 1;
    for (; exponent != 0; exponent >>= 1) {
      if ((exponent & 1) != 0) result = product(result, a);
      a = product(a, a);
    }
    return result;
  }

  // a, b < P: sums stay below 2^32. Of a number and itself less P the smaller one, as bits, is the
  // one below P.
  static __device__ __forceinline__ std::uint32_t below(std::uint32_t a) {
    return __viaddmin_u32(a, 0u - P, a);
  }
  static __device__ __forceinline__ std::uint32_t add(std::uint32_t a, std::uint32_t b) {
    return below(a + b);
  }
  static __device__ __forceinline__ std::uint32_t subtract(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t d = a - b;
    return __viaddmin_u32(d, P, d);
  }
  // a any, b < P: the upper words of a b and of what ends in the same lower word are below P.
  static __device__ __forceinline__ std::uint32_t montgomery(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t whole = std::uint64_t{a} * b;
    const std::uint32_t multiple = static_cast<std::uint32_t>(whole) * inverse;
    return subtract(static_cast<std::uint32_t>(whole >> 32), __umulhi(multiple, P));
  }
  // a any: with q = floor(a floor(w R / P) / R), a w - q P is below 2 P (Harvey 2014).
  template <std::uint32_t W>
  static __device__ __forceinline__ std::uint32_t shoup(std::uint32_t a) {
    constexpr auto ratio = static_cast<std::uint32_t>((std::uint64_t{W} << 32) / P);
    return below(a * W - __umulhi(a, ratio) * P);
  }
  static __device__ __forceinline__ std::uint32_t of(std::int64_t a) {
    const auto bits = static_cast<std::uint64_t>(a);
    const std::uint32_t sum =
        add(montgomery(static_cast<std::uint32_t>(bits), radix),
            montgomery(static_cast<std::uint32_t>(bits >> 32), radix_squared));
    return subtract(sum, a < 0 ? radix_squared : 0);  // 2^64 less where the upper word is negative
  }
};

/// Residues modulo two primes, or before enter() and after leave() the words of an integer.
using ResiduePair = uint2;

/// Integers modulo P Q. Roots of unity, and scales, are R times what they represent; values are
/// not.
struct ResiduePairField {
  using Element = ResiduePair;
  using Scale = ResiduePair;
  static constexpr bool powers_from_table = true;
  static constexpr std::uint32_t p = 1811939329, q = 2013265921;  // 27 2^26 + 1, 15 2^27 + 1
  static constexpr std::uint32_t p_generator = 13, q_generator = 31;
  static constexpr int longest = 26;  ///< log2 of the longest transform
  static constexpr std::uint64_t modulus = std::uint64_t{p} * q;
  using First = Residues<p>;
  using Second = Residues<q>;

  static __device__ __forceinline__ Element add(Element a, Element b) {
    return {First::add(a.x, b.x), Second::add(a.y, b.y)};
  }
  static __device__ __forceinline__ Element subtract(Element a, Element b) {
    return {First::subtract(a.x, b.x), Second::subtract(a.y, b.y)};
  }
  static __device__ __forceinline__ Element multiply(Element a, Element b) {
    return {First::montgomery(a.x, b.x), Second::montgomery(a.y, b.y)};
  }
  static __device__ __forceinline__ Element one() { return {First::radix, Second::radix}; }

  /// (a - b) root^k, root of order n, a power of two <= 16, k < n / 2: the difference enters the
  /// product as it is, positive and below 2^32.
  static __device__ __forceinline__ Element rotated_difference(Element a, Element b, int n, int k) {
    if (k == 0) return subtract(a, b);
    const Element d = {a.x - b.x + p, a.y - b.y + q};
    switch (k * (16 / n)) {
      case 1:
        return twiddled<1>(d);
      case 2:
        return twiddled<2>(d);
      case 3:
        return twiddled<3>(d);
      case 4:
        return twiddled<4>(d);
      case 5:
        return twiddled<5>(d);
      case 6:
        return twiddled<6>(d);
      default:
        return twiddled<7>(d);
    }
  }

  static __device__ __forceinline__ Element encode(Element a) {
    const auto value = static_cast<std::int64_t>(a.x | static_cast<std::uint64_t>(a.y) << 32);
    return {First::of(value), Second::of(value)};
  }
  /// The integer between -P Q / 2 and P Q / 2 of both residues: r + P ((s - r) / P modulo Q).
  static __device__ __forceinline__ Element decode(Element a, Scale scale) {
    a = multiply(a, scale);
    constexpr std::uint32_t over_p = Second::power(p, q - 2);
    const std::uint32_t h = Second::shoup<over_p>(a.y - a.x + q);  // p < q
    std::uint64_t value = a.x + std::uint64_t{p} * h;
    if (value > modulus / 2) value -= modulus;
    return {static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)};
  }

 private:
  template <int K>
  static __device__ __forceinline__ Element twiddled(Element a) {
    constexpr std::uint32_t u = First::power(p_generator, std::uint64_t{(p - 1) / 16} * K);
    constexpr std::uint32_t v = Second::power(q_generator, std::uint64_t{(q - 1) / 16} * K);
    return {First::shoup<u>(a.x), Second::shoup<v>(a.y)};
  }
};

}  // namespace yupana::spectral::cuda
