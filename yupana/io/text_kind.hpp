#pragma once

#include <string>
#include <string_view>

namespace yupana::io {

/// bad_input for a file that is no text of lines, told by its first bytes or its first line: a
/// NumPy array, a zip archive (.npz, .xlsx), Parquet, UTF-16, lines that end with \r alone.
void check_is_text(const std::string& path, std::string_view beginning);

}  // namespace yupana::io
