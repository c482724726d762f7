#include <string>

#include "yupana/report/check.hpp"
#include "yupana/report/figure.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/surface.hpp"

namespace yupana::report {

void write_svg(AtomicFile& file, const Report& report) {
  check(report);
  const bool many = static_cast<std::int64_t>(report.individuals.size()) > svg_outlines_limit;
  file.write(svg_of(figure_width, figure_height, [&](cairo_surface_t* surface) {
    draw_figure(surface, report, many);
  }));
}

void write_png(AtomicFile& file, const Report& report) {
  check(report);
  file.write(png_of(figure_width, figure_height, 1, [&](cairo_surface_t* surface) {
    draw_figure(surface, report, false);
  }));
}

}  // namespace yupana::report
