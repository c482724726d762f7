#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/report/check.hpp"
#include "yupana/report/covariate.hpp"
#include "yupana/report/panel.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/scale_bar.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/surface.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

/// Size of a picture on a page on its side, in the units it is drawn in.
constexpr double page_width = 1600, page_height = 800;
/// Its size on paper: 768 x 384 points (271 x 135 mm, an A4 page on its side), where the smallest
/// letters are six points high.
constexpr double points_per_unit = 0.48;
/// Resolution of the PNG: 3200 x 1600 pixels.
constexpr double pixels_per_inch = 300;

/// Above this many individuals the SVG holds its points as one embedded image per embedding, at
/// twice the resolution: as outlines, 30,000 of them in two panels take 16.6 MB, as images 1.5.
constexpr std::int64_t svg_outlines_limit = 4000;

constexpr double units_per_millimetre = 72 / 25.4 / points_per_unit;
constexpr double page_margin = 36, column_margin = 10;
constexpr double panels_top = 84;
constexpr double legend_row = 23, small_legend_row = 19;

struct LegendEntry {
  std::string name;
  std::int64_t count = 0;
  bool has_style = true;
  ClassStyle style;
};

std::vector<LegendEntry> legend_entries(const Report& report) {
  std::vector<LegendEntry> entries;
  for (std::size_t c = 0; c < report.class_names.size(); ++c) {
    entries.push_back({valid_utf8(report.class_names[c]),
                       0,
                       true,
                       style_of(report, static_cast<std::int64_t>(c))});
  }
  LegendEntry none = {"no label", 0, false, {}};
  for (const std::int32_t c : report.classes) {
    ++(c < 0 ? none : entries[static_cast<std::size_t>(c)]).count;
  }
  if (none.count > 0) entries.push_back(none);
  return entries;
}

bool is_long(std::int64_t entries) { return entries > 26; }
double entry_height(std::int64_t entries) {
  return is_long(entries) ? small_legend_row : legend_row;
}

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
  const double legend = entries == 0 ? 0 : is_long(entries) && !scale ? 300 : 230;
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

/// Panels below each other and then the legend, in as many columns as there is room for.
FigureLayout column_layout(double width, std::int64_t panels, std::int64_t entries, bool scale) {
  constexpr double entry_width = 150, scale_height = 230;
  constexpr std::int64_t most_rows = 40;
  FigureLayout layout;
  layout.width = width;
  const double inner = width - 2 * column_margin;
  double top = panels_top;
  for (std::int64_t k = 0; k < panels; ++k) {
    layout.panels.push_back({column_margin, top, inner, 0.8 * inner + 100});
    top = layout.panels.back().bottom() + 8;
  }
  layout.legend_columns = scale ? 1 : std::max<std::int64_t>(1, std::int64_t(inner / entry_width));
  const std::int64_t rows = std::min(most_rows, divide_up(entries, layout.legend_columns));
  const double height = scale ? scale_height : static_cast<double>(rows) * entry_height(entries);
  layout.legend = {column_margin, top, inner, entries == 0 ? 0 : height};
  layout.height = std::ceil(layout.legend.bottom() + column_margin);
  return layout;
}

/// As many classes as fit in the columns; the last line says how many are left out.
void draw_legend(Pen& pen,
                 const Box& box,
                 const std::vector<LegendEntry>& entries,
                 std::int64_t columns) {
  const auto total = static_cast<std::int64_t>(entries.size());
  const double row = entry_height(total);
  const auto rows = std::llround(std::floor(box.height / row + 1e-6));
  const std::int64_t room = rows * columns;
  const std::int64_t shown = total > room ? room - 1 : total;
  const double width = box.width / static_cast<double>(columns);
  pen.font(is_long(total) ? 12.5 : 14.5);
  for (std::int64_t k = 0; k <= shown && k < total; ++k) {
    const double x = box.left + width * static_cast<double>(k / rows);
    const double y = box.top + row * (static_cast<double>(k % rows) + 0.5);
    if (k == shown) {
      pen.color(muted);
      pen.text(fmt::format("and {} more", total - shown), x, y + 5, Align::left, width);
      return;
    }
    const LegendEntry& entry = entries[static_cast<std::size_t>(k)];
    pen.marker(entry.has_style ? &entry.style : nullptr, x + 8, y, 5.6, 1);
    const std::string count = fmt::format("{}", entry.count);
    const double name_room = width - 34 - pen.width_of(count) - 8;
    pen.color(ink);
    pen.text(entry.name, x + 22, y + 5, Align::left, name_room);
    pen.color(muted);
    pen.text(count, x + width - 10, y + 5, Align::right, 80);
  }
}

/// The scale of a covariate, its name above; below, how many individuals have none.
void draw_covariate(Pen& pen, const Box& box, const Report& report) {
  pen.color(ink);
  pen.font(14.5, true);
  pen.text(valid_utf8(report.covariate->name), box.left, box.top + 10, Align::left, box.width - 10);
  const Box bar = {box.left, box.top + 26, 18, std::min(300.0, box.height - 80)};
  draw_scale(pen, bar, {report.covariate->low, report.covariate->high});
  const auto none = std::count(report.classes.begin(), report.classes.end(), -1);
  if (none == 0) return;
  const double y = bar.bottom() + 24;
  pen.marker(nullptr, box.left + 8, y, 5.6, 1);
  pen.color(muted);
  pen.text(fmt::format("no value: {}", none), box.left + 22, y + 5, Align::left, box.width - 32);
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
  return width > 0 ? column_layout(width, panels, entries, scale)
                   : page_layout(panels, entries, scale);
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
  if (report.class_names.empty()) return;
  if (report.covariate) return draw_covariate(pen, layout.legend, report);
  draw_legend(pen, layout.legend, legend_entries(report), layout.legend_columns);
}

/// Draws the picture by `make(width, height, draw)`, sizes in points.
template <class Make>
std::string drawn(const Report& report, bool points_as_image, const Make& make) {
  check(report);
  const FigureLayout layout = layout_of(report);
  return make(
      layout.width * points_per_unit,
      layout.height * points_per_unit,
      [&](cairo_surface_t* surface) { draw_figure(surface, report, layout, points_as_image); });
}

/// Above so many individuals points are an image.
bool draws_image(const Report& report) {
  return static_cast<std::int64_t>(report.individuals.size()) > svg_outlines_limit;
}

}  // namespace

void write_svg(AtomicFile& file, const Report& report) {
  file.write(drawn(report, draws_image(report), svg_of));
}

void write_pdf(AtomicFile& file, const Report& report) {
  file.write(drawn(report, draws_image(report), pdf_of));
}

void write_png(AtomicFile& file, const Report& report) {
  constexpr double points_per_inch = 72;
  const double scale = pixels_per_inch / points_per_inch;
  file.write(drawn(report, false, [&](double width, double height, const auto& draw) {
    return png_of(width, height, scale, draw);
  }));
}

}  // namespace yupana::report
