#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "yupana/core/error.hpp"
#include "yupana/report/check.hpp"
#include "yupana/report/figure.hpp"
#include "yupana/report/report.hpp"

namespace yupana::report {
namespace {

using Surface = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

void expect(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(ErrorCode::out_of_resources,
              fmt::format("report: cannot draw: {}", cairo_status_to_string(status)));
}

/// Takes what cairo writes. C code stands between the two ends, so nothing may be thrown here.
cairo_status_t append(void* text, const unsigned char* data, unsigned int bytes) noexcept {
  try {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), bytes);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::exception&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

/// cairo numbers its surfaces over the life of the process and writes the numbers ("surface17")
/// into the file. Counted anew here, so that a report gives the same bytes whenever it is drawn.
std::string with_own_numbers(const std::string& svg) {
  constexpr std::string_view word = "surface";
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
    // Behind another character it is a chance word of an image in base64.
    if (end > digits && is_name(at)) {
      const std::string number = svg.substr(digits, end - digits);
      out += std::to_string(numbers.try_emplace(number, numbers.size() + 1).first->second);
    } else {
      out.append(svg, digits, end - digits);
    }
    from = end;
  }
}

}  // namespace

void write_svg(AtomicFile& file, const Report& report) {
  check(report);
  std::string svg;
  const bool many = static_cast<std::int64_t>(report.individuals.size()) > svg_outlines_limit;
  {
    const Surface surface(
        cairo_svg_surface_create_for_stream(append, &svg, figure_width, figure_height),
        cairo_surface_destroy);
    draw_figure(surface.get(), report, many);
    cairo_surface_finish(surface.get());
    expect(cairo_surface_status(surface.get()));
  }
  file.write(with_own_numbers(svg));
}

void write_png(AtomicFile& file, const Report& report) {
  check(report);
  std::string png;
  const Surface surface(
      cairo_image_surface_create(
          CAIRO_FORMAT_RGB24, static_cast<int>(figure_width), static_cast<int>(figure_height)),
      cairo_surface_destroy);
  draw_figure(surface.get(), report, false);
  expect(cairo_surface_status(surface.get()));
  expect(cairo_surface_write_to_png_stream(surface.get(), append, &png));
  file.write(png);
}

}  // namespace yupana::report
