#include "cli/command_line.hpp"

#include <algorithm>
#include <string_view>

namespace yupana::cli {
namespace {

std::string line;

bool is_plain(char c) {
  constexpr std::string_view others = "_-./:,=+@%";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80 || others.find(c) != std::string_view::npos;
}

std::string quoted(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

void set_command_line(int count, const char* const* words) {
  line = "yupana";
  for (int k = 1; k < count; ++k) line += " " + quoted(words[k]);
}

const std::string& command_line() { return line; }

}  // namespace yupana::cli
