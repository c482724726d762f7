#pragma once

#include <algorithm>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {

/// Throws bad_input for a line with a NUL byte: a binary file, or text in UTF-16.
inline void refuse_null_bytes(const LineReader& reader, std::string_view line) {
  if (line.find('\0') == line.npos) return;
  throw reader.fault("expected text, got a NUL byte; is the file binary, damaged or in UTF-16?");
}

/// Throws bad_input where a line of `columns` columns between tabs has a blank inside one of those
/// up to `last`, the last one that is read: PLINK's files are cut at blanks too, and the columns
/// after it would be others.
inline void refuse_inner_blank(const LineReader& reader,
                               std::string_view line,
                               std::string_view last,
                               std::size_t columns,
                               std::size_t separators) {
  const auto tabs = [](std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t'));
  };
  const auto end = static_cast<std::size_t>(last.data() + last.size() - line.data());
  if (tabs(line.substr(0, end)) >= separators || tabs(line) + 1 < columns) return;
  throw reader.fault(
      "has a blank inside a column between tabs, and PLINK's files are cut at blanks too; write "
      "'_' there");
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
    if (count == 6) refuse_inner_blank(reader, line, fields[5], 6, 5);
  }
  if (count == 0 || count == 6) return count == 6;
  throw reader.fault("expected 6 columns ({}), got {}", columns, count);
}

}  // namespace yupana::io
