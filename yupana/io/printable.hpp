#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "yupana/core/text.hpp"

namespace yupana::io {

/// Bytes of a file as a message may show them: escaped, the first 40 of them or the characters that
/// begin there.
inline std::string printable(std::string_view bytes) {
  constexpr std::size_t most = 40;
  std::size_t size = 0;
  while (size < std::min(most, bytes.size())) {
    size += std::max<std::size_t>(1, shown_character(bytes.substr(size)));
  }
  const std::string text = yupana::escaped(bytes.substr(0, size));
  return size < bytes.size() ? text + "..." : text;
}

}  // namespace yupana::io
