#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "yupana/core/error.hpp"

namespace yupana::io {

/// Whether a double equals the integer: every one up to 2^53 in size, some beyond.
template <class Int>
constexpr bool fits_double(Int value) {
  constexpr double end = std::is_signed_v<Int> ? 0x1p63 : 0x1p64;
  const auto rounded = static_cast<double>(value);
  return sizeof(Int) < 8 || (rounded < end && static_cast<Int>(rounded) == value);
}

/// A number of a .npy as T, `at` its place counted from 0. bad_input for an integer that no double
/// equals: an id or a hash would become another one without a word.
template <class T, class Own>
T exact_number(std::string_view path, Own value, std::int64_t at) {
  if constexpr (std::is_integral_v<Own> && std::is_floating_point_v<T>) {
    if (!fits_double(value)) {
      throw bad_file(path,
                     fmt::format("value {} (counted from 0) is {}, beyond 2^53 and between two "
                                 "doubles; save it as f8 if it may be rounded",
                                 at,
                                 value));
    }
  }
  return static_cast<T>(value);
}

/// Whether a text that reads as `value` is a 64-bit integer, digits alone, that no double equals.
inline bool is_rounded_integer(std::string_view text, double value) {
  if (std::fabs(value) < 0x1p53) return false;
  const auto rounds = [&](auto integer) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, integer);
    return stop == end && error == std::errc{} && !fits_double(integer);
  };
  return rounds(std::int64_t{}) || rounds(std::uint64_t{});
}

}  // namespace yupana::io
