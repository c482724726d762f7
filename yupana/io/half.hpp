#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace yupana::io {

/// A float16 of a file.
struct Half {
  std::uint16_t bits;

  explicit operator double() const {
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    double size = std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 0) size = std::ldexp(fraction, -24);
    if (exponent == 31) size = fraction == 0 ? HUGE_VAL : std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -size : size;
  }
};

/// A bfloat16 of a file: the upper half of a float32.
struct Bfloat16 {
  std::uint16_t bits;

  explicit operator double() const {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
  }
};

}  // namespace yupana::io
