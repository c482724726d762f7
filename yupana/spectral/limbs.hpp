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
inline constexpr std::size_t least_karatsuba = 48;
inline constexpr std::size_t least_ntt = 176;
}  // namespace cpu

}  // namespace yupana::spectral
