#include "yupana/io/decimal.hpp"

#include <array>

namespace yupana::io {
namespace {

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
