#pragma once

#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"

namespace yupana::som {

/// Samples in five clouds along the diagonal, `offset` from the origin.
inline Matrix<float> clouds(std::int64_t n, std::int64_t d, std::uint64_t seed, double offset = 0) {
  const Random random(seed);
  Matrix<float> samples(n, d);
  for (std::int64_t i = 0; i < n; ++i) {
    const double center = static_cast<double>(random.word(static_cast<std::uint64_t>(i)) % 5);
    for (std::int64_t j = 0; j < d; ++j) {
      const auto cell = static_cast<std::uint64_t>(n + i * d + j);
      samples(i, j) = static_cast<float>(offset + center + random.uniform(cell));
    }
  }
  return samples;
}

}  // namespace yupana::som
