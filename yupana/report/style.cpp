#include "yupana/report/style.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace yupana::report {
namespace {

constexpr double pi = std::numbers::pi;

/// Scales an outline to the area of the unit disc (shoelace formula).
std::vector<Point> normalized(std::vector<Point> outline) {
  double twice_area = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Point a = outline[i], b = outline[(i + 1) % outline.size()];
    twice_area += a.x * b.y - b.x * a.y;
  }
  const double scale = std::sqrt(2 * pi / std::abs(twice_area));
  for (Point& point : outline) point = {point.x * scale, point.y * scale};
  return outline;
}

/// `corners` points on a circle, the first at the top; with inner < 1, a star.
std::vector<Point> ring(int corners, double inner, double turn) {
  std::vector<Point> outline;
  const int steps = inner < 1 ? 2 * corners : corners;
  for (int i = 0; i < steps; ++i) {
    const double angle = 2 * pi * i / steps + turn - pi / 2;
    const double radius = inner < 1 && i % 2 == 1 ? inner : 1;
    outline.push_back({radius * std::cos(angle), radius * std::sin(angle)});
  }
  return normalized(std::move(outline));
}

std::vector<Point> cross() {
  constexpr double arm = 1, half = 0.36;
  return normalized({{-half, -arm},
                     {half, -arm},
                     {half, -half},
                     {arm, -half},
                     {arm, half},
                     {half, half},
                     {half, arm},
                     {-half, arm},
                     {-half, half},
                     {-arm, half},
                     {-arm, -half},
                     {-half, -half}});
}

}  // namespace

std::string hex_of(const Color& color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

std::vector<std::string> hex_of(std::span<const Color> colors) {
  std::vector<std::string> texts;
  for (const Color& color : colors) texts.push_back(hex_of(color));
  return texts;
}

Color map_color(double part) {
  const double at = std::clamp(part, 0.0, 1.0) * static_cast<double>(map_colors.size() - 1);
  const std::size_t k = std::min(static_cast<std::size_t>(at), map_colors.size() - 2);
  const double rest = at - static_cast<double>(k);
  const auto mixed = [&](std::uint8_t low, std::uint8_t high) {
    return static_cast<std::uint8_t>(std::lround(low + (high - low) * rest));
  };
  const Color &a = map_colors[k], &b = map_colors[k + 1];
  return {mixed(a.red, b.red), mixed(a.green, b.green), mixed(a.blue, b.blue)};
}

Color color_of(int color) {
  constexpr int classes = static_cast<int>(class_color_count);
  if (color < classes) return class_colors[static_cast<std::size_t>(color)];
  return map_color((color - classes) / (covariate_steps - 1.0));
}

const std::vector<std::vector<Point>>& marker_outlines() {
  static const std::vector<std::vector<Point>> outlines = {{},
                                                           ring(3, 1, 0),
                                                           ring(4, 1, pi / 4),
                                                           ring(4, 1, 0),
                                                           ring(3, 1, pi),
                                                           cross(),
                                                           ring(5, 0.45, 0)};
  return outlines;
}

ClassStyle class_style(std::int64_t index) {
  const auto colors = static_cast<std::int64_t>(class_colors.size());
  const auto shapes = static_cast<std::int64_t>(marker_outlines().size());
  return {static_cast<int>(index % colors),
          static_cast<int>(index % shapes),
          index / (colors * shapes) % 2 == 1};
}

void color_by(Report& report, Covariate covariate) {
  // Of halves, as the whole span may be beyond double.
  const double half = covariate.high / 2 - covariate.low / 2;
  const double step = half / covariate_steps * 2;
  report.class_names.clear();
  for (int k = 0; k < covariate_steps; ++k) {
    const double low = covariate.low + k * step;
    report.class_names.push_back(fmt::format("{:.4g} to {:.4g}", low, low + step));
  }
  report.classes.clear();
  for (const double value : covariate.values) {
    const double part = half > 0 ? (value / 2 - covariate.low / 2) / half : 0;
    report.classes.push_back(
        std::isfinite(value)
            ? std::clamp(static_cast<std::int32_t>(part * covariate_steps), 0, covariate_steps - 1)
            : -1);
  }
  report.covariate = std::move(covariate);
}

ClassStyle style_of(const Report& report, std::int64_t c) {
  if (report.covariate) return {.color = static_cast<int>(class_color_count + c)};
  return class_style(
      report.class_styles.empty() ? c : report.class_styles[static_cast<std::size_t>(c)]);
}

}  // namespace yupana::report
