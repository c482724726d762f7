#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "yupana/geometry/closest_pair.hpp"

/// Private to the family: what "the least" means, the same for every backend and method.
namespace yupana::geometry {

/// Where squares are taken. A difference is ((x before) - (y before)) after, and before * after is
/// 2^exponent; both are powers of two. The units are tried in the order coarse, normal, fine; the
/// first whose least square is at least `least` holds.
///
/// Coarse: no difference overflows, being at most 2^1025 2^-600. It holds where the least square is
/// 2^1010 or more in normal units, which cannot be while all coordinates are below 2^500
/// (`coarse_from`): then squares are below 8 (2^501)^2 = 2^1005. Normal: where coarse did not hold
/// the least square is finite; where it is at least 2^-800 it is far from the subnormal numbers.
/// Fine: squares of the least difference there is, 2^-1074, are normal numbers, so that a square is
/// 0 for equal points alone; differences that overflow are infinite and not the least.
struct Unit {
  double before = 1;
  double after = 1;
  int exponent = 0;
  double least = 0;

  constexpr double factor() const { return before * after; }
};
inline constexpr Unit coarse_unit{0x1p-600, 1, -600, 0x1p-190};
inline constexpr Unit normal_unit{1, 1, 0, 0x1p-800};
inline constexpr Unit fine_unit{1, 0x1p600, 600, 0};
inline constexpr double coarse_from = 0x1p500;

/// A pair and its square; ordered by the square, then by i, then by j. Without a pair: infinite.
struct Candidate {
  double square = std::numeric_limits<double>::infinity();
  std::int64_t i = std::numeric_limits<std::int64_t>::max();
  std::int64_t j = std::numeric_limits<std::int64_t>::max();

  constexpr bool operator<(const Candidate& other) const {
    if (square != other.square) return square < other.square;
    return i != other.i ? i < other.i : j < other.j;
  }
};

/// A pair in the order i < j.
constexpr Candidate candidate(double square, std::int64_t a, std::int64_t b) {
  return a < b ? Candidate{square, a, b} : Candidate{square, b, a};
}

/// D of the public header, for host and device code. The family is compiled without contraction: a
/// fused multiply-add rounds once where this rounds twice.
template <class T>
constexpr double square_of(const T* a, const T* b, int dimensions, const Unit& unit) {
  double sum = 0;
  for (int k = 0; k < dimensions; ++k) {
    const double x = static_cast<double>(a[k]) * unit.before;
    const double y = static_cast<double>(b[k]) * unit.before;
    const double difference = (x - y) * unit.after;
    const double square = difference * difference;
    sum += square;
  }
  return sum;
}

/// The square of a difference vector as an integer in the order of exact squares: the bits of D in
/// normal units, or below them all, where that is less than 2^-800, in fine units. Zeros may follow
/// the differences. Largest coordinates are below `coarse_from`.
constexpr std::int64_t square_key(const double* differences, int dimensions) {
  double sum = 0;
  for (int k = 0; k < dimensions; ++k) sum += differences[k] * differences[k];
  if (sum >= normal_unit.least) return std::bit_cast<std::int64_t>(sum);
  sum = 0;
  for (int k = 0; k < dimensions; ++k) {
    const double fine = differences[k] * fine_unit.after;
    sum += fine * fine;
  }
  return std::bit_cast<std::int64_t>(sum) + std::numeric_limits<std::int64_t>::min();
}

/// The distance that a key stands for.
inline double distance_of_key(std::int64_t key) {
  if (key >= 0) return std::sqrt(std::bit_cast<double>(key));
  const double fine = std::bit_cast<double>(key - std::numeric_limits<std::int64_t>::min());
  return std::ldexp(std::sqrt(fine), -fine_unit.exponent);
}

/// The answer in the unit that holds. load(i, x) puts the coordinates of point i at x; solve(unit,
/// seed) gives the least candidate in a unit, or any pair whose square is below unit.least where
/// there is one; `seed` is a pair known to be close, in that unit, or none.
template <class T, class Load, class Solve>
ClosestPair solve_in_units(int dimensions, double largest, const Load& load, const Solve& solve) {
  Candidate best;
  const Unit* held = nullptr;
  for (const Unit* unit : {&coarse_unit, &normal_unit, &fine_unit}) {
    if (unit == &coarse_unit && largest < coarse_from) continue;
    if (best.i < best.j) {
      T x[max_dimensions], y[max_dimensions];
      load(best.i, x);
      load(best.j, y);
      best.square = square_of(x, y, dimensions, *unit);
    }
    best = solve(*unit, best);
    held = unit;
    if (best.square >= unit->least) break;
  }
  return {best.i, best.j, std::ldexp(std::sqrt(best.square), -held->exponent)};
}

/// The same for points in host memory.
template <class T, class Solve>
ClosestPair solve_in_units(MatrixView<const T> points, double largest, const Solve& solve) {
  const auto load = [&](std::int64_t i, T* x) { std::copy_n(points.row(i), points.cols, x); };
  return solve_in_units<T>(static_cast<int>(points.cols), largest, load, solve);
}

}  // namespace yupana::geometry
