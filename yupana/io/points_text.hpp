#pragma once

#include "yupana/io/points.hpp"

namespace yupana::io {

/// read_points for text: TSPLIB or columns.
Matrix<double> read_points_text(Context& context, const PointsParams& params);

}  // namespace yupana::io
