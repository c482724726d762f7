#include "yupana/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/report.hpp"
#include "yupana/report/surface.hpp"
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

}  // namespace yupana::report
