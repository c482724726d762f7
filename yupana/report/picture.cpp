
#include "yupana/report/check.hpp"
#include "yupana/report/figure.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/surface.hpp"

namespace yupana::report {
namespace {

constexpr double paper_width = figure_width * points_per_unit;
constexpr double paper_height = figure_height * points_per_unit;

}  // namespace

void write_svg(AtomicFile& file, const Report& report) {
  check(report);
  const bool many = static_cast<std::int64_t>(report.individuals.size()) > svg_outlines_limit;
  file.write(svg_of(paper_width, paper_height, [&](cairo_surface_t* surface) {
    draw_figure(surface, report, many);
  }));
}

void write_png(AtomicFile& file, const Report& report) {
  check(report);
  constexpr double points_per_inch = 72;
  const double scale = pixels_per_inch / points_per_inch;
  file.write(png_of(paper_width, paper_height, scale, [&](cairo_surface_t* surface) {
    draw_figure(surface, report, false);
  }));
}

}  // namespace yupana::report
