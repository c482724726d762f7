#include "yupana/report/figures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr double column_millimetres = 85;
constexpr double margin = 10, heading_height = 30, legend_gap = 10;

using Part = std::function<void(Pen&, const Box&)>;

struct Figure {
  std::string name;
  double width = 0, height = 0;  ///< in points
  Drawing draw;
};

/// Figures as wide as the report asks, each below a heading, some with the legend below.
class Figures {
 public:
  explicit Figures(const Report& report)
      : report_(report),
        width_((report.figure_width > 0 ? report.figure_width : column_millimetres) *
               units_per_millimetre) {}

  double inner() const { return width_ - 2 * margin; }

  void add(std::string name, const std::string& heading, double height, bool legend, Part part) {
    const double top = heading.empty() ? margin : margin + heading_height;
    const Box box{margin, top, inner(), height};
    LegendBelow below;
    double bottom = box.bottom();
    if (legend && !report_.class_names.empty()) {
      below = legend_below(report_, margin, box.bottom() + legend_gap, inner());
      bottom = below.box.bottom();
    }
    const bool has_legend = legend;
    const double full = std::ceil(bottom + margin);
    all_.push_back({std::move(name),
                    width_ * points_per_unit,
                    full * points_per_unit,
                    [this_report = &report_,
                     width = width_,
                     full,
                     heading,
                     box,
                     below,
                     has_legend,
                     part = std::move(part)](cairo_surface_t* surface) {
                      Pen pen(surface);
                      cairo_scale(pen.get(), points_per_unit, points_per_unit);
                      pen.color(paper);
                      pen.fill({0, 0, width, full});
                      pen.color(ink);
                      pen.font(16, true);
                      pen.text(heading, margin, margin + 16, Align::left, width - 2 * margin);
                      part(pen, box);
                      if (has_legend) draw_legend(pen, below, *this_report);
                    }});
  }

  std::vector<Figure> take() { return std::move(all_); }

 private:
  const Report& report_;
  double width_;
  std::vector<Figure> all_;
};

std::string numbered(const char* kind, std::size_t k) { return fmt::format("{}{}", kind, k + 1); }

std::vector<Figure> figures_of(const Report& report) {
  Figures figures(report);
  const double inner = figures.inner();
  const bool as_image = draws_points_as_image(report);
  for (std::size_t k = 0; k < report.embeddings.size(); ++k) {
    const Embedding& embedding = report.embeddings[k];
    figures.add(numbered("embedding", k),
                "",
                0.8 * inner + 100,
                true,
                [&report, &embedding, as_image](Pen& pen, const Box& box) {
                  draw_panel(pen, box, report, embedding, as_image);
                });
  }
  for (std::size_t k = 0; k < report.trees.size(); ++k) {
    const Tree& tree = report.trees[k];
    if (report.individuals.empty()) continue;
    figures.add(numbered("tree", k),
                name_and_unit(tree.name, tree.unit),
                tree_height(tree),
                true,
                [&report, &tree](Pen& pen, const Box& box) { draw_tree(pen, box, report, tree); });
  }
  for (std::size_t k = 0; k < report.heat_maps.size(); ++k) {
    const HeatMap& map = report.heat_maps[k];
    figures.add(
        numbered("heat-map", k),
        name_and_unit(map.name, map.unit),
        inner - 76,
        true,
        [&report, &map](Pen& pen, const Box& box) { draw_heat_map(pen, box, report, map); });
  }
  for (std::size_t k = 0; k < report.histograms.size(); ++k) {
    const Histogram& histogram = report.histograms[k];
    figures.add(
        numbered("histogram", k), "", 0.6 * inner, false, [&histogram](Pen& pen, const Box& box) {
          draw_histogram(pen, box, histogram);
        });
  }
  if (!report.alphas.empty()) {
    figures.add("curve",
                "Pairs whose edge is their shortest path",
                0.6 * inner,
                false,
                [&report](Pen& pen, const Box& box) { draw_curve(pen, box, report); });
  }
  if (!report.scree.empty()) {
    figures.add("scree", "", 0.6 * inner, false, [&report](Pen& pen, const Box& box) {
      draw_scree(pen, box, report);
    });
  }
  return figures.take();
}

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
  text += fmt::format("\u03b1 = {}", joined(report.run_alphas, ", "));
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
  const double side = report.figure_width > 0 ? column_margin : page_margin;
  const double room = layout.width - 2 * side;
  pen.color(ink);
  pen.font(26, true);
  pen.text(valid_utf8(report.title), side, 42, Align::left, room);
  pen.color(muted);
  pen.font(14.5);
  pen.text(subtitle_of(report), side, 67, Align::left, room);
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

void expect(bool holds, std::string_view part, std::int64_t expected, std::int64_t got) {
  if (holds) return;
  throw usage_error(
      "report: {}: expected {}, got {}; fill the report from one cohort", part, expected, got);
}

void check_heat_map(const HeatMap& map, std::int64_t individuals) {
  const auto ordered = static_cast<std::int64_t>(map.order.size());
  expect(map.individuals >= map.cells.size(),
         "individuals under a heat map's cells",
         map.cells.size(),
         map.individuals);
  expect(ordered == 0 || ordered == map.individuals, "clustered order", map.individuals, ordered);
  for (const std::int64_t i : map.order) {
    expect(0 <= i && i < individuals, "individual of the clustered order below", individuals, i);
  }
}

void check_tree(const Tree& tree, std::int64_t individuals) {
  const auto merges = static_cast<std::int64_t>(tree.merges.size());
  expect(merges == std::max<std::int64_t>(individuals - 1, 0),
         "merges of a tree",
         std::max<std::int64_t>(individuals - 1, 0),
         merges);
  const std::int64_t tips = std::ssize(tree.tips), support = std::ssize(tree.support);
  expect(tips == 0 || tips == individuals, "tips of a tree", individuals, tips);
  expect(support == 0 || support == merges, "supports of a tree", merges, support);
  for (std::int64_t k = 0; k < merges; ++k) {
    const Tree::Merge& merge = tree.merges[static_cast<std::size_t>(k)];
    for (const std::int64_t child : {merge.left, merge.right}) {
      expect(
          0 <= child && child < individuals + k, "child of a merge below", individuals + k, child);
    }
  }
}

}  // namespace

PictureFormats formats_named(const std::vector<std::string>& names) {
  PictureFormats formats = {};
  for (const std::string& name : names) {
    const auto ending = std::ranges::find(picture_endings, "." + name);
    if (ending == std::end(picture_endings)) {
      throw usage_error("--figures: expected svg, pdf or png, got '{}'", name);
    }
    formats[static_cast<std::size_t>(ending - picture_endings)] = true;
  }
  return formats;
}

void write_report(OutputFiles& files,
                  const std::string& prefix,
                  const Report& report,
                  const PictureFormats& figures) {
  write_html(files.add(prefix + ".html"), report);
  write_svg(files.add(prefix + ".svg"), report);
  write_pdf(files.add(prefix + ".pdf"), report);
  write_png(files.add(prefix + ".png"), report);
  if (figures == PictureFormats{}) return;
  for (const Figure& figure : figures_of(report)) {
    for (std::size_t k = 0; k < figures.size(); ++k) {
      if (!figures[k]) continue;
      files.add(fmt::format("{}.{}{}", prefix, figure.name, picture_endings[k]))
          .write(
              picture_of(static_cast<PictureFormat>(k), figure.width, figure.height, figure.draw));
    }
  }
}

void write_svg(AtomicFile& file, const Report& report) {
  file.write(picture(PictureFormat::svg, report));
}

void write_pdf(AtomicFile& file, const Report& report) {
  file.write(picture(PictureFormat::pdf, report));
}

void write_png(AtomicFile& file, const Report& report) {
  file.write(picture(PictureFormat::png, report));
}

void check(const Report& report) {
  const auto individuals = static_cast<std::int64_t>(report.individuals.size());
  const auto names = static_cast<std::int64_t>(report.class_names.size());
  const auto classes = static_cast<std::int64_t>(report.classes.size());
  expect(names == 0 || classes == individuals, "classes of individuals", individuals, classes);
  const auto styles = std::ssize(report.class_styles);
  expect(styles == 0 || styles == names, "styles of classes", names, styles);
  if (report.covariate) {
    const auto values = std::ssize(report.covariate->values);
    expect(values == individuals, "values of a covariate", individuals, values);
  }
  if (names > 0) {
    for (const std::int32_t c : report.classes)
      expect(-1 <= c && c < names, "class below", names, c);
  }
  for (const Embedding& embedding : report.embeddings) {
    expect(embedding.points.rows() == individuals,
           "points of an embedding",
           individuals,
           embedding.points.rows());
  }
  const auto embeddings = static_cast<std::int64_t>(report.embeddings.size());
  for (std::int64_t k = 0; k < std::min<std::int64_t>(2, embeddings); ++k) {
    const std::int64_t shown = report.side_by_side[static_cast<std::size_t>(k)];
    expect(0 <= shown && shown < embeddings, "embedding side by side, below", embeddings, shown);
  }
  for (const HeatMap& map : report.heat_maps) check_heat_map(map, individuals);
  for (const Tree& tree : report.trees) check_tree(tree, individuals);
  const auto alphas = static_cast<std::int64_t>(report.alphas.size());
  const auto kept = static_cast<std::int64_t>(report.kept_edges.size());
  expect(alphas == kept, "shares of edges kept", alphas, kept);
}

}  // namespace yupana::report
