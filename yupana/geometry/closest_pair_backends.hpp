#pragma once

#include <cstdint>
#include <type_traits>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/geometry/closest_pair.hpp"
#include "yupana/geometry/pair_distance.hpp"

/// Private to the family. Points are checked: finite, at least two, 1 to 8 dimensions. `largest` is
/// the largest absolute coordinate.
namespace yupana::geometry {

/// The width of a cell in bounds. Wide cells have few near neighbours to look at, 1 + 2 / ratio an
/// axis on average, and narrow ones few points: (ratio + 1)^d at most if the bound is the answer.
constexpr double ratio_of(int dimensions) { return dimensions <= 2 ? 8 : 4; }

namespace reference {
/// All pairs.
template <class T>
ClosestPair closest_pair(Context& context, MatrixView<const T> points, double largest);
}  // namespace reference

namespace cpu {
template <class T>
ClosestPair closest_pair_grid(Context& context, MatrixView<const T> points, double largest);
template <class T>
ClosestPair closest_pair_divide(Context& context, MatrixView<const T> points, double largest);

/// The largest absolute coordinate, and the first row with one that is NaN or infinite, or -1.
struct Extent {
  double largest = 0;
  std::int64_t bad_row = -1;
};
template <class T>
Extent extent_of(Context& context, MatrixView<const T> points);

/// Most points that all-pairs is faster for than a grid.
inline constexpr std::int64_t max_all_pairs_points = 512;
/// Points of which one is in the sample that the bound comes from. A bound shrinks only with the
/// power 2 / d of the sample, so that many dimensions need a larger one.
constexpr std::int64_t sample_of(int dimensions) { return dimensions <= 3 ? 64 : 8; }
/// Fewest points that are dealt into buckets.
inline constexpr std::int64_t min_bucketed_points = std::int64_t{1} << 17;
/// Most dimensions of such points: with more, cells reach across any bucket.
inline constexpr int max_bucketed_dimensions = 3;
/// Bits of a cell's number within its block: a block is about as wide as uniform points are apart,
/// so that buckets are equally full, and much wider than the bound, so that few points are near
/// another block.
constexpr int block_bits(int dimensions) { return dimensions == 1 ? 4 : dimensions == 2 ? 3 : 2; }
}  // namespace cpu

namespace cuda {
/// Points in host memory, row i at points + i * stride. Checks that they are finite.
template <class T>
ClosestPair closest_pair_host(
    Context& context, const T* points, std::int64_t rows, std::int64_t cols, std::int64_t stride);
}  // namespace cuda

/// Calls body with the number of dimensions as a constant.
template <int d = 1, class Body>
auto with_dimensions(std::int64_t dimensions, const Body& body) {
  if constexpr (d < max_dimensions) {
    if (dimensions != d) return with_dimensions<d + 1>(dimensions, body);
  }
  return body(std::integral_constant<int, d>{});
}

/// Throws for shapes that have no closest pair.
void check_shape(std::int64_t rows, std::int64_t cols);
/// Throws bad_input for a row that is not finite.
[[noreturn]] void throw_not_finite(std::int64_t row);

}  // namespace yupana::geometry
