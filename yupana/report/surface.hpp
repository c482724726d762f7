#pragma once

#include <cairo.h>

#include <functional>
#include <memory>
#include <string>

#include "yupana/report/pictures.hpp"

namespace yupana::report {

/// Pictures of reports are drawn in units that make the smallest letters six points high.
inline constexpr double points_per_unit = 0.48;
inline constexpr double units_per_millimetre = 72 / 25.4 / points_per_unit;

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Drawing = std::function<void(cairo_surface_t*)>;

/// Files of one drawing of width x height points, the same bytes whenever it is drawn. Throws
/// out_of_resources where cairo cannot.
std::string svg_of(double width, double height, const Drawing& draw);
/// `scale` pixels a point; the file says so (pHYs), so that it prints at the size of the SVG.
std::string png_of(double width, double height, double scale, const Drawing& draw);
/// A PNG has 300 pixels an inch.
std::string picture_of(PictureFormat format, double width, double height, const Drawing& draw);
/// An image surface as it is.
std::string png_of(cairo_surface_t* image);

}  // namespace yupana::report
