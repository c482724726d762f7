#pragma once

#include <cstdint>
#include <iterator>

#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/som_map.hpp"

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

/// Pairs in each bin.
void draw_histogram(Pen& pen, const Box& box, const Histogram& histogram);
/// The share of each axis as a bar.
void draw_scree(Pen& pen, const Box& box, const Report& report);
/// Shares of kept edges against alpha, the run's marked; wide ranges by the logarithm.
void draw_curve(Pen& pen, const Box& box, const Report& report);

/// Cells of a heat map as an image, the classes of its rows on the left, the scale of its colours
/// on the right. Colours go from the 0.005 to the 0.995 quantile of the cells off the diagonal.
void draw_heat_map(Pen& pen, const Box& box, const Report& report, const HeatMap& map);

/// A tree as a dendrogram: its root on the left, individuals in rows on the right. Of more than 120
/// individuals the lowest joins are drawn as one row each, so that a page holds it.
double tree_height(const Tree& tree);
void draw_tree(Pen& pen, const Box& box, const Report& report, const Tree& tree);

/// Throws usage where the parts of a report do not fit together: classes without a name, an
/// embedding of another number of individuals and the like.
void check(const Report& report);
/// The same for a map: a panel without a value for each neuron and the like.
void check(const MapReport& report);

}  // namespace yupana::report
