#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace yupana::io {

/// The whole numbers first, first + 1, ..., last.
struct NumberRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// "3" or "3-5", numbers from 1 that ascend; nothing for any other text, down to one character
/// after the last digit.
inline std::optional<NumberRange> number_range(std::string_view text) {
  const auto number = [](std::string_view digits, std::size_t& value) {
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    return stop == end && error == std::errc{} && value > 0;
  };
  const std::size_t dash = text.find('-');
  NumberRange range;
  if (!number(text.substr(0, dash), range.first)) return {};
  if (dash == std::string_view::npos) return NumberRange{range.first, range.first};
  if (!number(text.substr(dash + 1), range.last) || range.last < range.first) return {};
  return range;
}

}  // namespace yupana::io
