
#include "yupana/report/check.hpp"
#include "yupana/report/figure.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/surface.hpp"

namespace yupana::report {
namespace {

constexpr double paper_width = figure_width * points_per_unit;
constexpr double paper_height = figure_height * points_per_unit;

/// Above so many individuals points are an image.
bool draws_image(const Report& report) {
  return static_cast<std::int64_t>(report.individuals.size()) > svg_outlines_limit;
}

}  // namespace

void write_svg(AtomicFile& file, const Report& report) {
  check(report);
  file.write(svg_of(paper_width, paper_height, [&](cairo_surface_t* surface) {
    draw_figure(surface, report, draws_image(report));
  }));
}

void write_pdf(AtomicFile& file, const Report& report) {
  check(report);
  file.write(pdf_of(paper_width, paper_height, [&](cairo_surface_t* surface) {
    draw_figure(surface, report, draws_image(report));
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
