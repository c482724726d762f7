#include "yupana/io/number_text.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "yupana/io/decimal.hpp"

namespace yupana::io {
namespace {

constexpr double tie_tolerance = 5e-9;

char* write_text(const char* text, char* out) {
  const std::size_t size = std::strlen(text);
  std::memcpy(out, text, size);
  return out + size;
}

char* write_integer(std::int64_t value, char* out) {
  return std::to_chars(out, out + number_text_bytes, value).ptr;
}

/// floor(log10(value)) for 1e-16 <= value < 1e22: from the binary exponent it is right or one too
/// large; the table decides.
int decimal_exponent(double value) {
  const int guess = static_cast<int>(std::floor((std::ilogb(value) + 1) * 0.30103));
  // At a power below one the product may round across the border, which does no harm: the digits
  // then round to 10^6 and carry.
  const bool smaller = guess >= 0 ? value < power_of_ten[guess] : value * power_of_ten[-guess] < 1;
  return smaller ? guess - 1 : guess;
}

/// The six digits of `value` x 10^shift, which lies in about [1e5, 1e6).
std::int32_t rounded_digits(double value, int shift) {
  const double scaled = shift >= 0 ? value * power_of_ten[shift] : value / power_of_ten[-shift];
  const std::int32_t whole = static_cast<std::int32_t>(scaled);
  const double rest = scaled - whole;
  if (rest < 0.5 - tie_tolerance) return whole;
  if (rest > 0.5 + tie_tolerance) return whole + 1;
  return whole + (whole & 1);
}

/// Six digits d1 d2 .. d6 as text, and how many remain without trailing zeros.
int six_digits(std::int32_t digits, char* text) {
  for (int i = 5; i >= 0; --i) {
    text[i] = static_cast<char>('0' + digits % 10);
    digits /= 10;
  }
  int kept = 6;
  while (kept > 1 && text[kept - 1] == '0') --kept;
  return kept;
}

char* write_fixed(const char* digits, int kept, int exponent, char* out) {
  if (exponent < 0) {
    *out++ = '0';
    *out++ = '.';
    for (int i = -1; i > exponent; --i) *out++ = '0';
    std::memcpy(out, digits, kept);
    return out + kept;
  }
  const int whole = exponent + 1;
  std::memcpy(out, digits, whole);
  out += whole;
  if (kept <= whole) return out;
  *out++ = '.';
  std::memcpy(out, digits + whole, kept - whole);
  return out + (kept - whole);
}

char* write_scientific(const char* digits, int kept, int exponent, char* out) {
  *out++ = digits[0];
  if (kept > 1) {
    *out++ = '.';
    std::memcpy(out, digits + 1, kept - 1);
    out += kept - 1;
  }
  *out++ = 'e';
  *out++ = exponent < 0 ? '-' : '+';
  const int size = exponent < 0 ? -exponent : exponent;
  *out++ = static_cast<char>('0' + size / 10);
  *out++ = static_cast<char>('0' + size % 10);
  return out;
}

}  // namespace

char* write_shortest(double value, char* out) {
  const bool negative_zero = value == 0 && std::signbit(value);  // to_chars writes it as "-0"
  if (std::fabs(value) < 9007199254740992.0 && value == std::trunc(value) && !negative_zero) {
    return write_integer(static_cast<std::int64_t>(value), out);
  }
  if (std::isnan(value)) return write_text("nan", out);
  return std::to_chars(out, out + number_text_bytes, value).ptr;
}

char* write_six_digits(double value, char* out) {
  if (std::fabs(value) < 1e6 && value == std::trunc(value)) {
    return write_integer(static_cast<std::int64_t>(value), out);
  }
  if (std::isnan(value)) return write_text("nan", out);
  if (value < 0) {
    *out++ = '-';
    value = -value;
  }
  // Outside, the scaling below would round more than once; no distance is there.
  if (!(value >= 1e-16 && value < 1e22)) {
    return std::to_chars(out, out + number_text_bytes - 1, value, std::chars_format::general, 6)
        .ptr;
  }
  int exponent = decimal_exponent(value);
  std::int32_t digits = rounded_digits(value, 5 - exponent);
  if (digits >= 1'000'000) {
    digits /= 10;
    ++exponent;
  }
  char text[6];
  const int kept = six_digits(digits, text);
  return exponent < -4 || exponent > 5 ? write_scientific(text, kept, exponent, out)
                                       : write_fixed(text, kept, exponent, out);
}

}  // namespace yupana::io
