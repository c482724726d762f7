#include "yupana/report/importance_plot.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "yupana/report/pen.hpp"
#include "yupana/report/surface.hpp"
#include "yupana/report/text.hpp"
#include "yupana/report/ticks.hpp"

namespace yupana::report {
namespace {

constexpr Color panel_grid = {0xe3, 0xe5, 0xe8};
constexpr std::size_t most_bars = 40;
constexpr double row_height = 18, name_width = 150, panel_width = 260, panel_gap = 24, border = 16;
constexpr double title_height = 44, axis_height = 26;

struct Bars {
  std::string title;
  Color color;
  std::vector<double> values;
  std::vector<double> deviations;  ///< empty: none are drawn
};

/// One panel of bars from a common zero line, with its axis.
void draw_bars(Pen& pen, const Bars& bars, double left, double bottom) {
  double low = 0, high = 0;
  for (std::size_t i = 0; i < bars.values.size(); ++i) {
    const double spread = bars.deviations.empty() ? 0 : bars.deviations[i];
    low = std::min(low, bars.values[i] - spread);
    high = std::max(high, bars.values[i] + spread);
  }
  if (!(high > low)) high = low + 1;
  const auto x_of = [&](double value) { return left + (value - low) / (high - low) * panel_width; };
  pen.color(ink);
  pen.font(13, true);
  pen.text(bars.title, left, title_height - 20, Align::left, panel_width);
  const std::vector<double> marks = ticks(low, high, 4);
  const std::vector<std::string> texts = tick_texts(marks);
  pen.font(11);
  for (std::size_t k = 0; k < marks.size(); ++k) {
    pen.color(panel_grid);
    pen.line(x_of(marks[k]), title_height - 6, x_of(marks[k]), bottom);
    pen.color(muted);
    pen.text(texts[k], x_of(marks[k]), bottom + 15, Align::center, 60);
  }
  for (std::size_t i = 0; i < bars.values.size(); ++i) {
    const double top = title_height + static_cast<double>(i) * row_height;
    const double from = x_of(std::min(0.0, bars.values[i]));
    const double to = x_of(std::max(0.0, bars.values[i]));
    pen.color(bars.color);
    pen.fill({from, top + 3, to - from, row_height - 6});
    if (bars.deviations.empty() || !(bars.deviations[i] > 0)) continue;
    pen.color(ink);
    const double middle = top + row_height / 2;
    pen.line(x_of(bars.values[i] - bars.deviations[i]),
             middle,
             x_of(bars.values[i] + bars.deviations[i]),
             middle);
  }
  pen.color(muted);
  pen.line(x_of(0), title_height - 6, x_of(0), bottom);
}

}  // namespace

void write_importances_svg(AtomicFile& file, std::vector<Importance> list, bool has_permutation) {
  std::stable_sort(list.begin(), list.end(), [&](const Importance& a, const Importance& b) {
    return has_permutation ? a.permutation > b.permutation : a.impurity > b.impurity;
  });
  const std::size_t all = list.size();
  list.resize(std::min(all, most_bars));
  std::vector<Bars> panels;
  if (has_permutation) panels.push_back({"loss of score when shuffled", class_colors[1], {}, {}});
  panels.push_back({"share of the decrease of impurity", class_colors[0], {}, {}});
  for (const Importance& one : list) {
    panels.back().values.push_back(one.impurity);
    if (!has_permutation) continue;
    panels.front().values.push_back(one.permutation);
    panels.front().deviations.push_back(one.deviation);
  }
  const auto count = static_cast<double>(panels.size());
  const double bottom = title_height + static_cast<double>(list.size()) * row_height;
  const double width = border + name_width + count * (panel_width + panel_gap) + border;
  file.write(svg_of(width, bottom + axis_height + border, [&](cairo_surface_t* surface) {
    Pen pen(surface);
    pen.color({255, 255, 255});
    pen.fill({0, 0, width, bottom + axis_height + border});
    pen.font(12);
    for (std::size_t i = 0; i < list.size(); ++i) {
      pen.color(ink);
      const double line = title_height + static_cast<double>(i) * row_height + 13;
      pen.text(
          valid_utf8(list[i].feature), border + name_width - 8, line, Align::right, name_width - 8);
    }
    for (std::size_t p = 0; p < panels.size(); ++p) {
      draw_bars(pen,
                panels[p],
                border + name_width + static_cast<double>(p) * (panel_width + panel_gap),
                bottom);
    }
    if (all > list.size()) {
      pen.color(muted);
      pen.font(11);
      pen.text(fmt::format("{} more", all - list.size()),
               border + name_width - 8,
               bottom + 15,
               Align::right,
               name_width);
    }
  }));
}

}  // namespace yupana::report
