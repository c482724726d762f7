#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"

namespace yupana::spectral {

/// How digits are written. The value is the base.
enum class Digits { binary = 2, decimal = 10, hexadecimal = 16 };

/// An integer of any size: sign and magnitude, sum of limbs[i] 2^(32 i) without leading zero limbs.
/// Zero has no limbs and is not negative.
struct BigInteger {
  std::vector<std::uint32_t> limbs;
  bool negative = false;

  bool operator==(const BigInteger&) const = default;
};

/// Reads digits with an optional sign and, for hexadecimal and binary, an optional 0x or 0b; either
/// case. Subquadratic: halves, joined by products, on threads whatever the device.
///   errors (bad_input): no digits; a character that is none of the base's, with its place
BigInteger parse_integer(Context& context, std::string_view text, Digits digits = Digits::decimal);

/// The digits, "-" before a negative number, no prefix, no leading zeros, lower case. Subquadratic,
/// on threads whatever the device.
std::string to_text(Context& context, const BigInteger& value, Digits digits = Digits::decimal);

/// The exact product: schoolbook, Karatsuba or number-theoretic transforms, by size; with CUDA on
/// the device from 16,384 limbs of the shorter factor on, where its memory takes them, else on
/// threads.
BigInteger multiply(Context& context, const BigInteger& a, const BigInteger& b);

}  // namespace yupana::spectral
