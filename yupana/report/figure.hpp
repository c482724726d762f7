#pragma once

#include <cairo.h>

#include "yupana/report/report.hpp"

namespace yupana::report {

/// Size of the picture in the units it is drawn in.
inline constexpr double figure_width = 1600;
inline constexpr double figure_height = 800;
/// Its size on paper: 768 x 384 points (271 x 135 mm, an A4 page on its side), where the smallest
/// letters are six points high.
inline constexpr double points_per_unit = 0.48;
/// Resolution of the PNG: 3200 x 1600 pixels.
inline constexpr double pixels_per_inch = 300;

/// Above this many individuals the SVG holds its points as one embedded image per embedding, at
/// twice the resolution: as outlines, 30,000 of them in two panels take 16.6 MB, as images 1.5.
inline constexpr std::int64_t svg_outlines_limit = 4000;

/// Draws two embeddings (side_by_side) next to each other with title, axes and legend on a surface
/// of that many points. Where the report holds more, the picture says which it shows. One drawing
/// for every kind of file.
void draw_figure(cairo_surface_t* surface, const Report& report, bool points_as_image);

}  // namespace yupana::report
