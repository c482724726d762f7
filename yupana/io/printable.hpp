#pragma once

#include <string>
#include <string_view>

namespace yupana::io {

/// Bytes of a file as a message may show them: at most 40, control bytes as '?', so that a message
/// stays one line and commands no terminal.
inline std::string printable(std::string_view bytes) {
  constexpr std::size_t most = 40;
  std::string text(bytes.substr(0, most));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return bytes.size() > most ? text + "..." : text;
}

}  // namespace yupana::io
