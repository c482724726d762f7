#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/io/number_text.hpp"

namespace yupana::io {

/// Cuts a line at blanks and tabs into at most `most` fields, the rest ignored; runs of blanks
/// count as one. Returns how many there are.
inline std::size_t split_fields(std::string_view line, std::string_view* fields, std::size_t most) {
  std::size_t count = 0;
  std::size_t at = 0;
  while (count < most) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    if (at == line.size()) break;
    const std::size_t begin = at;
    while (at < line.size() && line[at] != ' ' && line[at] != '\t') ++at;
    fields[count++] = line.substr(begin, at - begin);
  }
  return count;
}

/// All fields of a line, cut at blanks and tabs.
inline std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word; split_fields(line, &word, 1) == 1;) {
    words.push_back(word);
    line.remove_prefix(static_cast<std::size_t>(word.data() + word.size() - line.data()));
  }
  return words;
}

/// The fields between separators, empty ones too.
inline std::vector<std::string_view> cut(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == line.npos) return fields;
    line.remove_prefix(end + 1);
  }
}

/// The lines of a text without their ends, \n or \r\n.
inline std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The text without blanks at its ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t") {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// ASCII letters in lower case.
inline std::string lower_case(std::string_view text) {
  std::string low(text);
  for (char& c : low) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return low;
}

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

/// What is wrong with a first line that names the delimiter to Excel alone, "sep=;"; else empty.
std::string excel_line(std::string_view line);

/// Whether a cell is a number but for a comma as its decimal point, as in "1,5".
bool has_decimal_comma(std::string_view cell);

/// What to do, to append to a message, where one of the words of a text, parted by blanks or
/// semicolons, has a decimal comma; else empty.
std::string decimal_comma_advice(std::string_view text);

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
  if constexpr (std::is_same_v<T, double>) {  // a float is chosen by name
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
