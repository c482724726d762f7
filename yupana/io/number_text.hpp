#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace yupana::io {

/// Bytes that the functions below write at most.
inline constexpr std::size_t number_text_bytes = 32;

/// The shortest decimal text that reads back as the same double; integers below 2^53 without
/// exponent ("100000", not "1e+05"); nan, inf. Returns the end; writes no zero byte.
char* write_shortest(double value, char* out);

/// Appends the shortest text that reads back as the same number.
template <class T>
void append_number(std::string& text, T value) {
  char number[number_text_bytes];
  char* end = nullptr;
  if constexpr (std::is_same_v<T, double>) {
    end = write_shortest(value, number);
  } else {
    end = std::to_chars(number, number + sizeof(number), value).ptr;
  }
  text.append(number, end);
}

/// Six significant digits as PLINK 1.9 prints them: C's "%g", except that a digit followed by half
/// a unit (within 5e-9 units, to be blind to the rounding of the value itself) goes to the even
/// neighbour: 4143.425 -> 4143.42, 3707.275 -> 3707.28.
char* write_six_digits(double value, char* out);

/// Powers of ten that a double holds exactly, so that one product or quotient is the only rounding.
inline constexpr double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// value = the double nearest to digits x 10^power, ties to even; infinity where it rounds to that.
/// False, with `value` as it was, from 2^1024 on, and where it has less than the smallest normal
/// number's size and is not zero.
bool decimal_value(std::uint64_t digits, std::int64_t power, double& value);

/// Takes the digits that begin at `at`: digits = digits x 10^count + number, modulo 2^64. Returns
/// the first byte that is none; one before or at `end` must be.
/// Eight bytes at a time, whatever their number is: a branch for every length would be guessed
/// wrong where lengths differ from cell to cell.
inline const char* read_digits(const char* at, const char* end, std::uint64_t& digits) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  // Bytes of 0 to 9, the first one the highest digit: pairs, then fours in the products' upper
  // half.
  const auto number_of = [](std::uint64_t word) {
    constexpr std::uint64_t pair = 0x000000ff000000ff;
    word = word * 10 + (word >> 8);
    const std::uint64_t upper = (word & pair) * (100 + (std::uint64_t{1000000} << 32));
    const std::uint64_t lower = ((word >> 16) & pair) * (1 + (std::uint64_t{10000} << 32));
    return (upper + lower) >> 32;
  };
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    word ^= 0x3030303030303030;  // '0' to '9' become 0 to 9, all others more
    constexpr std::uint64_t top = 0x8080808080808080;
    const std::uint64_t others = (((word & ~top) + 0x7676767676767676) | word) & top;
    if (others == 0) {
      digits = digits * tens[8] + number_of(word);
      at += 8;
      continue;
    }
    // Zeros before the digits instead of what follows them; none is shifted out in two steps.
    const int count = std::countr_zero(others) / 8;
    digits = digits * tens[count] + number_of((word << (56 - 8 * count)) << 8);
    return at + count;
  }
  while (static_cast<unsigned char>(*at - '0') < 10) {
    digits = digits * 10 + static_cast<std::uint64_t>(*at++ - '0');
  }
  return at;
}

}  // namespace yupana::io
