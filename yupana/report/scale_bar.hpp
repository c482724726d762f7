#pragma once

#include "yupana/report/pen.hpp"

namespace yupana::report {

struct ValueRange {
  double low = 0, high = 0;
};

/// A bar of map_colors from the range's low end, at the bottom, to its high end, with numbers on
/// its right.
void draw_scale(Pen& pen, const Box& bar, const ValueRange& range);

}  // namespace yupana::report
