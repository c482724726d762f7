#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "yupana/report/covariate.hpp"
#include "yupana/report/figures.hpp"
#include "yupana/report/scale_bar.hpp"
#include "yupana/report/surface.hpp"

namespace yupana::report {
namespace {

constexpr Color absent = {216, 214, 208};  ///< cells without a value
constexpr double bar_room = 76;            ///< right of the cells
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
      const Color color = std::isfinite(value) ? map_color(part) : absent;
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
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      });
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
