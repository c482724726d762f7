#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

namespace yupana::geometry {

/// Most coordinates a point may have.
inline constexpr std::int64_t max_dimensions = 8;

enum class ClosestMethod {
  automatic,  ///< grid
  grid,       ///< hash grid as wide as a bound from a sample: O(n) expected whatever the points
  divide,     ///< divide and conquer along one axis, then a strip along another (CPU only)
};

struct ClosestPairParams {
  ClosestMethod method = ClosestMethod::automatic;
};

/// Two points, i < j, and how far they are apart.
struct ClosestPair {
  std::int64_t i = 0;
  std::int64_t j = 0;
  double distance = 0;

  bool operator==(const ClosestPair&) const = default;
};

/// The two points nearest to each other: among the pairs i < j of least D(i, j) the
/// lexicographically smallest. T is float or double.
///   points: n x d, one point a row, 2 <= n, 1 <= d <= 8
///   D(i, j) = sum over k = 0 .. d-1 of ((2^s x_ik - 2^s x_jk))^2 in IEEE doubles: each difference,
///   square and sum rounded to nearest in this order, floats widened first; distance =
///   sqrt(D) 2^-s. Equal points (-0 = +0) have distance 0.
///   s is 0 while 2^-800 <= least D < 2^1010, so that squares neither overflow nor lose bits: else
///   -600 (coordinates are scaled) or +600 (differences are), see pair_distance.hpp
///   error: relative at most (d / 2 + 2) 2^-53
///   determinism: pair and distance are the same bits on every backend, method and any threads
///   work: grid O(n 2^d) expected, divide O(n log n) in the plane; memory: search_bytes on the CPU
///   errors (bad_input): fewer than 2 points, no or more than 8 dimensions, a coordinate that is
///   NaN or infinite (names the first such row); usage: divide on a GPU; out_of_resources;
///   interrupted
///   sources: Rabin 1976 and Khuller, Matias 1995 (bound from a sample, then a grid); Shamos, Hoey
///   1975 (divide and conquer)
template <class T>
ClosestPair closest_pair(Context& context,
                         MatrixView<const T> points,
                         const ClosestPairParams& params = {});

/// Bytes that closest_pair holds next to `rows` points of `cols` coordinates, of `number` bytes
/// each: on the CPU.
std::uint64_t search_bytes(std::uint64_t rows,
                           std::uint64_t cols,
                           std::uint64_t number,
                           ClosestMethod method);

}  // namespace yupana::geometry
