#include "yupana/report/som_map.hpp"

#include <algorithm>
#include <cmath>

#include "yupana/core/messages.hpp"
#include "yupana/report/check.hpp"
#include "yupana/report/som_images.hpp"
#include "yupana/report/som_panel.hpp"
#include "yupana/report/surface.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr Color paper = {255, 255, 255};
constexpr Color ink = {28, 33, 39};
constexpr double margin = 28, heading = 64, gap = 22;

/// Panels in rows that make the picture about as wide as a page.
struct Sheet {
  std::int64_t panels, columns;
  std::int64_t class_panel;  ///< after the panels that are no features; -1: none
  double panel_height;

  explicit Sheet(const MapReport& report)
      : panels(std::ssize(report.panels) + (report.class_names.empty() ? 0 : 1)),
        columns(std::clamp<std::int64_t>(panels <= 4 ? panels : (panels + 2) / 3, 1, 6)),
        class_panel(report.class_names.empty() ? -1 : report.first_plane),
        panel_height(map_panel_height(report)) {
    if (panels > 4 && columns < 4) columns = 4;
  }
  std::int64_t rows() const { return (panels + columns - 1) / columns; }
  double width() const { return 2 * margin + map_panel_width * static_cast<double>(columns); }
  double height() const {
    return std::ceil(heading + (panel_height + gap) * static_cast<double>(rows()) + margin - gap);
  }
  double left(std::int64_t k) const {
    return margin + map_panel_width * static_cast<double>(k % columns);
  }
  double top(std::int64_t k) const {
    return heading + (panel_height + gap) * static_cast<double>(k / columns);
  }
};

void draw_sheet(cairo_surface_t* surface, const MapReport& report) {
  const Sheet sheet(report);
  Pen pen(surface);
  pen.color(paper);
  pen.fill({0, 0, sheet.width(), sheet.height()});
  pen.color(ink);
  pen.font(22, true);
  pen.text(valid_utf8(report.title), margin, 38, Align::left, sheet.width() - 2 * margin);
  for (std::int64_t k = 0; k < sheet.panels; ++k) {
    if (k == sheet.class_panel) {
      draw_class_panel(pen, sheet.left(k), sheet.top(k), report);
      continue;
    }
    const bool after = sheet.class_panel >= 0 && k > sheet.class_panel;
    const MapPanel& panel = report.panels[static_cast<std::size_t>(after ? k - 1 : k)];
    draw_map_panel(pen, sheet.left(k), sheet.top(k), report, panel);
  }
}

/// The sheet drawn as pixels, put on the page as one image.
void draw_sheet_image(cairo_surface_t* surface, const MapReport& report) {
  constexpr double resolution = 2;
  const Sheet sheet(report);
  const Surface image(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24,
                                 static_cast<int>(std::ceil(sheet.width() * resolution)),
                                 static_cast<int>(std::ceil(sheet.height() * resolution))),
      cairo_surface_destroy);
  cairo_surface_set_device_scale(image.get(), resolution, resolution);
  draw_sheet(image.get(), report);
  Pen pen(surface);
  cairo_set_source_surface(pen.get(), image.get(), 0, 0);
  cairo_paint(pen.get());
}

}  // namespace

void check(const MapReport& report) {
  const auto expect = [](bool fine, const char* what) {
    if (!fine) throw usage_error("report of a map: {}", what);
  };
  expect(report.rows > 0 && report.cols > 0, "expected at least one neuron");
  const std::int64_t neurons = report.rows * report.cols;
  for (const MapPanel& panel : report.panels) {
    expect(std::ssize(panel.values) == neurons, "a panel needs one value a neuron");
  }
  expect(report.first_plane >= 0 && report.first_plane <= std::ssize(report.panels),
         "the first plane is one of the panels");
  const std::int64_t classes = std::ssize(report.class_names);
  expect(classes == 0 || std::ssize(report.classes) == neurons, "expected a class a neuron");
  for (const std::int64_t c : report.classes) {
    expect(c >= -1 && c < classes, "a neuron's class has no name");
  }
  expect(std::ssize(report.images) ==
             (report.images.empty() ? 0 : neurons) * report.image_rows * report.image_cols,
         "expected an image a neuron");
}

void write_map_svg(AtomicFile& file, const MapReport& report) {
  check(report);
  const Sheet sheet(report);
  const bool many = sheet.panels * report.rows * report.cols > map_outlines_limit;
  file.write(svg_of(sheet.width(), sheet.height(), [&](cairo_surface_t* surface) {
    if (many) {
      draw_sheet_image(surface, report);
    } else {
      draw_sheet(surface, report);
    }
  }));
}

void write_map_png(AtomicFile& file, const MapReport& report) {
  check(report);
  const Sheet sheet(report);
  file.write(png_of(sheet.width(), sheet.height(), 2, [&](cairo_surface_t* surface) {
    draw_sheet(surface, report);
  }));
}

void write_map_images(AtomicFile& file, const MapReport& report) {
  check(report);
  file.write(map_images_png(report));
}

}  // namespace yupana::report
