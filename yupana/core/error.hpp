#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace yupana {

std::string escaped(std::string_view text);  // text.hpp

/// Error category: who can fix it. The values are the program's exit statuses.
enum class ErrorCode {
  usage = 2,             ///< an invalid call or command line
  bad_input = 3,         ///< an invalid file or array
  out_of_resources = 4,  ///< not enough memory or disk
  device = 5,            ///< a device is missing or failed
  interrupted = 130,     ///< the user cancelled
};

/// Where in yupana an error was raised.
struct Place {
  const char* file;
  int line;

  static constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// The one exception type. The message is one line: what was expected, what was found, what to do;
/// bytes of a file or name that would begin another or command a terminal are escaped.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, Place place = Place::here())
      : std::runtime_error(escaped(message)), code_(code), place_(place) {}

  ErrorCode code() const noexcept { return code_; }
  Place place() const noexcept { return place_; }

 private:
  ErrorCode code_;
  Place place_;
};

/// A file's fault: "PATH: what is wrong".
inline Error bad_file(std::string_view path, std::string_view what, Place place = Place::here()) {
  return Error(ErrorCode::bad_input, fmt::format("{}: {}", path, what), place);
}

/// A fault at a line of a text file (counted from 1): "PATH:LINE: what is wrong".
inline Error bad_line(std::string_view path,
                      std::int64_t line,
                      std::string_view what,
                      Place place = Place::here()) {
  return Error(ErrorCode::bad_input, fmt::format("{}:{}: {}", path, line, what), place);
}

}  // namespace yupana
