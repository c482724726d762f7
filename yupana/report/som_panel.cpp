#include "yupana/report/som_panel.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "yupana/core/messages.hpp"
#include "yupana/report/pen.hpp"
#include "yupana/report/text.hpp"

namespace yupana::report {
namespace {

constexpr Color white = {255, 255, 255};
constexpr double panel_title_height = 26;
constexpr double map_width = 204, map_height = 260;
constexpr double least_gapped = 7;  ///< size of cells with a gap between them
constexpr double min_scale = 90;    ///< height of a scale next to a flat map
const double half_sqrt3 = std::sqrt(3.0) / 2;

double luminance(const Color& c) { return 0.299 * c.red + 0.587 * c.green + 0.114 * c.blue; }

void draw_cell(Pen& pen, const std::vector<Point>& outline, const Point& center) {
  cairo_t* const cairo = pen.get();
  cairo_new_path(cairo);
  for (const Point& p : outline) cairo_line_to(cairo, center.x + p.x, center.y + p.y);
  cairo_close_path(cairo);
  cairo_fill(cairo);
}

/// Edges of cells without a gap are sharp: softened ones would let the paper shine through.
void use_edges(Pen& pen, const MapCells& cells) {
  cairo_set_antialias(pen.get(),
                      cells.size() < least_gapped ? CAIRO_ANTIALIAS_NONE : CAIRO_ANTIALIAS_DEFAULT);
}

void draw_title(Pen& pen, double left, double top, const std::string& name) {
  pen.color(ink);
  pen.font(15, true);
  pen.text(valid_utf8(name), left, top + 15, Align::left, map_panel_width - 14);
}

void draw_text_in(Pen& pen, const std::string& text, const Point& center, const Color& ground) {
  pen.color(luminance(ground) < 140 ? white : ink);
  pen.text(text, center.x, center.y + 4, Align::center, 1e9);
}

/// Takes the larger of two sizes in which a number fits into a cell.
bool fits(Pen& pen, const std::string& text, const MapCells& cells) {
  for (const double size : {11.0, 9.0}) {
    pen.font(size);
    if (cells.size() >= size + 3 && pen.width_of(text) <= cells.size() - 3) return true;
  }
  return false;
}

Box side_of(const MapCells& cells, double left, double top) {
  return {
      left + cells.width() + 12, top + panel_title_height, 13, std::max(cells.height(), min_scale)};
}

/// The colours of groups, then the same half way to white, and so on.
Color map_group_color(std::int64_t c) {
  const Color& own = class_colors[static_cast<std::size_t>(c) % class_color_count];
  if (static_cast<std::size_t>(c) / class_color_count % 2 == 0) return own;
  const auto light = [](std::uint8_t part) {
    return static_cast<std::uint8_t>(std::lround(255 - 0.5 * (255 - part)));
  };
  return {light(own.red), light(own.green), light(own.blue)};
}

constexpr std::int64_t most_pixels = 32000;  // cairo ends at 32,767

constexpr double line_height = 18, swatch = 10, after_swatch = 15, space_after = 16;

void use_font(Pen& pen, bool heading) { pen.font(heading ? 13 : 11.5, heading); }

}  // namespace

MapCells::MapCells(const MapReport& report, double width, double height)
    : rows_(report.rows), cols_(report.cols), hexagonal_(report.hexagonal), size_(1) {
  size_ = std::min({width / this->width(), height / this->height(), 56.0});
}

double MapCells::width() const {
  return size_ * (static_cast<double>(cols_) + (hexagonal_ && rows_ > 1 ? 0.5 : 0));
}

double MapCells::height() const {
  const auto rows = static_cast<double>(rows_);
  return size_ * (hexagonal_ ? (rows - 1) * half_sqrt3 + 1 / half_sqrt3 : rows);
}

Point MapCells::center(std::int64_t neuron) const {
  const std::int64_t row = neuron / cols_, col = neuron % cols_;
  const auto r = static_cast<double>(row), c = static_cast<double>(col);
  if (!hexagonal_) return {size_ * (c + 0.5), size_ * (r + 0.5)};
  return {size_ * (c + (row % 2 == 1 ? 1.0 : 0.5)), size_ * (r * half_sqrt3 + 0.5 / half_sqrt3)};
}

std::vector<Point> MapCells::outline() const {
  // Cells too small for a gap overlap by a hair instead: no seams of paper between them.
  const double side = size_ >= least_gapped ? size_ - 1 : size_ + 0.25, half = side / 2;
  if (!hexagonal_) return {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
  const double tall = half / half_sqrt3;
  return {{0, -tall},
          {half, -tall / 2},
          {half, tall / 2},
          {0, tall},
          {-half, tall / 2},
          {-half, -tall / 2}};
}

ValueRange range_of(const std::vector<double>& values) {
  ValueRange range;
  bool any = false;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range = any ? ValueRange{std::min(range.low, value), std::max(range.high, value)}
                : ValueRange{value, value};
    any = true;
  }
  return range;
}

double map_panel_height(const MapReport& report) {
  const MapCells cells(report, map_width, map_height);
  return panel_title_height + std::max(cells.height(), min_scale);
}

void draw_map_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapPanel& panel) {
  const MapCells cells(report, map_width, map_height);
  draw_title(pen, left, top, panel.name);
  const ValueRange range = range_of(panel.values);
  const double span = range.high - range.low;
  const std::vector<Point> outline = cells.outline();
  const bool written = panel.counts && fits(pen, fmt::format("{:.0f}", range.high), cells);
  for (std::size_t i = 0; i < panel.values.size(); ++i) {
    const double value = panel.values[i];
    Point center = cells.center(static_cast<std::int64_t>(i));
    center = {center.x + left, center.y + top + panel_title_height};
    const Color color =
        std::isfinite(value) ? map_color(span > 0 ? (value - range.low) / span : 0) : map_absent;
    pen.color(color);
    use_edges(pen, cells);
    draw_cell(pen, outline, center);
    cairo_set_antialias(pen.get(), CAIRO_ANTIALIAS_DEFAULT);
    if (written) draw_text_in(pen, fmt::format("{:.0f}", value), center, color);
  }
  draw_scale(pen, side_of(cells, left, top), range);
}

void draw_groups_panel(
    Pen& pen, double left, double top, const MapReport& report, const MapGroups& groups) {
  const MapCells cells(report, map_width, map_height);
  draw_title(pen, left, top, groups.name);
  const std::vector<Point> outline = cells.outline();
  pen.font(11);
  for (std::size_t i = 0; i < groups.of.size(); ++i) {
    const std::int64_t g = groups.of[i];
    Point center = cells.center(static_cast<std::int64_t>(i));
    center = {center.x + left, center.y + top + panel_title_height};
    const Color color = g < 0 ? map_absent : map_group_color(g);
    pen.color(color);
    use_edges(pen, cells);
    draw_cell(pen, outline, center);
    cairo_set_antialias(pen.get(), CAIRO_ANTIALIAS_DEFAULT);
    if (g < 0 || cells.size() < 14) continue;
    const std::string name = valid_utf8(groups.names[static_cast<std::size_t>(g)]);
    if (pen.width_of(name) < cells.size() - 4) draw_text_in(pen, name, center, color);
  }
}

std::string map_images_png(const MapReport& report) {
  const std::int64_t tall = report.image_rows, wide = report.image_cols;
  if (report.images.empty()) throw usage_error("report of a map: no images to draw");
  // A pixel of the image becomes a square, so that digits of 8 x 8 can be seen.
  const std::int64_t most_cells = std::max(report.rows * tall, report.cols * wide);
  const std::int64_t zoom = std::clamp<std::int64_t>(
      std::min(96 / std::max(tall, wide), 6000 / std::max<std::int64_t>(1, most_cells)), 1, 12);
  const std::int64_t gap = report.rows * report.cols > 1 ? 3 : 0;
  const std::int64_t shift = report.hexagonal && report.rows > 1 ? (wide * zoom + gap) / 2 : 0;
  const std::int64_t width = report.cols * (wide * zoom + gap) + gap + shift;
  const std::int64_t height = report.rows * (tall * zoom + gap) + gap;
  if (width > most_pixels || height > most_pixels) {
    throw usage_error(
        "a grid of images of {} x {} pixels; at most {} a side are drawn: leave out --image or "
        "take a smaller map",
        height,
        width,
        most_pixels);
  }
  const Surface surface(cairo_image_surface_create(
                            CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height)),
                        cairo_surface_destroy);
  auto* const data = reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(surface.get()));
  if (data == nullptr) throw resource_error("report: cannot draw an image");
  cairo_surface_flush(surface.get());
  const std::int64_t stride = cairo_image_surface_get_stride(surface.get()) / 4;
  std::fill(data, data + stride * height, std::uint32_t{0xffffff});
  const std::vector<double> all(report.images.begin(), report.images.end());
  const ValueRange range = range_of(all);
  const double span = range.high > range.low ? range.high - range.low : 1;
  for (std::int64_t i = 0; i < report.rows * report.cols; ++i) {
    const std::int64_t row = i / report.cols, col = i % report.cols;
    const std::int64_t top = gap + row * (tall * zoom + gap);
    const std::int64_t left = gap + col * (wide * zoom + gap) + (row % 2 == 1 ? shift : 0);
    const float* const image = report.images.data() + i * tall * wide;
    for (std::int64_t y = 0; y < tall * zoom; ++y) {
      for (std::int64_t x = 0; x < wide * zoom; ++x) {
        const double value = image[y / zoom * wide + x / zoom];
        const double part = std::isfinite(value) ? (value - range.low) / span : 0;
        const auto grey = static_cast<std::uint32_t>(std::lround(255 * part));
        data[(top + y) * stride + left + x] = grey << 16 | grey << 8 | grey;
      }
    }
  }
  cairo_surface_mark_dirty(surface.get());
  return png_of(surface.get());
}

MapLegendWords legend_words(const MapGroups& groups) {
  std::vector<bool> is_shown(groups.names.size(), false);
  MapLegendWords words;
  for (const std::int64_t g : groups.of) {
    if (g >= 0) is_shown[static_cast<std::size_t>(g)] = true;
    words.has_none = words.has_none || g < 0;
  }
  const auto there = std::count(is_shown.begin(), is_shown.end(), true);
  for (std::size_t g = 0; g < is_shown.size() && std::ssize(words.shown) < max_legend_names; ++g) {
    if (is_shown[g]) words.shown.push_back(static_cast<std::int64_t>(g));
  }
  const std::int64_t more = there - std::ssize(words.shown), absent = std::ssize(is_shown) - there;
  if (more > 0) words.remark = fmt::format("{} more", more);
  if (absent > 0) {
    words.remark += fmt::format(
        "{}{} other{} on no neuron", more > 0 ? ", " : "", absent, absent == 1 ? "" : "s");
  }
  return words;
}

MapLegend::MapLegend(Pen& pen, const MapReport& report, double width) : width_(width) {
  for (const MapGroups& groups : report.groups) {
    const MapLegendWords words = legend_words(groups);
    add(pen, Kind::heading, groups.name, ink);
    for (const std::int64_t g : words.shown) {
      add(pen, Kind::name, groups.names[static_cast<std::size_t>(g)], map_group_color(g));
    }
    if (words.has_none) add(pen, Kind::name, "no sample", map_absent);
    if (!words.remark.empty()) add(pen, Kind::remark, words.remark, muted);
  }
}

void MapLegend::add(Pen& pen, Kind kind, const std::string& text, const Color& color) {
  const bool heading = kind == Kind::heading;
  use_font(pen, heading);
  const std::string name = valid_utf8(text);
  const double wide = pen.width_of(name) + (kind == Kind::name ? after_swatch : 0) + space_after;
  if (heading || (x_ > 0 && x_ + wide - space_after > width_)) {
    height_ += heading ? line_height + 6 : line_height;
    x_ = 0;
  }
  entries_.push_back({kind, name, color, x_, height_});
  x_ += wide;
}

void MapLegend::draw(Pen& pen, double left, double top) const {
  for (const Entry& entry : entries_) {
    const double x = left + entry.x, y = top + entry.y;
    const double before = entry.kind == Kind::name ? after_swatch : 0;
    pen.color(entry.color);
    if (entry.kind == Kind::name) {
      pen.fill({x, y - swatch + 1, swatch, swatch});
      pen.color(ink);
    }
    use_font(pen, entry.kind == Kind::heading);
    pen.text(entry.text, x + before, y, Align::left, width_ - entry.x - before);
  }
}

}  // namespace yupana::report
