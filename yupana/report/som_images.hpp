#pragma once

#include <string>

#include "yupana/report/som_map.hpp"

namespace yupana::report {

/// The grid of images of write_map_images as a PNG file's bytes.
std::string map_images_png(const MapReport& report);

}  // namespace yupana::report
