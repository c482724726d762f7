#include "yupana/io/number_text.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

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

using Wide = unsigned __int128;

// Below, digits x 10^power < 2^64 x 10^-343 rounds to zero; above, 1 x 10^309 is infinite.
constexpr int min_power = -342;
constexpr int max_power = 308;

/// The 128 highest bits of 5^power, the first of them one.
struct PowerOfFive {
  std::uint64_t high;
  std::uint64_t low;
};

/// A number of 1,024 bits; the lowest word first.
class Large {
 public:
  constexpr Large(std::size_t word, std::uint32_t value) { words_[word] = value; }

  constexpr void multiply_by_five() {
    std::uint64_t carry = 0;
    for (std::uint32_t& word : words_) {
      carry += std::uint64_t{word} * 5;
      word = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  constexpr void divide_by_five() {
    std::uint64_t rest = 0;
    for (std::size_t i = words_.size(); i-- > 0;) {
      rest = (rest << 32) | words_[i];
      words_[i] = static_cast<std::uint32_t>(rest / 5);
      rest %= 5;
    }
  }
  /// Cut off after the 128th.
  constexpr PowerOfFive highest_bits() const {
    std::size_t top = words_.size() - 1;
    while (words_[top] == 0) --top;
    Wide bits = 0;
    for (std::size_t i = 0; i < 4; ++i) bits = (bits << 32) | (i <= top ? words_[top - i] : 0);
    const int zeros = std::countl_zero(words_[top]);
    if (zeros > 0) {
      const std::uint32_t next = top >= 4 ? words_[top - 4] : 0;
      bits = (bits << zeros) | (next >> (32 - zeros));
    }
    return {static_cast<std::uint64_t>(bits >> 64), static_cast<std::uint64_t>(bits)};
  }

 private:
  std::array<std::uint32_t, 32> words_{};
};

/// 5^power for all powers: cut off where it is whole, rounded up where it is a fraction, which is
/// 2^1023 / 5^-power here (at least 229 bits: 5^342 < 2^795).
constexpr auto make_powers() {
  std::array<PowerOfFive, max_power - min_power + 1> powers{};
  Large whole(0, 1);
  for (int power = 0; power <= max_power; ++power, whole.multiply_by_five()) {
    powers[power - min_power] = whole.highest_bits();
  }
  Large fraction(31, std::uint32_t{1} << 31);
  for (int power = -1; power >= min_power; --power) {
    fraction.divide_by_five();
    PowerOfFive bits = fraction.highest_bits();
    if (++bits.low == 0) ++bits.high;
    powers[power - min_power] = bits;
  }
  return powers;
}

constexpr auto powers_of_five = make_powers();

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

// Eisel and Lemire's method: D. Lemire, Number parsing at a gigabyte per second, Software: Practice
// and Experience 51 (2021). That 128 bits of each power always decide, so that no other method need
// follow: N. Mushtak, D. Lemire, Fast number parsing without fallback, ibid. 53 (2023).
bool decimal_value(std::uint64_t digits, std::int64_t power, double& value) {
  if (digits == 0) {
    value = 0;
    return true;
  }
  if (power < min_power || power > max_power) return false;
  const int zeros = std::countl_zero(digits);
  digits <<= zeros;
  const PowerOfFive& five = powers_of_five[power - min_power];
  const Wide product = Wide{digits} * five.high;
  std::uint64_t high = static_cast<std::uint64_t>(product >> 64);
  std::uint64_t low = static_cast<std::uint64_t>(product);
  // 55 bits are wanted: 53, one to round by, and the first may be zero. The power's lower half can
  // only reach them through nine ones.
  if ((high & 0x1ff) == 0x1ff) {
    const std::uint64_t more = static_cast<std::uint64_t>((Wide{digits} * five.low) >> 64);
    low += more;
    high += low < more;
  }
  const int first = static_cast<int>(high >> 63);
  std::uint64_t mantissa = high >> (first + 9);  // 54 bits
  // floor(power x log2(10)) for |power| <= 342, and 1023 as the format has it.
  const std::int64_t exponent = ((power * 217706) >> 16) + 63 + first - zeros + 1023;
  if (exponent <= 0 || exponent >= 2047) return false;
  // Half way between two doubles, exactly: only 5^-4 to 5^23 leave so few bits. To the even one.
  const bool half = low <= 1 && power >= -4 && power <= 23 && (mantissa & 3) == 1;
  if (half && mantissa << (first + 9) == high) --mantissa;
  mantissa = (mantissa + 1) >> 1;
  // The leading one, and a carry beyond it, count up the exponent.
  value = std::bit_cast<double>((static_cast<std::uint64_t>(exponent - 1) << 52) + mantissa);
  return true;
}

}  // namespace yupana::io
