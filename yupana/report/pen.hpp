#pragma once

#include <cairo.h>

#include <string>

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

}  // namespace yupana::report
