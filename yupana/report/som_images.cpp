#include <algorithm>
#include <cmath>

#include "yupana/core/messages.hpp"
#include "yupana/report/som_panel.hpp"
#include "yupana/report/surface.hpp"

namespace yupana::report {
namespace {

constexpr std::int64_t most_pixels = 32000;  // cairo ends at 32,767

}  // namespace

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

}  // namespace yupana::report
