#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/random.hpp"

namespace yupana::bench {

/// Values between -1 and 1.
template <class T>
std::vector<T> noise_matrix(std::int64_t cells, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(cells));
  const Random random(seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<double>(random.word(i) >> 11) * 0x1p-52 - 1);
  }
  return values;
}

/// -1, 0 and 1: sums of 2^20 products of them, and of sums of four of them, are exact in any type.
template <class T>
std::vector<T> sign_matrix(std::int64_t cells, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(cells));
  const Random random(seed);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<int>(random.word(i) % 3) - 1);
  }
  return values;
}

/// Whether 1,024 cells of a b = c, of n x n whole numbers, are right to the last bit.
template <class T>
bool cells_are_right(const std::vector<T>& a,
                     const std::vector<T>& b,
                     const std::vector<T>& c,
                     std::int64_t n) {
  const Random random(3);
  const auto place = [&](std::uint64_t i) {
    return static_cast<std::int64_t>(random.word(i) % static_cast<std::uint64_t>(n));
  };
  for (std::uint64_t sample = 0; sample < 1024; ++sample) {
    const std::int64_t i = place(2 * sample), j = place(2 * sample + 1);
    std::int64_t sum = 0;
    for (std::int64_t l = 0; l < n; ++l) {
      sum += static_cast<std::int64_t>(a[static_cast<std::size_t>(i * n + l)] *
                                       b[static_cast<std::size_t>(l * n + j)]);
    }
    if (c[static_cast<std::size_t>(i * n + j)] != static_cast<T>(sum)) return false;
  }
  return true;
}

}  // namespace yupana::bench
