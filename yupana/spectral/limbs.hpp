#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/context.hpp"

/// Natural numbers as digits of a large base, least first, no zeros at the end. Two bases: 2^32, in
/// which integers are kept, and 10^9, in which they are read and written.
namespace yupana::spectral {

using Limbs = std::vector<std::uint32_t>;
using LimbSpan = std::span<const std::uint32_t>;

inline constexpr std::uint64_t binary_base = std::uint64_t{1} << 32;
inline constexpr std::uint64_t decimal_base = 1'000'000'000;

inline void trim(Limbs& limbs) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
}

namespace reference {
/// Digit by digit.
template <std::uint64_t base>
Limbs multiply(LimbSpan a, LimbSpan b);
/// The number with these digits of base `from`, in base `to`: Horner's rule.
template <std::uint64_t from, std::uint64_t to>
Limbs convert(LimbSpan digits);
}  // namespace reference

namespace cpu {
template <std::uint64_t base>
Limbs multiply(Context& context, LimbSpan a, LimbSpan b);
/// By halves, joined by multiplications.
template <std::uint64_t from, std::uint64_t to>
Limbs convert(Context& context, LimbSpan digits);

/// Where multiply() changes its method, in limbs of the shorter factor (measured: see README).
inline constexpr std::size_t min_karatsuba = 48;
inline constexpr std::size_t min_ntt = 176;
/// A factor as many times longer is not worth a transform of its whole length in zeros: it goes in
/// pieces, as many times longer.
inline constexpr std::size_t long_factor = 16;
inline constexpr std::size_t piece_factor = 7;
}  // namespace cpu

namespace cuda {
/// From this many limbs of the shorter factor on the device is the faster one (measured: see
/// README), and up to so many digits of 16 bits a coefficient of the product stays below 2^63.
inline constexpr std::size_t min_limbs = 16384;
inline constexpr std::size_t max_digits = std::size_t{1} << 30;
/// Whether a product of so many limbs goes to the device: large enough, and fits its memory.
bool multiplies(const Context& context, std::size_t a, std::size_t b);
Limbs multiply(Context& context, LimbSpan a, LimbSpan b);
}  // namespace cuda

}  // namespace yupana::spectral
