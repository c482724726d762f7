#pragma once

#include <cairo.h>

#include <functional>
#include <memory>
#include <string>

#include "yupana/report/report.hpp"
#include "yupana/report/style.hpp"

namespace yupana::report {

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

enum class Align { left, center, right };

/// A cairo context with the few strokes the pictures need. Throws where cairo refuses.
class Pen {
 public:
  explicit Pen(cairo_surface_t* surface);
  ~Pen();
  Pen(const Pen&) = delete;
  Pen& operator=(const Pen&) = delete;

  void color(const Color& color, double opacity = 1);
  void font(double size, bool bold = false);
  double width_of(const std::string& text);
  /// Writes on the base line (x, y); text wider than `room` loses its end.
  void text(const std::string& text, double x, double y, Align align, double room);
  /// The same, running upwards.
  void text_up(const std::string& text, double x, double y, Align align, double room);
  void fill(const Box& box);
  void stroke(const Box& box);
  void line(double x0, double y0, double x1, double y1);
  /// The marker of a class, of the area of a disc of that radius; no class without a style.
  void marker(const ClassStyle* style, double x, double y, double radius, double opacity);
  void clip(const Box& box);
  void unclip();

  cairo_t* get() { return cairo_; }

 private:
  cairo_t* cairo_;
};

/// Pictures of reports are drawn in units that make the smallest letters six points high.
inline constexpr double points_per_unit = 0.48;
inline constexpr double units_per_millimetre = 72 / 25.4 / points_per_unit;

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;
using Drawing = std::function<void(cairo_surface_t*)>;

/// Files of one drawing of width x height points, the same bytes whenever it is drawn. Throws
/// out_of_resources where cairo cannot.
std::string svg_of(double width, double height, const Drawing& draw);
/// `scale` pixels a point; the file says so (pHYs), so that it prints at the size of the SVG.
std::string png_of(double width, double height, double scale, const Drawing& draw);
/// A PNG has 300 pixels an inch.
std::string picture_of(PictureFormat format, double width, double height, const Drawing& draw);
/// An image surface as it is.
std::string png_of(cairo_surface_t* image);

}  // namespace yupana::report
