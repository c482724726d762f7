#pragma once

#include <array>
#include <cstdint>

namespace yupana::report {

enum class PictureFormat : std::uint8_t { svg, pdf, png };
inline constexpr const char* picture_endings[] = {".svg", ".pdf", ".png"};  ///< by PictureFormat

/// One for each PictureFormat.
using PictureFormats = std::array<bool, 3>;

/// How a run's figures become files.
struct PictureParams {
  double width = 0;             ///< as Report::figure_width
  PictureFormats figures = {};  ///< of each figure by itself
};

}  // namespace yupana::report
