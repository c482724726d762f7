#pragma once

#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {

/// Throws bad_input for a line with a NUL byte: a binary file, or text in UTF-16.
inline void refuse_null_bytes(const LineReader& reader, std::string_view line) {
  if (line.find('\0') == line.npos) return;
  throw reader.fault("expected text, got a NUL byte; is the file binary, damaged or in UTF-16?");
}

/// The six columns of the next line of a .bim or .fam that is not blank; false after the last.
/// bad_input, naming the `columns`, where there are fewer, and for a NUL byte; more columns are
/// ignored.
inline bool next_plink_line(LineReader& reader,
                            std::string_view (&fields)[6],
                            std::string_view columns) {
  std::size_t count = 0;
  for (std::string_view line; count == 0 && reader.next(line);) {
    refuse_null_bytes(reader, line);
    count = split_fields(line, fields, 6);
  }
  if (count == 0 || count == 6) return count == 6;
  throw reader.fault("expected 6 columns ({}), got {}", columns, count);
}

}  // namespace yupana::io
