#pragma once

#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"

namespace yupana::report {

/// Pairs in each bin.
void draw_histogram(Pen& pen, const Box& box, const Histogram& histogram);
/// The share of each axis as a bar.
void draw_scree(Pen& pen, const Box& box, const Report& report);
/// Shares of kept edges against alpha, the run's marked; wide ranges by the logarithm.
void draw_curve(Pen& pen, const Box& box, const Report& report);

}  // namespace yupana::report
