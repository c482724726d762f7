#include "yupana/report/scale_bar.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "yupana/report/ticks.hpp"

namespace yupana::report {

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
