#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "yupana/report/figures.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr Color accent = class_colors[0];

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
  pen.color(grid_color);
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

constexpr Color absent_color = {216, 214, 208};  ///< cells without a value
constexpr double bar_room = 76;                  ///< right of the cells
constexpr double strip = 12, strip_gap = 4;

ValueRange range_of(const HeatMap& map) {
  std::vector<float> values;
  for (std::int64_t i = 1; i < map.cells.size(); ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      if (std::isfinite(map.cells(i, j))) values.push_back(map.cells(i, j));
    }
  }
  if (values.empty()) return {};
  const auto quantile = [&](double q) {
    const auto place = std::llround(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return static_cast<double>(values[static_cast<std::size_t>(place)]);
  };
  const ValueRange range{quantile(0.005), quantile(0.995)};
  return range.high > range.low ? range : ValueRange{quantile(0), quantile(1)};
}

Surface image_of(const HeatMap& map, const ValueRange& range) {
  const auto size = static_cast<int>(map.cells.size());
  Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, size, size), cairo_surface_destroy);
  cairo_surface_flush(image.get());
  unsigned char* const pixels = cairo_image_surface_get_data(image.get());
  const int stride = cairo_image_surface_get_stride(image.get());
  const double span = range.high > range.low ? range.high - range.low : 1;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      const double value = map.cells(i, j);
      const double part = std::clamp((value - range.low) / span, 0.0, 1.0);
      const Color color = std::isfinite(value) ? map_color(part) : absent_color;
      const std::uint32_t pixel = static_cast<std::uint32_t>(color.red) << 16 |
                                  static_cast<std::uint32_t>(color.green) << 8 | color.blue;
      std::memcpy(pixels + i * stride + 4 * j, &pixel, sizeof pixel);
    }
  }
  cairo_surface_mark_dirty(image.get());
  return image;
}

void draw_cells(Pen& pen, const Box& square, const HeatMap& map, const ValueRange& range) {
  const Surface image = image_of(map, range);
  const double scale = square.width / static_cast<double>(map.cells.size());
  cairo_save(pen.get());
  cairo_translate(pen.get(), square.left, square.top);
  cairo_scale(pen.get(), scale, scale);
  cairo_set_source_surface(pen.get(), image.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(pen.get()), CAIRO_FILTER_NEAREST);
  cairo_paint(pen.get());
  cairo_restore(pen.get());
}

/// The most frequent class of a row's individuals; the first of several.
std::int32_t class_of_row(const Report& report, const HeatMap& map, std::int64_t row) {
  const std::int64_t size = map.cells.size();
  std::map<std::int32_t, std::int64_t> counts;
  const std::int64_t end = (row + 1) * map.individuals / size;
  for (std::int64_t k = row * map.individuals / size; k < end; ++k) {
    ++counts[report.classes[static_cast<std::size_t>(map.order[static_cast<std::size_t>(k)])]];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& a) { return a.second; });
  return most == counts.end() ? -1 : most->first;
}

void draw_strip(Pen& pen, const Box& box, const Report& report, const HeatMap& map) {
  const double cell = box.height / static_cast<double>(map.cells.size());
  for (std::int64_t row = 0; row < map.cells.size(); ++row) {
    const std::int32_t c = class_of_row(report, map, row);
    pen.color(c < 0 ? no_class_color : color_of(style_of(report, c).color));
    // Rows overlap a little, so that no ground is seen between them.
    const double top = box.top + cell * static_cast<double>(row);
    pen.fill({box.left, top, box.width, std::min(cell + 0.3, box.bottom() - top)});
  }
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

void draw_heat_map(Pen& pen, const Box& box, const Report& report, const HeatMap& map) {
  if (map.cells.size() == 0) return;
  const bool labelled = !report.class_names.empty() && !map.order.empty();
  const double left = box.left + (labelled ? strip + strip_gap : 0);
  const double side = std::min(box.right() - bar_room - left, box.height);
  const ValueRange range = range_of(map);
  draw_cells(pen, {left, box.top, side, side}, map, range);
  if (labelled) draw_strip(pen, {box.left, box.top, strip, side}, report, map);
  draw_scale(pen, {left + side + 14, box.top, 14, std::min(side, 320.0)}, range);
}

}  // namespace yupana::report
