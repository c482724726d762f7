#pragma once

#include <cstdlib>
#include <string>

namespace yupana {

/// A path below the folder of real data: beside the checkout, or where the environment says, for
/// programs that run on another machine than the one that built them.
inline std::string shared_data(const std::string& path) {
  const char* const other = std::getenv("YUPANA_SHARED_DATA");
  return std::string(other != nullptr ? other : YUPANA_SHARED_DATA) + "/" + path;
}

}  // namespace yupana
