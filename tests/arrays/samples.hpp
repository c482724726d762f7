#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/random.hpp"

namespace yupana::arrays {

/// 2 x 2 integer matrices under multiplication: associative, not commutative.
struct Matrix2 {
  std::uint32_t a, b, c, d;
  bool operator==(const Matrix2&) const = default;
};
struct Product {
  constexpr Matrix2 operator()(const Matrix2& x, const Matrix2& y) const {
    return {
        x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

/// 0, 1, around the tile, a prime, several tiles.
inline std::vector<std::int64_t> sizes_around(std::int64_t tile) {
  return {0, 1, 2, 3, 4, 5, 17, 127, tile - 1, tile, tile + 1, 2 * tile, 3 * tile + 11};
}

inline std::uint64_t word(std::int64_t i, std::uint64_t seed = 1) {
  return Random(seed).word(static_cast<std::uint64_t>(i));
}

template <class T>
std::vector<T> random_values(std::int64_t n, std::uint64_t seed = 1) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = word(i, seed);
    T& value = values[static_cast<std::size_t>(i)];
    if constexpr (std::is_same_v<T, Matrix2>) {
      const auto part = [&](int k) {
        return static_cast<std::uint32_t>(bits >> (16 * k)) & 0xffff;
      };
      value = {part(0), part(1), part(2), part(3)};
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(bits)) * 1e-16);
    } else {
      value = static_cast<T>(bits);
    }
  }
  return values;
}

/// Every kind of float that a sort or a minimum must place.
template <class T>
std::vector<T> odd_floats(std::int64_t n) {
  using Limits = std::numeric_limits<T>;
  const T odd[] = {Limits::quiet_NaN(),
                   -Limits::quiet_NaN(),
                   T(-0.0),
                   T(0),
                   Limits::infinity(),
                   -Limits::infinity(),
                   Limits::denorm_min(),
                   -Limits::denorm_min(),
                   Limits::max(),
                   Limits::lowest(),
                   T(1),
                   T(-1)};
  std::vector<T> values = random_values<T>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t pick = word(i, 9) % 24;
    if (pick < 12) values[static_cast<std::size_t>(i)] = odd[pick];
  }
  return values;
}

/// Bit for bit, NaN and signed zeros included.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline std::int64_t ssize_of(const auto& values) {
  return static_cast<std::int64_t>(values.size());
}

}  // namespace yupana::arrays
