#pragma once

#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"

namespace yupana::report {

/// One embedding's first two axes in `box`: name, frame, ticks, axis titles with explained shares,
/// points. Both axes have the same scale, so that lengths on paper are distances.
void draw_panel(Pen& pen,
                const Box& box,
                const Report& report,
                const Embedding& embedding,
                bool points_as_image);

}  // namespace yupana::report
