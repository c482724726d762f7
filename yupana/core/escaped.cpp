#include "yupana/core/escaped.hpp"

#include <array>

namespace yupana {

std::size_t shown_character(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return byte(0) < 0x20 || byte(0) == 0x7f ? 0 : 1;
  if (byte(0) < 0xc2 || byte(0) > 0xf4) return 0;
  const std::size_t size = byte(0) < 0xe0 ? 2 : (byte(0) < 0xf0 ? 3 : 4);
  if (text.size() < size) return 0;
  char32_t code = byte(0) & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const auto within = [&](char32_t first, char32_t last) { return first <= code && code <= last; };
  const bool valid = code >= least[size] && code <= 0x10ffff && !within(0xd800, 0xdfff);
  const bool hidden = within(0x80, 0x9f) || code == 0xad || within(0x200b, 0x200f) ||
                      within(0x2028, 0x202e) || within(0x2060, 0x206f) || code == 0xfeff ||
                      within(0xe0000, 0xe0fff);
  return valid && !hidden ? size : 0;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = shown_character(text);
    if (size > 0) {
      shown += text.substr(0, size);
    } else {
      const auto byte = static_cast<unsigned char>(text[0]);
      shown += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
    text.remove_prefix(size > 0 ? size : 1);
  }
  return shown;
}

}  // namespace yupana
