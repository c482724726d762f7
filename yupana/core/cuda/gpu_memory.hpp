#pragma once

#include <cstdint>
#include <string_view>

#include "yupana/core/error.hpp"

namespace yupana {

/// Of work that a GPU may not hold: "WHAT needs 3.2 GB of GPU memory, --gpu-memory allows ...".
Error gpu_memory_error(std::string_view what,
                       double needed,
                       std::uint64_t allowed,
                       Place place = Place::here());

}  // namespace yupana
