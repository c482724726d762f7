#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace yupana::report {

enum class PictureFormat : std::uint8_t { svg, pdf, png };
inline constexpr const char* picture_endings[] = {".svg", ".pdf", ".png"};  ///< by PictureFormat

/// One for each PictureFormat.
using PictureFormats = std::array<bool, 3>;

/// Those named "svg", "pdf" and "png".
///   errors: usage for another name
PictureFormats formats_named(const std::vector<std::string>& names);

inline constexpr double smallest_figure_width = 60, largest_figure_width = 1000;  ///< millimetres

/// How a run's figures become files.
struct PictureParams {
  double width = 0;             ///< as Report::figure_width
  PictureFormats figures = {};  ///< of each figure by itself
};

}  // namespace yupana::report
