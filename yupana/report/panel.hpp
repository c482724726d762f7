#pragma once

#include <cstdint>
#include <iterator>

#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"

namespace yupana::report {

/// Above so many individuals the points of an embedding are one image in SVG and PDF, at twice the
/// resolution: as outlines, 30,000 of them in two panels take 16.6 MB, as images 1.5.
inline bool draws_points_as_image(const Report& report) {
  constexpr std::int64_t outlines_limit = 4000;
  return std::ssize(report.individuals) > outlines_limit;
}

/// One embedding's first two axes in `box`: name, frame, ticks, axis titles with explained shares,
/// points, arrows. Both axes have the same scale, so that lengths on paper are distances.
void draw_panel(Pen& pen,
                const Box& box,
                const Report& report,
                const Embedding& embedding,
                bool points_as_image);

}  // namespace yupana::report
