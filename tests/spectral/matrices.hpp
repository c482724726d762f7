#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "tests/spectral/spectra.hpp"
#include "yupana/spectral/matmul.hpp"

namespace yupana::spectral {

/// m, k and n of m x k times k x n.
using Shape = std::array<std::int64_t, 3>;

/// Above every side: the classical sums.
inline constexpr std::int64_t never_halved = std::int64_t{1} << 40;

template <class T>
std::vector<T> matrix_product(Context& context,
                              const std::vector<T>& a,
                              const std::vector<T>& b,
                              Shape shape,
                              std::int64_t above = never_halved) {
  const auto [m, k, n] = shape;
  std::vector<T> c(static_cast<std::size_t>(m * n), T(77));
  matmul(context,
         MatrixView<const T>(a.data(), m, k),
         MatrixView<const T>(b.data(), k, n),
         MatrixView<T>(c.data(), m, n),
         {.strassen_above = above});
  return c;
}

template <class T>
std::vector<T> small_integers(std::int64_t count, std::uint64_t seed) {
  std::vector<T> values;
  for (const T x : real_noise<T>(count, seed)) values.push_back(std::round(4 * x));
  return values;
}

/// Each cell of `got` within the bound of classical sums, 2 k u |a||b|.
template <class T>
void expect_classical_bound(const std::vector<T>& a,
                            const std::vector<T>& b,
                            const std::vector<T>& got,
                            Shape shape) {
  const auto [m, k, n] = shape;
  const long double unit = sizeof(T) == 4 ? 0x1p-24L : 0x1p-53L;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      long double sum = 0, size = 0;
      for (std::int64_t l = 0; l < k; ++l) {
        const long double term = static_cast<long double>(a[static_cast<std::size_t>(i * k + l)]) *
                                 b[static_cast<std::size_t>(l * n + j)];
        sum += term;
        size += std::fabs(term);
      }
      ASSERT_LE(std::fabs(got[static_cast<std::size_t>(i * n + j)] - sum),
                2 * static_cast<long double>(k) * unit * size)
          << m << " " << k << " " << n << " at " << i << " " << j;
    }
  }
}

}  // namespace yupana::spectral
