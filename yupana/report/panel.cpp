#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/report/figures.hpp"
#include "yupana/report/legend.hpp"
#include "yupana/report/style.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr Color frame_color = {200, 197, 190};

/// From coordinates to the paper.
struct Scale {
  double center_x = 0, center_y = 0;
  double unit = 1;  ///< coordinates per pixel, on both axes
  Box box;

  double x(double value) const { return box.left + box.width / 2 + (value - center_x) / unit; }
  double y(double value) const { return box.top + box.height / 2 - (value - center_y) / unit; }
};

/// A single axis is drawn with a spread in height that has no meaning: the golden ratio's multiples
/// fill [-0.5, 0.5) evenly.
double spread(std::int64_t i) {
  const double turns = static_cast<double>(i) * 0.6180339887498949;
  return turns - std::floor(turns) - 0.5;
}

Scale fit(const Box& box, const std::vector<Point>& points, double radius) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double x0 = infinity, x1 = -infinity, y0 = infinity, y1 = -infinity;
  for (const Point& p : points) {
    if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
    x0 = std::min(x0, p.x);
    x1 = std::max(x1, p.x);
    y0 = std::min(y0, p.y);
    y1 = std::max(y1, p.y);
  }
  if (!(x0 <= x1)) return {0, 0, 2 / box.width, box};
  const double room = 2 * (2 * radius + 10);
  double unit = std::max((x1 - x0) / (box.width - room), (y1 - y0) / (box.height - room));
  // All points are one: any scale will do that does not lose them.
  if (!(unit > 0) || !std::isfinite(unit)) unit = std::max(std::abs(x0), 1.0) / box.width;
  return {x0 / 2 + x1 / 2, y0 / 2 + y1 / 2, unit, box};
}

std::string axis_title(const Report& report, const Embedding& embedding, std::int64_t axis) {
  if (axis >= embedding.points.cols()) return "one axis only: height has no meaning";
  const auto k = static_cast<std::size_t>(axis);
  const std::string share = k < embedding.share.size() ? percent(embedding.share[k]) : "";
  return share.empty() ? fmt::format("{} {}", report.axis, axis + 1)
                       : fmt::format("{} {} ({} explained)", report.axis, axis + 1, share);
}

void draw_axes(Pen& pen, const Scale& scale, const Report& report, const Embedding& embedding) {
  const Box& box = scale.box;
  const bool flat = embedding.points.cols() < 2;
  const double reach_x = scale.unit * box.width / 2, reach_y = scale.unit * box.height / 2;
  const auto xs = ticks(scale.center_x - reach_x, scale.center_x + reach_x, box.width / 85);
  const auto ys = flat ? std::vector<double>()
                       : ticks(scale.center_y - reach_y, scale.center_y + reach_y, box.height / 75);
  pen.color(grid_color);
  for (const double t : xs) pen.line(scale.x(t), box.top, scale.x(t), box.bottom());
  for (const double t : ys) pen.line(box.left, scale.y(t), box.right(), scale.y(t));
  pen.color(frame_color);
  pen.stroke(box);
  pen.color(muted);
  pen.font(12.5);
  const auto x_texts = tick_texts(xs), y_texts = tick_texts(ys);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    pen.text(x_texts[i], scale.x(xs[i]), box.bottom() + 19, Align::center, 100);
  }
  for (std::size_t i = 0; i < ys.size(); ++i) {
    pen.text(y_texts[i], box.left - 8, scale.y(ys[i]) + 4.5, Align::right, 60);
  }
  pen.color(ink);
  pen.font(14.5, true);
  const double middle = box.top + box.height / 2;
  pen.text(axis_title(report, embedding, 0),
           box.left + box.width / 2,
           box.bottom() + 46,
           Align::center,
           box.width);
  pen.text_up(axis_title(report, embedding, 1), box.left - 58, middle, Align::center, box.height);
}

/// A fixed mixed order, so that no class lies on top of the others because of its place in the
/// file.
std::vector<std::int64_t> mixed_order(std::int64_t size) {
  auto order = first_integers<std::int64_t>(size);
  std::uint64_t state = 1;
  for (std::int64_t i = size - 1; i > 0; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto j = static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(i + 1));
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
  }
  return order;
}

double radius_for(std::int64_t individuals) {
  return individuals <= 600 ? 5.5 : individuals <= 3000 ? 4.2 : individuals <= 10000 ? 3 : 2.2;
}

void draw_points(Pen& pen,
                 const Scale& scale,
                 const Report& report,
                 const std::vector<Point>& points) {
  const auto individuals = static_cast<std::int64_t>(points.size());
  const double radius = radius_for(individuals), opacity = individuals > 8000 ? 0.75 : 0.92;
  const bool labelled = !report.class_names.empty();
  for (const std::int64_t i : mixed_order(individuals)) {
    const auto k = static_cast<std::size_t>(i);
    if (!std::isfinite(points[k].x) || !std::isfinite(points[k].y)) continue;
    const std::int64_t c = labelled ? report.classes[k] : 0;
    const ClassStyle style = style_of(report, std::max<std::int64_t>(c, 0));
    const double size = c < 0 ? 0.8 * radius : radius;
    pen.marker(c < 0 ? nullptr : &style, scale.x(points[k].x), scale.y(points[k].y), size, opacity);
  }
}

/// Draws the points on an image of twice the resolution and that on the paper.
void draw_points_image(Pen& pen,
                       const Scale& scale,
                       const Report& report,
                       const std::vector<Point>& points) {
  constexpr double resolution = 2;
  const Box& box = scale.box;
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> image(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32,
                                 static_cast<int>(std::ceil(box.width * resolution)),
                                 static_cast<int>(std::ceil(box.height * resolution))),
      cairo_surface_destroy);
  Pen inner(image.get());
  cairo_scale(inner.get(), resolution, resolution);
  cairo_translate(inner.get(), -box.left, -box.top);
  draw_points(inner, scale, report, points);
  cairo_save(pen.get());
  cairo_translate(pen.get(), box.left, box.top);
  cairo_scale(pen.get(), 1 / resolution, 1 / resolution);
  cairo_set_source_surface(pen.get(), image.get(), 0, 0);
  cairo_paint(pen.get());
  cairo_restore(pen.get());
}

std::vector<Point> first_two_axes(const Embedding& embedding) {
  const Matrix<double>& values = embedding.points;
  std::vector<Point> points(static_cast<std::size_t>(values.rows()));
  for (std::int64_t i = 0; i < values.rows(); ++i) {
    points[static_cast<std::size_t>(i)] = {values(i, 0), values.cols() > 1 ? values(i, 1) : 0};
  }
  return points;
}

struct ArrowTip {
  std::string name;
  double x = 0, y = 0;
};

/// From above; below those of other arrows where they would overlap.
void draw_names(Pen& pen, std::vector<ArrowTip> tips, double middle) {
  constexpr double line = 14, room = 140;
  struct Placed {
    double from, to, y;
  };
  std::vector<Placed> placed;
  std::sort(tips.begin(), tips.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
  for (const ArrowTip& tip : tips) {
    const double width = std::min(pen.width_of(tip.name), room);
    const double from = tip.x < middle ? tip.x - 4 - width : tip.x + 4;
    double y = tip.y;
    for (const Placed& other : placed) {
      const bool overlaps = from < other.to && other.from < from + width;
      if (overlaps && std::abs(y - other.y) < line) y = other.y + line;
    }
    pen.text(tip.name, from, y + 4, Align::left, room);
    placed.push_back({from, from + width, y});
    std::sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.y < b.y; });
  }
}

/// From the middle of all points; the longest arrow takes a third of the plot.
void draw_arrows(Pen& pen, const Scale& scale, const std::vector<Arrow>& arrows) {
  double longest = 0;
  for (const Arrow& arrow : arrows) {
    if (arrow.along.size() < 2) return;
    longest = std::max(longest, std::hypot(arrow.along[0], arrow.along[1]));
  }
  if (!(longest > 0)) return;
  const double unit = std::min(scale.box.width, scale.box.height) / 3 / longest;
  const double from_x = scale.x(0), from_y = scale.y(0);
  pen.color(ink);
  pen.font(12.5);
  std::vector<ArrowTip> tips;
  for (const Arrow& arrow : arrows) {
    const double x = from_x + arrow.along[0] * unit, y = from_y - arrow.along[1] * unit;
    const double angle = std::atan2(y - from_y, x - from_x);
    pen.line(from_x, from_y, x, y);
    for (const double turn : {2.7, -2.7}) {
      pen.line(x, y, x + 7 * std::cos(angle + turn), y + 7 * std::sin(angle + turn));
    }
    tips.push_back({valid_utf8(arrow.name), x, y});
  }
  draw_names(pen, std::move(tips), from_x);
}

/// What the picture leaves out is said on it.
void draw_unplaced(Pen& pen, const Box& plot, const std::vector<Point>& points) {
  const auto unplaced = std::count_if(points.begin(), points.end(), [](const Point& p) {
    return !std::isfinite(p.x) || !std::isfinite(p.y);
  });
  if (unplaced == 0) return;
  pen.color(muted);
  pen.font(12.5);
  pen.text(fmt::format("without coordinates, not drawn: {}", unplaced),
           plot.left,
           plot.bottom() + 64,
           Align::left,
           plot.width);
}

}  // namespace

void draw_panel(Pen& pen,
                const Box& box,
                const Report& report,
                const Embedding& embedding,
                bool points_as_image) {
  const Box plot = {box.left + 70, box.top + 34, box.width - 82, box.height - 100};
  pen.color(ink);
  pen.font(16, true);
  pen.text(name_and_unit(embedding.name, embedding.unit),
           plot.left,
           box.top + 20,
           Align::left,
           plot.width);
  if (embedding.points.cols() == 0 || embedding.points.rows() == 0) {
    pen.color(muted);
    pen.font(14.5);
    pen.text("no dimension to draw: all these distances are equal or zero",
             plot.left + plot.width / 2,
             plot.top + plot.height / 2,
             Align::center,
             plot.width);
    return;
  }
  std::vector<Point> points = first_two_axes(embedding);
  const Scale scale = fit(plot, points, radius_for(embedding.points.rows()));
  if (embedding.points.cols() == 1) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].y = spread(static_cast<std::int64_t>(i)) * 0.4 * plot.height * scale.unit;
    }
  }
  draw_axes(pen, scale, report, embedding);
  draw_unplaced(pen, plot, points);
  pen.clip(plot);
  if (points_as_image) {
    draw_points_image(pen, scale, report, points);
  } else {
    draw_points(pen, scale, report, points);
  }
  if (embedding.points.cols() > 1) draw_arrows(pen, scale, report.arrows);
  pen.unclip();
}

}  // namespace yupana::report
