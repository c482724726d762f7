#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"

namespace yupana::analysis::test {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
MatrixView<const T> view(const Matrix<T>& matrix) {
  return matrix.view();
}

/// f(i, j) for i < j, mirrored; zero diagonal.
template <class T, class F>
SquareMatrix<T> symmetric(std::int64_t n, const F& f) {
  SquareMatrix<T> matrix(n);
  for (std::int64_t i = 0; i < n; ++i) {
    matrix(i, i) = T{};
    for (std::int64_t j = i + 1; j < n; ++j) {
      matrix(i, j) = matrix(j, i) = static_cast<T>(f(i, j));
    }
  }
  return matrix;
}

/// Independent uniform distances in [low, high): no metric, no ties.
template <class T>
SquareMatrix<T> random_distances(std::int64_t n, double low, double high, std::uint64_t seed = 1) {
  const Random random(seed);
  return symmetric<T>(n, [&](std::int64_t i, std::int64_t j) {
    return low + (high - low) * random.uniform(static_cast<std::uint64_t>(i * n + j));
  });
}

/// Squared distances of points on an integer grid in `dimensions` dimensions, a third of them
/// around each of three centres.
template <class T>
SquareMatrix<T> grid_squares(std::int64_t n, std::int64_t dimensions, std::uint64_t seed = 1) {
  const Random random(seed);
  const auto coordinate = [&](std::int64_t i, std::int64_t k) {
    const auto at = static_cast<std::uint64_t>(i * dimensions + k);
    const auto center = static_cast<std::int64_t>(random.word(1000000 + at % 7) % 20) * (i % 3);
    return center + static_cast<std::int64_t>(random.word(at) % 16);
  };
  return symmetric<T>(n, [&](std::int64_t i, std::int64_t j) {
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k < dimensions; ++k) {
      const std::int64_t difference = coordinate(i, k) - coordinate(j, k);
      sum += difference * difference;
    }
    return sum;
  });
}

/// Eight points of an integer grid in Manhattan distances: full of ties.
inline SquareMatrix<std::int32_t> eight_points() {
  constexpr std::int32_t x[] = {0, 1, 0, 4, 5, 4, 9, 9}, y[] = {0, 0, 1, 4, 4, 6, 0, 1};
  return symmetric<std::int32_t>(8, [&](std::int64_t i, std::int64_t j) {
    return std::abs(x[i] - x[j]) + std::abs(y[i] - y[j]);
  });
}

/// Seven points in the plane, Euclidean distances without ties.
inline SquareMatrix<double> seven_points() {
  constexpr double x[] = {.1, .9, 1.7, 2.9, 3.1, .3, 1.2}, y[] = {.2, .8, .3, 2.2, .4, 2.7, 2.1};
  return symmetric<double>(7, [&](std::int64_t i, std::int64_t j) {
    const double dx = x[i] - x[j], dy = y[i] - y[j];
    return std::sqrt(dx * dx + dy * dy);
  });
}

}  // namespace yupana::analysis::test
