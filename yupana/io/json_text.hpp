#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "yupana/core/error.hpp"

namespace yupana::io {

/// The document as text. JSON holds UTF-8 alone: bad_input for a name with other bytes. `path` is
/// the file that it is for.
inline std::string json_text(std::string_view path,
                             const nlohmann::ordered_json& json,
                             int indent = -1) {
  try {
    return json.dump(indent);
  } catch (const nlohmann::ordered_json::exception&) {
    throw bad_file(path,
                   "cannot hold a name whose bytes are no UTF-8 (of a column, a class, a category "
                   "or a file); convert the table first (iconv -f LATIN1 -t UTF-8)");
  }
}

}  // namespace yupana::io
