#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "yupana/report/check.hpp"
#include "yupana/report/panel.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/surface.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

/// Size of the picture in the units it is drawn in.
constexpr double figure_width = 1600;
constexpr double figure_height = 800;
/// Its size on paper: 768 x 384 points (271 x 135 mm, an A4 page on its side), where the smallest
/// letters are six points high.
constexpr double points_per_unit = 0.48;
/// Resolution of the PNG: 3200 x 1600 pixels.
constexpr double pixels_per_inch = 300;

/// Above this many individuals the SVG holds its points as one embedded image per embedding, at
/// twice the resolution: as outlines, 30,000 of them in two panels take 16.6 MB, as images 1.5.
constexpr std::int64_t svg_outlines_limit = 4000;

constexpr double paper_width = figure_width * points_per_unit;
constexpr double paper_height = figure_height * points_per_unit;
constexpr double page_margin = 36;
constexpr double legend_top = 118;

struct LegendEntry {
  std::string name;
  std::int64_t count = 0;
  bool has_style = true;
  ClassStyle style;
};

std::vector<LegendEntry> legend_entries(const Report& report) {
  std::vector<LegendEntry> entries;
  for (std::size_t c = 0; c < report.class_names.size(); ++c) {
    entries.push_back(
        {valid_utf8(report.class_names[c]), 0, true, class_style(static_cast<std::int64_t>(c))});
  }
  LegendEntry none = {"no label", 0, false, {}};
  for (const std::int32_t c : report.classes) {
    ++(c < 0 ? none : entries[static_cast<std::size_t>(c)]).count;
  }
  if (none.count > 0) entries.push_back(none);
  return entries;
}

/// As many classes as fit, in at most two columns; the last line says how many are left out.
void draw_legend(Pen& pen, const Box& box, const std::vector<LegendEntry>& entries) {
  const auto total = static_cast<std::int64_t>(entries.size());
  const double row = total > 26 ? 19 : 23;
  const auto rows = static_cast<std::int64_t>(box.height / row);
  const std::int64_t columns = total > rows ? 2 : 1;
  const std::int64_t room = rows * columns;
  const std::int64_t shown = total > room ? room - 1 : total;
  const double width = box.width / static_cast<double>(columns);
  pen.font(total > 26 ? 12.5 : 14.5);
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

/// Draws two embeddings (side_by_side) next to each other with title, axes and legend on a surface
/// of that many points. Where the report holds more, the picture says which it shows. One drawing
/// for every kind of file.
void draw_figure(cairo_surface_t* surface, const Report& report, bool points_as_image) {
  Pen pen(surface);
  cairo_scale(pen.get(), points_per_unit, points_per_unit);
  pen.color(paper);
  pen.fill({0, 0, figure_width, figure_height});
  pen.color(ink);
  pen.font(26, true);
  pen.text(valid_utf8(report.title), page_margin, 42, Align::left, figure_width - 2 * page_margin);
  pen.color(muted);
  pen.font(14.5);
  pen.text(subtitle_of(report), page_margin, 67, Align::left, figure_width - 2 * page_margin);
  const std::vector<LegendEntry> entries = legend_entries(report);
  const double legend = entries.empty() ? 0 : entries.size() > 26 ? 300 : 230;
  const double right = figure_width - page_margin - legend;
  const auto panels =
      std::min<std::int64_t>(2, static_cast<std::int64_t>(report.embeddings.size()));
  const double width =
      (right - page_margin) / static_cast<double>(std::max<std::int64_t>(1, panels));
  for (std::int64_t k = 0; k < panels; ++k) {
    const Box box = {
        page_margin + width * static_cast<double>(k), 84, width - 18, figure_height - 100};
    draw_panel(pen, box, report, shown_embedding(report, k), points_as_image);
  }
  if (panels == 0) {
    pen.color(muted);
    pen.font(18);
    pen.text("No embedding to draw", figure_width / 2, figure_height / 2, Align::center, 900);
  }
  if (legend > 0) {
    const double height = figure_height - legend_top - page_margin;
    draw_legend(pen, {right + 14, legend_top, legend, height}, entries);
  }
}

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
