#pragma once

#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"

namespace yupana::report {

/// Cells of a heat map as an image, the classes of its rows on the left, the scale of its colours
/// on the right. Colours go from the 0.005 to the 0.995 quantile of the cells off the diagonal.
void draw_heat_map(Pen& pen, const Box& box, const Report& report, const HeatMap& map);

}  // namespace yupana::report
