#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "yupana/core/matrix.hpp"
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

/// Whether 256 cells of a b = c, of n x n, lie within Higham's bound (matmul.hpp) after halvings
/// down to `above`.
template <class T>
bool cells_are_right(const std::vector<T>& a,
                     const std::vector<T>& b,
                     const std::vector<T>& c,
                     std::int64_t n,
                     std::int64_t above) {
  std::int64_t leaf = n;
  int levels = 0;
  for (; leaf > above; leaf /= 2) ++levels;
  const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  const auto k = static_cast<double>(leaf);
  const double bound =
      levels == 0 ? 2 * k * unit * k : std::pow(18, levels) * (k * k + 6 * k) * unit;
  const Random random(3);
  for (std::uint64_t sample = 0; sample < 256; ++sample) {
    const auto i =
        static_cast<std::int64_t>(random.word(2 * sample) % static_cast<std::uint64_t>(n));
    const auto j =
        static_cast<std::int64_t>(random.word(2 * sample + 1) % static_cast<std::uint64_t>(n));
    long double sum = 0;
    for (std::int64_t l = 0; l < n; ++l) {
      sum += static_cast<long double>(a[static_cast<std::size_t>(i * n + l)]) *
             b[static_cast<std::size_t>(l * n + j)];
    }
    if (std::fabs(c[static_cast<std::size_t>(i * n + j)] - sum) > bound) return false;
  }
  return true;
}

}  // namespace yupana::bench
