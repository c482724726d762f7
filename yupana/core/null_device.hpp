#pragma once

#include <string_view>

namespace yupana {

inline constexpr std::string_view null_device = "/dev/null";

/// Whether a path is /dev/null, or a name that begins so, as /dev/null.json of a prefix: what an
/// AtomicFile writes there is lost.
constexpr bool is_discarded(std::string_view path) {
  return path == null_device || (path.starts_with(null_device) && path[null_device.size()] == '.');
}

}  // namespace yupana
