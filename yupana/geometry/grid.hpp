#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "yupana/geometry/pair_distance.hpp"

/// Private to the family: cells of a grid over all doubles, for host and device code.
namespace yupana::geometry {

/// A cell's number along one axis, and whether the neighbour below or above may hold points within
/// the bound.
struct Cell {
  std::int64_t at = 0;
  bool low = false;
  bool high = false;
};

/// Along an axis, let r be the bound and w = ratio r the width of a cell. Then for points x <= y:
///   (1) at(x) <= at(y);
///   (2) if y - x <= r then at(y) <= at(x) + 1, and if at(y) = at(x) + 1 then x has `high` and y
///       has `low`.
/// t = x / w is one rounding from the true quotient (by the rounded 1 / w, which thereby defines
/// w). |t| < 2^41: both errors together are at most 2^-11, and the flags allow for 2^-10.
/// |t| < 2^50: both together are at most 2^-2, and r / w <= 1/4: (2) holds with both flags set.
/// Beyond, from |x| = `far` on, a unit in the last place of x is more than |x| 2^-53 >= w / 8 >=
/// r / 2, so that y is at most two steps after x in the order of doubles, of which eight make a
/// cell. So neither far outliers nor tight clusters need a finer grid, and no number overflows.
///
/// Pruning is safe: sums of squares never round below one of their terms, so that D <= bound
/// implies that each difference squared rounds to at most the bound, and the difference itself is
/// at most sqrt(bound) (1 + 2^-50), the r taken here; the last bits of that are in the flags'
/// allowance too.
struct Grid {
  double factor = 1;  ///< of the unit
  double inverse = 0;
  double near = 0;
  double far = 0;
  std::int64_t far_bits = 0;
  bool equal = false;  ///< cells are points: bound 0

  static constexpr std::int64_t far_cell = std::int64_t{1} << 50;

  Grid() = default;
  /// `ratio` is a power of two, at least 4; bound > 0 in units of `unit`.
  Grid(double bound, const Unit& unit, double ratio)
      : factor(unit.factor()), near(1 / ratio + 0x1p-10) {
    const double width = ratio * std::sqrt(bound) * (1 + 0x1p-50);
    inverse = 1 / width;
    far = std::ldexp(width, 50 - unit.exponent);
    far_bits = std::bit_cast<std::int64_t>(far);
  }
  static constexpr Grid of_points() {
    Grid grid;
    grid.equal = true;
    return grid;
  }

  constexpr Cell cell(double x) const {
    if (equal) return {std::bit_cast<std::int64_t>(x + 0.0), false, false};  // -0 + 0 = +0
    const double t = (x * factor) * inverse;
    if (!(t > -0x1p41 && t < 0x1p41)) return distant(x, t);
    auto at = static_cast<std::int64_t>(t);
    at -= t < static_cast<double>(at) ? 1 : 0;
    const double rest = t - static_cast<double>(at);
    return {at, rest <= near, rest >= 1 - near};
  }

 private:
  constexpr Cell distant(double x, double t) const {
    const bool negative = x < 0;
    const double size = negative ? -x : x;
    std::int64_t at = 0;
    if (size >= far) {
      at = far_cell + ((std::bit_cast<std::int64_t>(size) - far_bits) >> 3);
    } else {
      // Rounded up to 2^50 where x is just below `far`.
      const double below = negative ? -t : t;
      at = below >= 0x1p50 ? far_cell - 1 : static_cast<std::int64_t>(below);
    }
    // The cell of -x is -1 - at: x in [at, at + 1) cells from zero.
    return {negative ? -1 - at : at, true, true};
  }
};

/// Of the sum of at * axis_key(axis); its top bits are the hash. Sums of neighbours differ by an
/// axis_key.
constexpr std::uint64_t mixed(std::uint64_t sum) {
  sum ^= sum >> 32;
  sum *= 0xd6e8feb86659fd93ull;
  return sum ^ (sum >> 32);
}

/// Odd numbers whose multiples spread: one an axis. A function, since device code reads no arrays
/// of the host.
constexpr std::uint64_t axis_key(int axis) {
  return mixed(0x9e3779b97f4a7c15ull * static_cast<std::uint64_t>(2 * axis + 1)) | 1;
}

/// The cells of a point.
template <int D>
struct Place {
  Cell cells[D];

  template <class T>
  constexpr Place(const Grid& grid, const T* x) {
    for (int k = 0; k < D; ++k) cells[k] = grid.cell(static_cast<double>(x[k]));
  }
  constexpr std::uint64_t sum() const {
    std::uint64_t total = 0;
    for (int k = 0; k < D; ++k) total += static_cast<std::uint64_t>(cells[k].at) * axis_key(k);
    return total;
  }
  /// visit(sum) of its own cell, whose sum is `total`, and of every neighbour that its flags name.
  /// A loop like a counter's, one digit an axis: 3^D copies of `visit` would be too many.
  template <class Visit>
  constexpr void each_near(std::uint64_t total, const Visit& visit) const {
    int digits[D] = {};
    for (int k = 0; k < D; ++k) {
      digits[k] = cells[k].low ? -1 : 0;
      if (cells[k].low) total -= axis_key(k);
    }
    while (true) {
      visit(total);
      bool carry = true;
      for (int k = 0; k < D; ++k) {
        const int last = cells[k].high ? 1 : 0;
        const int first = cells[k].low ? -1 : 0;
        if (!carry) continue;
        carry = digits[k] == last;
        if (carry) {
          total -= static_cast<std::uint64_t>(last - first) * axis_key(k);
          digits[k] = first;
        } else {
          total += axis_key(k);
          ++digits[k];
        }
      }
      if (carry) return;
    }
  }
};

}  // namespace yupana::geometry
