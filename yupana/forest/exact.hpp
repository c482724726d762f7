#pragma once

#include <array>
#include <cstdint>

namespace yupana::forest {

// constexpr: device code calls these too.

using Wide = unsigned __int128;

/// a / n + b / m with n, m > 0, compared without rounding.
/// Bounds: a, b < 2^125 and n, m < 2^62 give numerators below 2^189 and products below 2^313, which
/// six words of 64 bits hold.
struct Fraction {
  Wide a = 0;
  std::uint64_t n = 1;
  Wide b = 0;
  std::uint64_t m = 1;
};

namespace exact_detail {

/// Little-endian words.
template <std::size_t size>
using Words = std::array<std::uint64_t, size>;

template <std::size_t x, std::size_t y>
constexpr Words<x + y> product(const Words<x>& a, const Words<y>& b) {
  Words<x + y> result{};
  for (std::size_t i = 0; i < x; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < y; ++j) {
      const Wide sum = Wide{a[i]} * b[j] + result[i + j] + carry;
      result[i + j] = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    result[i + y] = carry;
  }
  return result;
}

constexpr Words<2> words(Wide value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64)};
}

/// a m + b n.
constexpr Words<4> numerator(const Fraction& f) {
  const auto left = product(words(f.a), words(f.m));
  const auto right = product(words(f.b), words(f.n));
  Words<4> sum{};
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Wide part = Wide{left[i]} + right[i] + carry;
    sum[i] = static_cast<std::uint64_t>(part);
    carry = static_cast<std::uint64_t>(part >> 64);
  }
  return sum;
}

}  // namespace exact_detail

/// -1, 0 or 1 as x is less than, equal to or greater than y.
constexpr int compare(const Fraction& x, const Fraction& y) {
  using namespace exact_detail;
  const auto left = product(numerator(x), words(Wide{y.n} * y.m));
  const auto right = product(numerator(y), words(Wide{x.n} * x.m));
  for (std::size_t i = left.size(); i-- > 0;) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}

template <class Integer>
constexpr int compare(Integer x, Integer y) {
  return x < y ? -1 : x > y ? 1 : 0;
}

constexpr Wide square(std::int64_t x) {
  const auto size = static_cast<std::uint64_t>(x < 0 ? -x : x);
  return Wide{size} * size;
}

/// A wide integer as a double, within 2^-52 of it.
constexpr double as_double(Wide x) {
  return static_cast<double>(static_cast<std::uint64_t>(x >> 64)) * 0x1p64 +
         static_cast<double>(static_cast<std::uint64_t>(x));
}

}  // namespace yupana::forest
