#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/escaped.hpp"

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

/// A text in UTF-8 of at most `letters` characters: the middle of a longer one is an ellipsis.
inline std::string without_middle(const std::string& text, std::size_t letters) {
  std::vector<std::size_t> begins;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) begins.push_back(i);
  }
  if (begins.size() <= letters) return text;
  const std::size_t last = letters / 2, first = letters - 1 - last;
  return text.substr(0, begins[first]) + "…" + text.substr(begins[begins.size() - last]);
}

}  // namespace yupana::io
