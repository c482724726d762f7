#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yupana::io {

/// What parsing a document takes, found without parsing it.
struct JsonShape {
  std::uint64_t numbers = 0;  ///< values after the first of lists and objects
  std::uint64_t largest = 0;  ///< those of the object that has most, without the objects in it
};

/// The shape of a document that may be parsed. bad_input where brackets are nested deeply, which
/// the JSON library's copies follow on the stack, or an object has many members, each of which it
/// compares with all before it.
JsonShape checked_json(const std::string& path, std::string_view text);

}  // namespace yupana::io
