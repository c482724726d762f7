#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "yupana/core/error.hpp"

/// Errors made of a format and its arguments: usage_error("--rows: expected {}, got {}", a, b).
namespace yupana {

/// A format, checked when it is compiled, and where it is written.
template <class... Args>
struct MessageFormat {
  template <class Text>
  consteval MessageFormat(const Text& text, Place here = Place::here())
      : format(text), place(here) {}
  std::string text(const Args&... args) const {
    return fmt::vformat(format, fmt::make_format_args(args...));
  }

  fmt::format_string<Args...> format;
  Place place;
};
template <class... Args>
using Message = MessageFormat<std::type_identity_t<Args>...>;

template <class... Args>
Error usage_error(Message<Args...> message, const Args&... args) {
  return Error(ErrorCode::usage, message.text(args...), message.place);
}
template <class... Args>
Error input_error(Message<Args...> message, const Args&... args) {
  return Error(ErrorCode::bad_input, message.text(args...), message.place);
}
template <class... Args>
Error resource_error(Message<Args...> message, const Args&... args) {
  return Error(ErrorCode::out_of_resources, message.text(args...), message.place);
}

template <class First, class... Args>
Error bad_file(std::string_view path,
               Message<First, Args...> message,
               const First& first,
               const Args&... args) {
  return bad_file(path, message.text(first, args...), message.place);
}
template <class First, class... Args>
Error bad_line(std::string_view path,
               std::int64_t line,
               Message<First, Args...> message,
               const First& first,
               const Args&... args) {
  return bad_line(path, line, message.text(first, args...), message.place);
}

/// "1 row", "2 rows"; "1 entry", "2 entries" with the plural given.
inline std::string counted(std::int64_t count, std::string_view one, std::string_view many = {}) {
  if (count == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace yupana
