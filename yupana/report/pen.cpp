#include "yupana/report/pen.hpp"

#include <algorithm>
#include <memory>

#include "yupana/core/messages.hpp"
#include "yupana/report/fonts.hpp"

namespace yupana::report {
namespace {

/// Cuts whole UTF-8 characters off the end.
std::string without_end(std::string text) {
  while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace

Pen::Pen(cairo_surface_t* surface) : cairo_(cairo_create(surface)) {
  if (const cairo_status_t status = cairo_status(cairo_); status != CAIRO_STATUS_SUCCESS) {
    cairo_destroy(cairo_);
    throw resource_error("report: cannot draw: {}", cairo_status_to_string(status));
  }
  find_fonts();
  // By default letters are fitted to pixels or not as the first picture of the process had them.
  const std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)> letters(
      cairo_font_options_create(), cairo_font_options_destroy);
  cairo_font_options_set_antialias(letters.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(letters.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(letters.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo_, letters.get());
}

Pen::~Pen() { cairo_destroy(cairo_); }

void Pen::color(const Color& color, double opacity) {
  cairo_set_source_rgba(
      cairo_, color.red / 255.0, color.green / 255.0, color.blue / 255.0, opacity);
}

void Pen::font(double size, bool bold) {
  cairo_select_font_face(cairo_,
                         "DejaVu Sans",
                         CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_, size);
}

double Pen::width_of(const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_, text.c_str(), &extents);
  return extents.x_advance;
}

void Pen::text(const std::string& text, double x, double y, Align align, double room) {
  // No line of the picture holds as many as 1,000 bytes; the rest need not be measured.
  std::string shown = text.substr(0, 1000);
  if (shown.size() < text.size()) shown = without_end(shown);
  if (width_of(shown) > room) {
    while (!shown.empty() && width_of(shown + "…") > room) shown = without_end(shown);
    shown += "…";
  }
  const double width = width_of(shown);
  const double shift = align == Align::left ? 0 : align == Align::center ? width / 2 : width;
  cairo_move_to(cairo_, x - shift, y);
  cairo_show_text(cairo_, shown.c_str());
}

void Pen::text_up(const std::string& words, double x, double y, Align align, double room) {
  cairo_save(cairo_);
  cairo_translate(cairo_, x, y);
  cairo_rotate(cairo_, -1.5707963267948966);
  text(words, 0, 0, align, room);
  cairo_restore(cairo_);
}

void Pen::fill(const Box& box) {
  cairo_rectangle(cairo_, box.left, box.top, box.width, box.height);
  cairo_fill(cairo_);
}

void Pen::stroke(const Box& box) {
  cairo_set_line_width(cairo_, 1);
  cairo_rectangle(cairo_, box.left, box.top, box.width, box.height);
  cairo_stroke(cairo_);
}

void Pen::line(double x0, double y0, double x1, double y1) {
  cairo_set_line_width(cairo_, 1);
  cairo_move_to(cairo_, x0, y0);
  cairo_line_to(cairo_, x1, y1);
  cairo_stroke(cairo_);
}

void Pen::marker(const ClassStyle* style, double x, double y, double radius, double opacity) {
  static const std::vector<Point> disc;
  const std::vector<Point>& outline =
      style ? marker_outlines()[static_cast<std::size_t>(style->shape)] : disc;
  const Color own = style ? color_of(style->color) : no_class_color;
  const bool hollow = style && style->hollow;
  if (hollow) radius *= 0.86;  // the line around it has width
  cairo_new_path(cairo_);      // writing text leaves a current point
  if (outline.empty()) cairo_arc(cairo_, x, y, radius, 0, 6.283185307179586);
  for (const Point& p : outline) cairo_line_to(cairo_, x + p.x * radius, y + p.y * radius);
  cairo_close_path(cairo_);
  color(hollow ? paper : own, opacity);
  cairo_fill_preserve(cairo_);
  color(hollow ? own : paper, opacity);
  cairo_set_line_width(cairo_, hollow ? std::max(1.0, 0.42 * radius) : 0.9);
  // The white rim that parts overlapping markers is lost on small ones, and costs half the time.
  if (hollow || radius > 3) cairo_stroke(cairo_);
  cairo_new_path(cairo_);
}

void Pen::clip(const Box& box) {
  cairo_save(cairo_);
  cairo_rectangle(cairo_, box.left, box.top, box.width, box.height);
  cairo_clip(cairo_);
}

void Pen::unclip() { cairo_restore(cairo_); }

}  // namespace yupana::report
