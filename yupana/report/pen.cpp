#include "yupana/report/pen.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string_view>

#include "yupana/core/messages.hpp"

namespace yupana::report {
namespace {

/// Cuts whole UTF-8 characters off the end.
std::string without_end(std::string text) {
  while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
  return text;
}

/// As fontconfig's own, for where the system has none.
constexpr const char* fallback =
    "<fontconfig><dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir>"
    "<dir prefix=\"xdg\">fonts</dir><cachedir>/var/cache/fontconfig</cachedir>"
    "<cachedir prefix=\"xdg\">fontconfig</cachedir>"
    "<include ignore_missing=\"yes\">/etc/fonts/conf.d</include></fontconfig>";

/// Whether any file of configuration was read: without one, parsing succeeds as well.
bool has_files(FcConfig* config) {
  const std::unique_ptr<FcStrList, decltype(&FcStrListDone)> files(FcConfigGetConfigFiles(config),
                                                                   FcStrListDone);
  return files && FcStrListNext(files.get()) != nullptr;
}

/// A configuration that is there stays as the process has it, with fonts that others added.
bool load_fallback() {
  const std::unique_ptr<FcConfig, decltype(&FcConfigDestroy)> config(FcConfigCreate(),
                                                                     FcConfigDestroy);
  if (!config) return false;
  FcConfigParseAndLoad(config.get(), nullptr, FcFalse);
  if (has_files(config.get())) return false;
  const auto* const text = reinterpret_cast<const FcChar8*>(fallback);
  FcConfigParseAndLoadFromMemory(config.get(), text, FcFalse);
  return FcConfigSetCurrent(config.get()) != FcFalse;  // it keeps a reference
}

/// Before the first letter is drawn: where the system has no configuration of fonts, the usual
/// folders take its place without a word. fontconfig itself would print an error.
void find_fonts() { [[maybe_unused]] static const bool is_fallback = load_fallback(); }

void expect(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw resource_error("report: cannot draw: {}", cairo_status_to_string(status));
}

/// Takes what cairo writes. C code calls it, so nothing may be thrown here.
cairo_status_t append(void* text, const unsigned char* data, unsigned int bytes) noexcept {
  try {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), bytes);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::exception&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

/// cairo numbers its surfaces and images over the life of the process and writes the numbers
/// ("surface17", "image18") into the file. Counted anew here, so that a report gives the same bytes
/// whenever it is drawn.
std::string with_own_numbers(const std::string& svg, std::string_view word) {
  const auto is_name = [&](std::size_t at) { return svg[at - 1] == '"' || svg[at - 1] == '#'; };
  std::map<std::string, std::size_t> numbers;
  std::string out;
  out.reserve(svg.size());
  for (std::size_t from = 0;;) {
    const std::size_t at = svg.find(word, from);
    if (at == std::string::npos) return out.append(svg, from);
    const std::size_t digits = at + word.size();
    const std::size_t end = std::min(svg.find_first_not_of("0123456789", digits), svg.size());
    out.append(svg, from, digits - from);
    // After another character it is a chance word of an image in base64.
    if (end > digits && is_name(at)) {
      const std::string number = svg.substr(digits, end - digits);
      out += std::to_string(numbers.try_emplace(number, numbers.size() + 1).first->second);
    } else {
      out.append(svg, digits, end - digits);
    }
    from = end;
  }
}

/// CRC-32 of a PNG chunk (ISO 3309), bit by bit: chunks made here are short.
std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

/// Puts the chunk pHYs, pixels a metre on both axes, after the first chunk of a PNG.
std::string with_resolution(std::string png, double pixels_per_inch) {
  constexpr std::size_t signature_and_header = 8 + 25;
  const std::string metre = big_endian(static_cast<std::uint32_t>(pixels_per_inch / 0.0254 + 0.5));
  const std::string chunk = "pHYs" + metre + metre + '\1';
  png.insert(signature_and_header, big_endian(9) + chunk + big_endian(crc_of(chunk)));
  return png;
}

std::string pdf_of(double width, double height, const Drawing& draw) {
  std::string pdf;
  const Surface surface(cairo_pdf_surface_create_for_stream(append, &pdf, width, height),
                        cairo_surface_destroy);
  // The time of writing would make other bytes each time.
  cairo_pdf_surface_set_metadata(
      surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
  draw(surface.get());
  cairo_surface_finish(surface.get());
  expect(cairo_surface_status(surface.get()));
  return pdf;
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

std::string svg_of(double width, double height, const Drawing& draw) {
  std::string svg;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &svg, width, height),
                        cairo_surface_destroy);
  draw(surface.get());
  cairo_surface_finish(surface.get());
  expect(cairo_surface_status(surface.get()));
  return with_own_numbers(with_own_numbers(svg, "surface"), "image");
}

std::string png_of(cairo_surface_t* image) {
  std::string png;
  expect(cairo_surface_status(image));
  expect(cairo_surface_write_to_png_stream(image, append, &png));
  return png;
}

std::string png_of(double width, double height, double scale, const Drawing& draw) {
  // A length that is a whole number of pixels but for rounding takes that number.
  const auto pixels = [&](double points) {
    return static_cast<int>(std::ceil(points * scale - 1e-6));
  };
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels(width), pixels(height)),
      cairo_surface_destroy);
  expect(cairo_surface_status(surface.get()));
  cairo_surface_set_device_scale(surface.get(), scale, scale);
  draw(surface.get());
  return with_resolution(png_of(surface.get()), 72 * scale);
}

std::string picture_of(PictureFormat format, double width, double height, const Drawing& draw) {
  constexpr double pixels_per_inch = 300, points_per_inch = 72;
  if (format == PictureFormat::svg) return svg_of(width, height, draw);
  if (format == PictureFormat::pdf) return pdf_of(width, height, draw);
  return png_of(width, height, pixels_per_inch / points_per_inch, draw);
}

}  // namespace yupana::report
