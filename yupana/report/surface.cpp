#include "yupana/report/surface.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <string_view>

#include "yupana/core/messages.hpp"

namespace yupana::report {
namespace {

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
/// ("surface17", "image18"; cairo 1.18: "source-17") into the file. Counted anew here, so that a
/// report gives the same bytes whenever it is drawn.
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

std::string svg_of(double width, double height, const Drawing& draw) {
  std::string svg;
  const Surface surface(cairo_svg_surface_create_for_stream(append, &svg, width, height),
                        cairo_surface_destroy);
  // Points were its own unit before cairo 1.18.
  cairo_svg_surface_set_document_unit(surface.get(), CAIRO_SVG_UNIT_PT);
  draw(surface.get());
  cairo_surface_finish(surface.get());
  expect(cairo_surface_status(surface.get()));
  for (const char* word : {"surface", "image", "source-"}) svg = with_own_numbers(svg, word);
  return svg;
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
