#pragma once

#include <charconv>
#include <cstddef>
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

}  // namespace yupana::io
