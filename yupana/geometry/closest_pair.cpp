#include "yupana/geometry/closest_pair.hpp"

#include <fmt/format.h>

#include "yupana/core/error.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"

namespace yupana::geometry {

void check_shape(std::int64_t rows, std::int64_t cols) {
  if (rows < 2) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format("closest pair: {} point{}; at least 2 are needed", rows, rows == 1 ? "" : "s"));
  }
  if (cols < 1 || cols > most_dimensions) {
    throw Error(
        ErrorCode::bad_input,
        fmt::format(
            "closest pair: points of {} coordinates; wanted 1 to {}", cols, most_dimensions));
  }
}

void throw_not_finite(std::int64_t row) {
  throw Error(ErrorCode::bad_input,
              fmt::format("closest pair: a coordinate of row {} (counted from 0) is NaN or "
                          "infinite; remove such points",
                          row));
}

template <class T>
ClosestPair closest_pair(Context& context,
                         MatrixView<const T> points,
                         const ClosestPairParams& params) {
  check_shape(points.rows, points.cols);
  if (context.backend() == Backend::cuda) {
    if (params.method == ClosestMethod::divide) {
      throw Error(ErrorCode::usage,
                  "closest pair: divide and conquer has no CUDA version; use the grid, or "
                  "--device cpu");
    }
#ifdef YUPANA_CUDA
    return cuda::closest_pair(context, points.data, points.rows, points.cols, points.stride);
#else
    throw Error(ErrorCode::device,
                "closest pair: this build has no CUDA version; use --device cpu");
#endif
  }
  const cpu::Extent extent = cpu::extent_of(context, points);
  if (extent.bad_row >= 0) throw_not_finite(extent.bad_row);
  switch (context.backend()) {
    case Backend::reference:
      return reference::closest_pair(context, points, extent.largest);
    default:
      return params.method == ClosestMethod::divide
                 ? cpu::closest_pair_divide(context, points, extent.largest)
                 : cpu::closest_pair_grid(context, points, extent.largest);
  }
}

template ClosestPair closest_pair(Context&, MatrixView<const float>, const ClosestPairParams&);
template ClosestPair closest_pair(Context&, MatrixView<const double>, const ClosestPairParams&);

}  // namespace yupana::geometry
