#pragma once

#include <cairo.h>

#include "yupana/report/report.hpp"

namespace yupana::report {

/// Size of the picture, in pixels of the PNG and points of the SVG.
inline constexpr double figure_width = 1600;
inline constexpr double figure_height = 800;

/// Above this many individuals the SVG holds its points as one embedded image per embedding, at
/// twice the resolution: as outlines, 30,000 of them in two panels take 16.6 MB, as images 1.5.
inline constexpr std::int64_t svg_outlines_limit = 4000;

/// Draws the first two embeddings side by side with title, axes and legend on a surface of
/// figure_width x figure_height. One drawing for every kind of file.
void draw_figure(cairo_surface_t* surface, const Report& report, bool points_as_image);

}  // namespace yupana::report
