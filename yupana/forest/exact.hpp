#pragma once

#include <array>
#include <bit>
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

/// What count_log looks up of a number 1 <= f < 2 by its first 7 bits after the point: about 1 /
/// f, and minus its logarithm.
struct LogTable {
  std::uint64_t reciprocal[128] = {};  ///< in units of 2^-63
  std::uint64_t log[128] = {};         ///< in units of 2^-60
};

constexpr LogTable make_log_table() {
  LogTable table;
  for (std::uint64_t i = 0; i < 128; ++i) {
    const Wide center = (Wide{256} + 2 * i + 1) << 55;
    table.reciprocal[i] = static_cast<std::uint64_t>((Wide{1} << 126) / center);
    // 1 - log2 of twice the reciprocal, bit by bit: of a square, the logarithm is twice as large.
    std::uint64_t f = 2 * table.reciprocal[i], log = 0;
    for (int bit = 0; bit < 60; ++bit) {
      const auto square = static_cast<std::uint64_t>((Wide{f} * f) >> 63);
      const bool above_two = ((Wide{f} * f) >> 127) != 0;
      log = 2 * log + (above_two ? 1 : 0);
      f = above_two ? static_cast<std::uint64_t>((Wide{f} * f) >> 64) : square;
    }
    table.log[i] = (std::uint64_t{1} << 60) - log;
  }
  return table;
}

inline constexpr LogTable log_table = make_log_table();

/// The largest e with 2^e <= n.
constexpr int log2_floor(std::int64_t n) {
#ifdef __CUDA_ARCH__
  return 63 - __clzll(n);
#else
  return std::bit_width(static_cast<std::uint64_t>(n)) - 1;
#endif
}

/// log2 n - e in units of 2^-60, e = log2_floor(n), in integers alone, so that it is the same on
/// every machine. With f = n / 2^e and 1 / r near it, log2 n = e - log2 r + log2(1 + x), x = f r -
/// 1, |x| < 2^-7.9, whose series ends after x^8 / 8 < 2^-66.
/// constexpr: device code calls it too, with a copy of the table.
constexpr std::int64_t log2_rest(std::int64_t n, int e, const LogTable& table) {
  // (-1)^(k + 1) 2^62 / (k ln 2)
  constexpr std::int64_t series[8] = {6653256548922161246,
                                      -3326628274461080623,
                                      2217752182974053749,
                                      -1663314137230540311,
                                      1330651309784432249,
                                      -1108876091487026874,
                                      950465221274594464,
                                      -831657068615270156};
  const std::uint64_t f = static_cast<std::uint64_t>(n) << (63 - e);
  const int i = static_cast<int>(f >> 56) & 127;
  const auto product = static_cast<std::uint64_t>((Wide{f} * table.reciprocal[i]) >> 64);
  const auto x = static_cast<std::int64_t>(product) - (std::int64_t{1} << 62);
  std::int64_t sum = series[7];
  for (int k = 6; k >= 0; --k) {
    sum = series[k] + static_cast<std::int64_t>((static_cast<__int128>(x) * sum) >> 62);
  }
  sum = static_cast<std::int64_t>((static_cast<__int128>(x) * sum) >> 62);
  return static_cast<std::int64_t>(table.log[i]) + (sum >> 2);
}

/// n log2 n in units of 2^-bits (n < 2^42, bits < 60), within 1 of the truth.
constexpr std::int64_t count_log(std::int64_t n, int bits, const LogTable& table) {
  if (n < 2) return 0;
  const int e = log2_floor(n);
  const __int128 rest = static_cast<__int128>(n) * log2_rest(n, e, table);
  const int shift = 60 - bits;
  return (n * e << bits) +
         static_cast<std::int64_t>((rest + (__int128{1} << (shift - 1))) >> shift);
}

/// log2 n in units of 2^-57, n > 0, within 1 of the truth.
constexpr std::int64_t fixed_log2(std::int64_t n) {
  const int e = log2_floor(n);
  return (std::int64_t{e} << 57) + (log2_rest(n, e, log_table) >> 3);
}

}  // namespace yupana::forest
