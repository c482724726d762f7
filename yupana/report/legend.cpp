#include "yupana/report/legend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr double legend_row = 23, small_legend_row = 19;

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

}  // namespace

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

bool is_long_legend(std::int64_t entries) { return entries > 26; }
double entry_height(std::int64_t entries) {
  return is_long_legend(entries) ? small_legend_row : legend_row;
}

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
  pen.font(is_long_legend(total) ? 12.5 : 14.5);
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

LegendBelow legend_below(const Report& report, double left, double top, double width) {
  constexpr double entry_width = 150, scale_height = 230;
  constexpr std::int64_t most_rows = 40;
  if (report.class_names.empty()) return {{left, top, width, 0}};
  if (report.covariate) return {{left, top, width, scale_height}};
  const std::int64_t entries = std::ssize(legend_entries(report));
  const auto columns = std::max<std::int64_t>(1, static_cast<std::int64_t>(width / entry_width));
  const std::int64_t rows = std::min(most_rows, divide_up(entries, columns));
  return {{left, top, width, static_cast<double>(rows) * entry_height(entries)}, columns};
}

void draw_legend(Pen& pen, const LegendBelow& legend, const Report& report) {
  if (report.class_names.empty()) return;
  if (report.covariate) return draw_covariate(pen, legend.box, report);
  draw_legend(pen, legend.box, legend_entries(report), legend.columns);
}

std::vector<double> ticks(double low, double high, double count) {
  const double raw = (high - low) / std::max(1.0, count);
  if (!(raw > 0) || !std::isfinite(raw)) return {};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double s : {5.0, 2.0, 1.0}) {
    if (s * power >= raw * 0.999) step = s * power;
  }
  std::vector<double> values;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) {
    // At most `count` fit; more means that the step is lost next to the size of the values.
    if (static_cast<double>(values.size()) > count + 2) return {};
    values.push_back(k == 0 ? 0 : k * step);
  }
  return values;
}

std::vector<std::string> tick_texts(const std::vector<double>& values) {
  std::vector<std::string> texts;
  if (values.empty()) return texts;
  const double step = values.size() > 1 ? values[1] - values[0] : std::abs(values[0]);
  const double size = std::max({std::abs(values.front()), std::abs(values.back()), step});
  const bool powers = size >= 1e6 || size < 1e-3;
  const double digits = powers ? std::log10(size / step) : -std::floor(std::log10(step) + 1e-9);
  const int precision = std::clamp(static_cast<int>(std::lround(digits)), 0, 12);
  for (const double value : values) {
    const double size_of = std::abs(value);
    const std::string text = value == 0 ? "0"
                             : powers   ? fmt::format("{:.{}e}", size_of, precision)
                                        : fmt::format("{:.{}f}", size_of, precision);
    texts.push_back(value < 0 ? "\u2212" + text : text);
  }
  return texts;
}

void draw_scale(Pen& pen, const Box& bar, const ValueRange& range) {
  const bool flat = !(range.high > range.low);
  const std::unique_ptr<cairo_pattern_t, decltype(&cairo_pattern_destroy)> colors(
      cairo_pattern_create_linear(0, bar.bottom(), 0, bar.top), cairo_pattern_destroy);
  for (std::size_t k = 0; k < map_colors.size(); ++k) {
    const Color& color = map_colors[flat ? 0 : k];
    cairo_pattern_add_color_stop_rgb(colors.get(),
                                     static_cast<double>(k) / (map_colors.size() - 1),
                                     color.red / 255.0,
                                     color.green / 255.0,
                                     color.blue / 255.0);
  }
  cairo_set_source(pen.get(), colors.get());
  pen.fill(bar);
  std::vector<double> values = ticks(range.low, range.high, 5);
  if (values.empty()) values = {range.low, range.high};
  if (flat) values = {range.low};
  const std::vector<std::string> texts = tick_texts(values);
  pen.font(11.5);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double part = flat ? 0 : (values[i] - range.low) / (range.high - range.low);
    const double y = bar.bottom() - part * bar.height;
    pen.color(muted);
    pen.line(bar.right(), y, bar.right() + 4, y);
    const double base = std::clamp(y + 4, bar.top + 9, bar.bottom());
    pen.text(texts[i], bar.right() + 7, base, Align::left, 50);
  }
}

}  // namespace yupana::report
