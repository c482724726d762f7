#include "yupana/geometry/closest_pair.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "yupana/core/cuda/device.hpp"
#include "yupana/core/cuda/place.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"
#include "yupana/geometry/closest_pair_cuda.hpp"

namespace yupana::geometry {

void check_shape(std::int64_t rows, std::int64_t cols) {
  if (rows < 2) throw input_error("closest pair: expected at least 2 points, got {}", rows);
  if (cols < 1 || cols > max_dimensions) {
    throw input_error("closest pair: expected 1 to {} coordinates, got {}", max_dimensions, cols);
  }
}

void throw_not_finite(std::int64_t row) {
  throw input_error(
      "closest pair: a coordinate of row {} (from 1) is NaN or infinite; remove such "
      "points",
      row + 1);
}

template <class T>
ClosestPair closest_pair(Context& context,
                         MatrixView<const T> points,
                         const ClosestPairParams& params) {
  check_shape(points.rows, points.cols);
  if (context.backend() == Backend::cuda) {
    if (params.method == ClosestMethod::divide) {
      throw usage_error(
          "closest pair: divide and conquer has no CUDA version; use the grid, or --device cpu");
    }
    if constexpr (yupana::cuda::built) {
      const auto& [data, rows, cols, stride] = points;
      const int device = yupana::cuda::device_of(context, data);
      return device < 0 ? cuda::closest_pair_host(context, data, rows, cols, stride)
                        : cuda::closest_pair(context, device, data, rows, cols, stride);
    }
  }
  const cpu::Extent extent = cpu::extent_of(context, points);
  if (extent.bad_row >= 0) throw_not_finite(extent.bad_row);
  if (context.backend() == Backend::reference) {
    return reference::closest_pair(context, points, extent.largest);
  }
  return params.method == ClosestMethod::divide
             ? cpu::closest_pair_divide(context, points, extent.largest)
             : cpu::closest_pair_grid(context, points, extent.largest);
}

std::uint64_t search_bytes(std::uint64_t rows,
                           std::uint64_t cols,
                           std::uint64_t number,
                           ClosestMethod method) {
  const std::uint64_t point = cols * number;
  const auto dimensions = static_cast<int>(cols);
  if (method == ClosestMethod::divide || rows >> 32 > 0) {
    // Copies with their numbers, of 8 bytes as their places: while they are sorted two of each,
    // afterwards one and two orders.
    const std::uint64_t copy = (point + 7) / 8 * 8 + 8;
    return rows * std::max(2 * copy, copy + 16);
  }
  if (dimensions > cpu::max_bucketed_dimensions ||
      static_cast<std::int64_t>(rows) < cpu::min_bucketed_points) {
    return 8 * (rows + (std::uint64_t{2} << std::bit_width(rows)));  // chains and their heads
  }
  // Points in buckets with two numbers each, and of a lattice as many copies: the worst that even
  // points do.
  const double block = std::ldexp(ratio_of(dimensions), cpu::block_bits(dimensions));
  const double copies = std::pow(1 + 1 / block, dimensions) - 1;
  const auto copied = static_cast<std::uint64_t>(copies * static_cast<double>(rows));
  return rows * (point + 6) + copied * (point + 12);
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, closest_pair)

}  // namespace yupana::geometry
