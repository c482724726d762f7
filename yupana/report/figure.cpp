#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "yupana/report/check.hpp"
#include "yupana/report/figures.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/surface.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

/// Size of a picture on a page on its side, in the units it is drawn in: on paper 768 x 384 points
/// (271 x 135 mm, an A4 page on its side), as PNG 3200 x 1600 pixels.
constexpr double page_width = 1600, page_height = 800;
constexpr double page_margin = 36, column_margin = 10;
constexpr double panels_top = 84;

/// Where the parts of a picture go.
struct FigureLayout {
  double width = page_width, height = page_height;
  std::vector<Box> panels;
  Box legend;
  std::int64_t legend_columns = 1;
};

/// Panels next to each other, the legend on the right in at most two columns.
FigureLayout page_layout(std::int64_t panels, std::int64_t entries, bool scale) {
  constexpr double legend_top = 118;
  FigureLayout layout;
  const double legend = entries == 0 ? 0 : is_long_legend(entries) && !scale ? 300 : 230;
  const double right = page_width - page_margin - legend;
  const double width =
      (right - page_margin) / static_cast<double>(std::max<std::int64_t>(1, panels));
  for (std::int64_t k = 0; k < panels; ++k) {
    const double left = page_margin + width * static_cast<double>(k);
    layout.panels.push_back({left, panels_top, width - 18, page_height - 100});
  }
  layout.legend = {right + 14, legend_top, legend, page_height - legend_top - page_margin};
  const double rows = std::floor(layout.legend.height / entry_height(entries));
  layout.legend_columns = static_cast<double>(entries) > rows ? 2 : 1;
  return layout;
}

/// Panels below each other and then the legend.
FigureLayout column_layout(double width, std::int64_t panels, const Report& report) {
  FigureLayout layout;
  layout.width = width;
  const double inner = width - 2 * column_margin;
  double top = panels_top;
  for (std::int64_t k = 0; k < panels; ++k) {
    layout.panels.push_back({column_margin, top, inner, 0.8 * inner + 100});
    top = layout.panels.back().bottom() + 8;
  }
  const LegendBelow legend = legend_below(report, column_margin, top, inner);
  layout.legend = legend.box;
  layout.legend_columns = legend.columns;
  layout.height = std::ceil(layout.legend.bottom() + column_margin);
  return layout;
}

const Embedding& shown_embedding(const Report& report, std::int64_t k) {
  const std::int64_t shown = report.side_by_side[static_cast<std::size_t>(k)];
  return report.embeddings[static_cast<std::size_t>(shown)];
}

/// What was measured, and which of the run's embeddings the picture shows where it has more.
std::string subtitle_of(const Report& report) {
  std::string text = valid_utf8(report.subtitle);
  if (report.run_alphas.empty()) return text;
  if (!text.empty()) text += "; ";
  text += fmt::format("\u03b1 = {}", fmt::join(report.run_alphas, ", "));
  if (report.run_alphas.size() > 1 && report.embeddings.size() > 2) {
    text += fmt::format("; shown: {} and {}, the others on the page",
                        valid_utf8(shown_embedding(report, 0).name),
                        valid_utf8(shown_embedding(report, 1).name));
  }
  return text;
}

FigureLayout layout_of(const Report& report) {
  const auto panels = std::min<std::int64_t>(2, std::ssize(report.embeddings));
  const auto entries = std::ssize(legend_entries(report));
  const bool scale = report.covariate.has_value();
  const double width = report.figure_width * units_per_millimetre;
  return width > 0 ? column_layout(width, panels, report) : page_layout(panels, entries, scale);
}

/// Draws two embeddings (side_by_side) with title, axes and legend. Where the report holds more,
/// the picture says which it shows. One drawing for every kind of file.
void draw_figure(cairo_surface_t* surface,
                 const Report& report,
                 const FigureLayout& layout,
                 bool points_as_image) {
  Pen pen(surface);
  cairo_scale(pen.get(), points_per_unit, points_per_unit);
  pen.color(paper);
  pen.fill({0, 0, layout.width, layout.height});
  const double margin = report.figure_width > 0 ? column_margin : page_margin;
  const double room = layout.width - 2 * margin;
  pen.color(ink);
  pen.font(26, true);
  pen.text(valid_utf8(report.title), margin, 42, Align::left, room);
  pen.color(muted);
  pen.font(14.5);
  pen.text(subtitle_of(report), margin, 67, Align::left, room);
  for (std::size_t k = 0; k < layout.panels.size(); ++k) {
    const Embedding& embedding = shown_embedding(report, static_cast<std::int64_t>(k));
    draw_panel(pen, layout.panels[k], report, embedding, points_as_image);
  }
  if (layout.panels.empty()) {
    pen.color(muted);
    pen.font(18);
    pen.text("No embedding to draw", layout.width / 2, layout.height / 2, Align::center, room);
  }
  draw_legend(pen, {layout.legend, layout.legend_columns}, report);
}

std::string picture(PictureFormat format, const Report& report) {
  check(report);
  const FigureLayout layout = layout_of(report);
  const bool image = format != PictureFormat::png && draws_points_as_image(report);
  return picture_of(format,
                    layout.width * points_per_unit,
                    layout.height * points_per_unit,
                    [&](cairo_surface_t* surface) { draw_figure(surface, report, layout, image); });
}

}  // namespace

void write_svg(AtomicFile& file, const Report& report) {
  file.write(picture(PictureFormat::svg, report));
}

void write_pdf(AtomicFile& file, const Report& report) {
  file.write(picture(PictureFormat::pdf, report));
}

void write_png(AtomicFile& file, const Report& report) {
  file.write(picture(PictureFormat::png, report));
}

}  // namespace yupana::report
