#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "yupana/io/decimal.hpp"
#include "yupana/io/text_fields.hpp"

namespace yupana::io {

/// The power of ten after an 'e' at `at`; moves `at` past it. False where there is none, or one
/// that takes more than four digits.
inline bool read_exponent(const char*& at, std::int64_t& power) {
  const char* p = at + 1;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const first = p;
  std::int64_t exponent = 0;
  while (static_cast<unsigned char>(*p - '0') < 10 && p - first < 5) {
    exponent = exponent * 10 + (*p++ - '0');
  }
  if (p == first || p - first > 4) return false;
  power += negative ? -exponent : exponent;
  at = p;
  return true;
}

/// Of the digits at `at`, with a point or without: how many begin with the first that is not zero.
inline std::int64_t significant_digits(const char* at, std::int64_t digits) {
  for (; digits > 0 && (*at == '0' || *at == '.'); ++at) digits -= *at == '0';
  return digits;
}

/// Reads a decimal number at `at`, correctly rounded; returns its end, or `at` if there is none.
/// There must be a byte after `end` that is no part of a number.
/// Up to 2^53 with a power of ten up to 22 is one exact product or quotient (Clinger 1990), other
/// numbers of up to 19 digits go to decimal_value, the rest to std::from_chars.
inline const char* read_number(const char* at, const char* end, double& value) {
  const char* p = at;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const first = p;
  std::uint64_t digits = 0;
  // One digit before the point, the usual case, is tested sooner than counted.
  if (static_cast<unsigned char>(*p - '0') < 10 && p[1] == '.') {
    digits = static_cast<std::uint64_t>(*p++ - '0');
  } else {
    p = read_digits(p, end, digits);
  }
  std::int64_t count = p - first;
  std::int64_t power = 0;
  if (*p == '.') {
    const char* const point = ++p;
    p = read_digits(p, end, digits);
    power = point - p;
    count -= power;
  }
  bool plain = count > 0 && (count <= 19 || significant_digits(first, count) <= 19);
  if (plain && (*p | 0x20) == 'e') plain = read_exponent(p, power);
  if (plain) {
    double size = 0;
    if (digits <= (std::uint64_t{1} << 53) && power <= 22 && power >= -22) {
      size = static_cast<double>(digits);
      if (power < 0) size /= power_of_ten[-power];
      if (power > 0) size *= power_of_ten[power];
    } else {
      plain = decimal_value(digits, power, size);
    }
    if (plain) {
      value = negative ? -size : size;
      return p;
    }
  }
  // std::from_chars knows no plus sign; "+-1" must not become a number.
  const char* const from = *at == '+' ? at + 1 : at;
  if (from != at && from < end && *from == '-') return at;
  const auto [stop, error] = std::from_chars(from, end, value);
  if (error == std::errc::result_out_of_range) {
    // Too large is infinite, too small is zero, as strtod has it; which, the exponent's sign says,
    // or, where there is none, whether the point follows zeros alone.
    const char* whole = first;
    while (*whole == '0') ++whole;
    bool small = *whole == '.';
    for (const char* c = from; c + 1 < stop; ++c) {
      if (*c == 'e' || *c == 'E') small = c[1] == '-';
    }
    // Not `digits`, whose lowest 64 bits alone are kept: those of 1 and 309 zeros are 0.
    if (small || (count > 0 && significant_digits(first, count) == 0)) {
      value = negative ? -0.0 : 0.0;
    } else {
      value = (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
    }
    return stop;
  }
  return error == std::errc{} ? stop : at;
}

/// Words for a value that is not there.
inline bool is_missing(std::string_view cell) {
  if (cell.size() > 4) return false;
  const std::string word = lower_case(cell);
  return word.empty() || word == "?" || word == "na" || word == "n/a" || word == "nan" ||
         word == "-nan" || word == "null" || word == "none";
}

/// A cell that is a number from its first byte to its last.
inline bool whole_number(std::string_view cell, double& value) {
  if (cell.empty()) return false;
  // A copy with a byte after it; no number of a table is longer.
  char text[512];
  if (cell.size() >= sizeof(text)) return false;
  cell.copy(text, cell.size());
  text[cell.size()] = '\0';
  return read_number(text, text + cell.size(), value) == text + cell.size();
}

/// Whether a cell is a number but for a comma as its decimal point, as in "1,5".
bool has_decimal_comma(std::string_view cell);

/// What to do, to append to a message, where one of the words of a text, parted by blanks or
/// semicolons, has a decimal comma; else empty.
std::string decimal_comma_advice(std::string_view text);

}  // namespace yupana::io
