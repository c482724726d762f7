#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace yupana {

/// Bytes of the UTF-8 character at the front of `text`, if it can be shown: neither a control nor
/// one that has no width or turns the direction of what follows; otherwise 0.
std::size_t shown_character(std::string_view text);

/// Whether every byte of the text belongs to a character of UTF-8, which is what JSON can hold.
bool is_utf8(std::string_view text);

/// The text with every byte that belongs to no such character as \xNN: one line of valid UTF-8 that
/// commands no terminal and hides nothing. What the program and the Python package say of an error
/// goes through here, since it quotes names and bytes of files.
std::string escaped(std::string_view text);

/// Texts or numbers, as {} of fmt has them, with `separator` between them. With fmt::join each
/// source that formats compiles 0.7 s longer, for it instantiates formatters.
template <class List>
std::string joined(const List& list, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& item : list) {
    if (!first) text += separator;
    first = false;
    using Item = std::remove_cvref_t<decltype(item)>;
    if constexpr (std::is_arithmetic_v<Item>) {
      text += fmt::format("{}", item);
    } else {
      static_assert(std::convertible_to<Item, std::string_view>);  // += takes any number for a char
      text += item;
    }
  }
  return text;
}

/// What fmt::format_to appends to a text, but compiled once: each source that calls fmt::format_to
/// compiles all of fmt anew, 2.8 s.
void append_formatted_arguments(std::string& to, fmt::string_view format, fmt::format_args args);
template <class... Args>
void append_formatted(std::string& to, fmt::format_string<Args...> format, Args&&... args) {
  append_formatted_arguments(to, format, fmt::make_format_args(args...));
}

}  // namespace yupana
