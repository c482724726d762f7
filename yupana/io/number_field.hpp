#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "yupana/core/messages.hpp"

namespace yupana::io {

/// The number that a text is from its first character to its last, as std::from_chars reads it;
/// nothing where it is none or where T does not hold it.
template <class T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return {};
  return value;
}

/// Whether a double equals the integer: every one up to 2^53 in size, some beyond.
template <class Int>
constexpr bool fits_double(Int value) {
  constexpr double end = std::is_signed_v<Int> ? 0x1p63 : 0x1p64;
  const auto rounded = static_cast<double>(value);
  return sizeof(Int) < 8 || (rounded < end && static_cast<Int>(rounded) == value);
}

/// Whether a field of digits alone, however many, read as `value`, is an integer that no double
/// equals.
inline bool is_rounded_integer(std::string_view field, double value) {
  if (!(std::fabs(value) >= 0x1p53) || std::isinf(value)) return false;
  if (field[0] == '+' || field[0] == '-') field.remove_prefix(1);
  if (field.find_first_not_of("0123456789") != field.npos) return false;
  field.remove_prefix(field.find_first_not_of('0'));
  char exact[std::numeric_limits<double>::max_exponent10 + 2];
  const auto [end, error] =
      std::to_chars(exact, exact + sizeof exact, std::fabs(value), std::chars_format::fixed, 0);
  return error != std::errc{} || field != std::string_view(exact, end);
}

enum class Field {
  number,
  no_number,
  too_large,  ///< beyond what the type holds
  rounded,    ///< an integer, digits alone, that no double equals
};

/// Reads a field that is a number from its first character to its last; a plus sign may lead.
template <class T>
Field read_field(std::string_view field, T& value) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const char* const end = field.data() + field.size();
  const auto [stop, error] = std::from_chars(field.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return Field::no_number;
  if (error == std::errc::result_out_of_range) return Field::too_large;
  if constexpr (std::is_same_v<T, double>) {  // a float was asked for in so many words
    if (is_rounded_integer(field, value)) return Field::rounded;
  }
  return Field::number;
}

/// A number of a .npy as T, `at` its place counted from 0. bad_input for an integer that no double
/// equals: an id or a hash would become another one without a word.
template <class T, class Own>
T exact_number(std::string_view path, Own value, std::int64_t at) {
  if constexpr (std::is_integral_v<Own> && std::is_floating_point_v<T>) {
    if (!fits_double(value)) {
      throw bad_file(path,
                     "value {} (from 1) is {}, beyond 2^53 and between two "
                     "doubles; save it as f8 if it may be rounded",
                     at + 1,
                     value);
    }
  }
  return static_cast<T>(value);
}

}  // namespace yupana::io
