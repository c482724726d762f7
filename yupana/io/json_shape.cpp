#include "yupana/io/json_shape.hpp"

#include <algorithm>
#include <array>

#include "yupana/core/messages.hpp"

namespace yupana::io {

JsonShape checked_json(const std::string& path, std::string_view text) {
  constexpr std::size_t most_depth = 32;
  constexpr std::int64_t most_members = 1000;
  JsonShape shape;
  std::uint64_t own = 0;
  std::size_t depth = 0;
  std::array<std::int64_t, most_depth + 1> members{};  // of each open object; -1: a list
  members[0] = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\';
        break;
      case '{':
        own = 0;
        [[fallthrough]];
      case '[':
        if (depth == most_depth) {
          throw bad_file(path,
                         "expected brackets nested at most {} deep, got more; is it damaged?",
                         most_depth);
        }
        members[++depth] = text[i] == '{' ? 1 : -1;
        break;
      case '}':
      case ']':
        depth -= depth > 0;
        break;
      case ',':
        ++shape.numbers;
        shape.largest = std::max(shape.largest, ++own);
        if (members[depth] < 0 || ++members[depth] <= most_members) break;
        throw bad_file(path,
                       "expected objects of at most {} members, got one of more; is it damaged?",
                       most_members);
    }
  }
  return shape;
}

}  // namespace yupana::io
