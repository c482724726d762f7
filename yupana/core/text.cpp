#include "yupana/core/text.hpp"

#include <fmt/format.h>

#include <array>

namespace yupana {

namespace {

/// A character of UTF-8: its bytes (0: none) and its number.
struct Character {
  std::size_t size = 0;
  char32_t code = 0;
};

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {1, byte(0)};
  if (byte(0) < 0xc2 || byte(0) > 0xf4) return {};
  const std::size_t size = byte(0) < 0xe0 ? 2 : (byte(0) < 0xf0 ? 3 : 4);
  if (text.size() < size) return {};
  char32_t code = byte(0) & (0x7fU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> least = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = 0xd800 <= code && code <= 0xdfff;
  if (code < least[size] || code > 0x10ffff || surrogate) return {};
  return {size, code};
}

}  // namespace

std::size_t shown_character(std::string_view text) {
  const auto [size, code] = first_character(text);
  const auto within = [&, code = code](char32_t first, char32_t last) {
    return first <= code && code <= last;
  };
  const bool hidden = within(0, 0x1f) || within(0x7f, 0x9f) || code == 0xad ||
                      within(0x200b, 0x200f) || within(0x2028, 0x202e) || within(0x2060, 0x206f) ||
                      code == 0xfeff || within(0xe0000, 0xe0fff);
  return hidden ? 0 : size;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = first_character(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
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

void append_formatted_arguments(std::string& to, fmt::string_view format, fmt::format_args args) {
  fmt::memory_buffer text;  // on the stack; a string would be cleared before each part of it
  fmt::vformat_to(fmt::appender(text), format, args);
  to.append(text.data(), text.size());
}

}  // namespace yupana
