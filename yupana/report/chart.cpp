#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "yupana/report/figures.hpp"
#include "yupana/report/text.hpp"
#include "yupana/report/ticks.hpp"

namespace yupana::report {
namespace {

constexpr Color grid = {236, 234, 229}, accent = class_colors[0];

/// An axis of a chart: places are in the units of the paper.
struct Axis {
  std::string title;
  std::vector<double> ticks;
  std::vector<std::string> texts;
  std::function<double(double)> place;
};

/// The axes of a chart within the box; returns where its data goes.
Box plot_of(const Box& box) {
  return {box.left + 78, box.top + 8, box.width - 88, box.height - 62};
}

void draw_axes(Pen& pen, const Box& plot, const Axis& x, const Axis& y) {
  pen.color(grid);
  for (const double tick : y.ticks) {
    pen.line(plot.left, y.place(tick), plot.right(), y.place(tick));
  }
  pen.color(muted);
  pen.line(plot.left, plot.bottom(), plot.right(), plot.bottom());
  pen.font(12.5);
  for (std::size_t k = 0; k < x.texts.size(); ++k) {
    pen.text(x.texts[k], x.place(x.ticks[k]), plot.bottom() + 19, Align::center, 100);
  }
  for (std::size_t k = 0; k < y.texts.size(); ++k) {
    pen.text(y.texts[k], plot.left - 8, y.place(y.ticks[k]) + 4.5, Align::right, 62);
  }
  pen.color(ink);
  pen.font(14.5, true);
  pen.text(x.title, plot.left + plot.width / 2, plot.bottom() + 46, Align::center, plot.width);
  pen.text_up(y.title, plot.left - 64, plot.top + plot.height / 2, Align::center, plot.height);
}

/// From 0 at the bottom to a little above `most`.
Axis upwards(const Box& plot, double most, std::string title) {
  Axis axis{std::move(title), ticks(0, most, 4), {}, {}};
  axis.texts = tick_texts(axis.ticks);
  axis.place = [plot, most](double value) {
    return plot.bottom() - plot.height * value / (1.04 * most);
  };
  return axis;
}

std::vector<std::string> percents(const std::vector<double>& shares) {
  std::vector<double> values(shares);
  for (double& value : values) value *= 100;
  std::vector<std::string> texts = tick_texts(values);
  for (std::string& text : texts) text += " %";
  return texts;
}

/// Ticks of which no two are closer than `least`.
std::vector<double> apart(const std::vector<double>& values, const Axis& axis, double least) {
  std::vector<double> kept;
  for (const double value : values) {
    if (kept.empty() || axis.place(value) - axis.place(kept.back()) >= least) kept.push_back(value);
  }
  return kept;
}

}  // namespace

void draw_histogram(Pen& pen, const Box& box, const Histogram& histogram) {
  const Box plot = plot_of(box);
  std::int64_t most = 1;
  for (const std::int64_t count : histogram.counts) most = std::max(most, count);
  Axis y = upwards(plot, static_cast<double>(most), "pairs");
  std::erase_if(y.ticks, [](double tick) { return tick != std::floor(tick); });
  y.texts = tick_texts(y.ticks);
  const double low = histogram.low;
  const double span = histogram.high > low ? histogram.high - low : 1;
  Axis x{name_and_unit(histogram.name, histogram.unit),
         ticks(low, low + span, plot.width / 85),
         {},
         {}};
  x.texts = tick_texts(x.ticks);
  x.place = [=](double value) { return plot.left + (value - low) / span * plot.width; };
  draw_axes(pen, plot, x, y);
  pen.color(accent);
  const double bin =
      plot.width / static_cast<double>(std::max<std::size_t>(1, histogram.counts.size()));
  const double gap = bin > 4 ? 1 : 0;
  for (std::size_t k = 0; k < histogram.counts.size(); ++k) {
    if (histogram.counts[k] == 0) continue;
    // A lone pair must be seen.
    const double tall =
        std::max(1.0, plot.bottom() - y.place(static_cast<double>(histogram.counts[k])));
    pen.fill({plot.left + bin * static_cast<double>(k), plot.bottom() - tall, bin - gap, tall});
  }
}

void draw_scree(Pen& pen, const Box& box, const Report& report) {
  const Box plot = plot_of(box);
  const std::vector<double>& shares = report.scree;
  double most = 1e-12;
  for (const double share : shares) most = std::max(most, share);
  Axis y = upwards(plot, most, "share of the variance");
  y.texts = percents(y.ticks);
  const double bin = plot.width / static_cast<double>(shares.size());
  Axis x{"component", {}, {}, [=](double k) { return plot.left + (k + 0.5) * bin; }};
  for (std::size_t k = 0; k < shares.size(); ++k) x.ticks.push_back(static_cast<double>(k));
  x.ticks = apart(x.ticks, x, 46);
  for (const double k : x.ticks) x.texts.push_back(fmt::format("{} {}", report.axis, k + 1));
  draw_axes(pen, plot, x, y);
  pen.color(accent);
  for (std::size_t k = 0; k < shares.size(); ++k) {
    if (!(shares[k] > 0)) continue;
    const double top = y.place(shares[k]);
    pen.fill(
        {plot.left + (static_cast<double>(k) + 0.15) * bin, top, 0.7 * bin, plot.bottom() - top});
  }
}

void draw_curve(Pen& pen, const Box& box, const Report& report) {
  const Box plot = plot_of(box);
  const auto [low, high] = std::minmax_element(report.alphas.begin(), report.alphas.end());
  const double first = *low, last = *high;
  const bool doubling = first > 0 && last / first > 4;
  const auto scaled = [=](double alpha) { return doubling ? std::log2(alpha) : alpha; };
  const double span = last > first ? scaled(last) - scaled(first) : 1;
  Axis x{doubling ? "\u03b1 (logarithmic)" : "\u03b1", {}, {}, [=](double alpha) {
           return plot.left + (scaled(alpha) - scaled(first)) / span * plot.width;
         }};
  x.ticks = doubling ? apart(report.alphas, x, 34) : ticks(first, last, plot.width / 90);
  for (const double tick : x.ticks) x.texts.push_back(fmt::format("{:.4g}", tick));
  Axis y{"pairs of the full matrix", {0, 0.25, 0.5, 0.75, 1}, {}, {}};
  y.texts = percents(y.ticks);
  y.place = [=](double share) { return plot.bottom() - share * plot.height; };
  draw_axes(pen, plot, x, y);
  for (const double alpha : report.run_alphas) {
    if (alpha < first || alpha > last) continue;
    pen.color(ink);
    pen.line(x.place(alpha), plot.top, x.place(alpha), plot.bottom());
  }
  const double none = std::nan("");
  double before_x = none, before_y = none;
  for (std::size_t k = 0; k < report.alphas.size(); ++k) {
    if (!std::isfinite(report.kept_edges[k])) continue;
    const double here_x = x.place(report.alphas[k]), here_y = y.place(report.kept_edges[k]);
    const ClassStyle style;
    pen.marker(&style, here_x, here_y, 4.5, 1);
    pen.color(accent);
    if (std::isfinite(before_x)) pen.line(before_x, before_y, here_x, here_y);
    before_x = here_x;
    before_y = here_y;
  }
}

}  // namespace yupana::report
