#pragma once

#include <cairo.h>

#include <functional>
#include <memory>
#include <string>

namespace yupana::report {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Drawing = std::function<void(cairo_surface_t*)>;

/// Files of one drawing of width x height points, the same bytes whenever it is drawn. Throws
/// out_of_resources where cairo cannot.
std::string svg_of(double width, double height, const Drawing& draw);
std::string pdf_of(double width, double height, const Drawing& draw);
/// `scale` pixels a point; the file says so (pHYs), so that it prints at the size of the SVG.
std::string png_of(double width, double height, double scale, const Drawing& draw);
/// An image surface as it is.
std::string png_of(cairo_surface_t* image);

}  // namespace yupana::report
