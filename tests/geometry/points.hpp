#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/random.hpp"
#include "yupana/geometry/closest_pair.hpp"

namespace yupana::geometry {
inline void PrintTo(const ClosestPair& pair, std::ostream* out) {
  *out << "(" << pair.i << ", " << pair.j << ", " << pair.distance << ")";
}
}  // namespace yupana::geometry

namespace yupana::geometry::testing {

/// A matrix of points made coordinate by coordinate.
template <class T>
Matrix<T> points_of(std::int64_t n,
                    std::int64_t d,
                    const std::function<double(std::int64_t i, std::int64_t k)>& make) {
  Matrix<T> points(n, d);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < d; ++k) points(i, k) = static_cast<T>(make(i, k));
  }
  return points;
}

template <class T>
Matrix<T> uniform(std::int64_t n, std::int64_t d, std::uint64_t seed = 1, double scale = 1) {
  const Random random(seed);
  return points_of<T>(n, d, [&](std::int64_t i, std::int64_t k) {
    return scale * random.uniform(static_cast<std::uint64_t>(i * d + k));
  });
}

/// Whole coordinates 0 .. side - 1: many equal distances, many equal points where side is small.
template <class T>
Matrix<T> lattice(std::int64_t n, std::int64_t d, std::uint64_t side, std::uint64_t seed = 1) {
  const Random random(seed);
  return points_of<T>(n, d, [&](std::int64_t i, std::int64_t k) {
    const std::uint64_t word = random.word(static_cast<std::uint64_t>(i * d + k));
    return static_cast<double>(word % side) * (word >> 63 ? 1.0 : -1.0);
  });
}

/// A cloud that is hard in some way, with its name.
struct Cloud {
  std::string name;
  std::function<double(std::int64_t i, std::int64_t k)> at;
};

/// Every hard kind of cloud, for n points.
inline std::vector<Cloud> hard_clouds(std::int64_t n, std::uint64_t seed = 7) {
  const auto u = [seed](std::int64_t i, std::int64_t k) {
    return Random(seed).uniform(static_cast<std::uint64_t>(8 * i + k));
  };
  const double size = static_cast<double>(n);
  return {
      {"all equal", [](auto, auto) { return 3.25; }},
      {"zeros of both signs", [](auto i, auto k) { return (i + k) % 2 ? -0.0 : 0.0; }},
      {"on a line", [u](auto i, auto k) { return k == 0 ? u(i, 0) : 0.5; }},
      {"on the last axis",
       [u](auto i, auto k) { return k == 0 ? 7 : u(i, 0) * static_cast<double>(k); }},
      {"on the diagonal", [u](auto i, auto) { return u(i, 0); }},
      {"sorted on a line", [](auto i, auto) { return static_cast<double>(i * i); }},
      {"a tight cluster and far outliers",
       [u](auto i, auto k) { return i % 50 == 3 ? 1e30 * (u(i, k) - 0.5) : 1e-10 * u(i, k); }},
      {"a cluster far from the origin", [u](auto i, auto k) { return 1e6 + 1e-5 * u(i, k); }},
      {"beyond the last digit", [u](auto i, auto k) { return 1e15 + std::floor(9e3 * u(i, k)); }},
      {"exponentially spaced",
       [](auto i, auto k) { return std::ldexp(1.0 + 0.01 * static_cast<double>(k), -(i % 120)); }},
      {"exponentially spaced, both signs",
       [u](auto i, auto k) {
         return std::ldexp(u(i, k) + 0.5, static_cast<int>(i * 37 % 200) - 100) * (i % 2 ? 1 : -1);
       }},
      {"clusters in clusters",
       [u](auto i, auto k) {
         return std::floor(10 * u(i / 100, k)) + 1e-4 * u(i / 10, k) + 1e-8 * u(i, k);
       }},
      {"one pair in a lattice",
       [n](auto i, auto k) {
         if (i == n - 1) return k == 0 ? 0.75 : 0.0;
         return static_cast<double>(k == 0 ? i % 50 : (k == 1 ? i / 50 : 0));
       }},
      {"a circle",
       [size](auto i, auto k) {
         const double angle = 6.283185307179586 * static_cast<double>(i) / size;
         return k % 2 ? std::sin(angle) : std::cos(angle);
       }},
  };
}

/// Coordinates whose squares leave the range of doubles.
inline std::vector<Cloud> extreme_clouds(std::int64_t n, std::uint64_t seed = 9) {
  std::vector<Cloud> clouds;
  const auto u = [seed](std::int64_t i, std::int64_t k) {
    return Random(seed).uniform(static_cast<std::uint64_t>(8 * i + k)) - 0.5;
  };
  for (const int exponent : {-1073, -1040, -700, -410, -395, 395, 500, 520, 700, 1020}) {
    clouds.push_back({"times 2^" + std::to_string(exponent),
                      [=](auto i, auto k) { return std::ldexp(u(i, k), exponent); }});
  }
  clouds.push_back({"a subnormal cluster, huge outliers", [=](auto i, auto k) {
                      return i % 9 == 0 ? 1e300 * u(i, k)
                                        : std::ldexp(std::floor(1e6 * u(i, k)), -1074);
                    }});
  clouds.push_back({"largest and smallest", [=](auto i, auto k) {
                      return (i + k) % 2
                                 ? 1.7e308 * (i % 4 < 2 ? 1 : -1) * (1 - 1e-3 * std::abs(u(i, k)))
                                 : 5e-324 * static_cast<double>(i);
                    }});
  clouds.push_back({"all scales", [=](auto i, auto k) {
                      return std::ldexp(1 + u(i, k), static_cast<int>((i * 2039) / n) - 1020);
                    }});
  return clouds;
}

}  // namespace yupana::geometry::testing
