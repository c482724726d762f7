#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/messages.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// The lines of a text file one by one, plain or gzip; the file need not fit in memory. Line ends
/// are \n or \r\n, the last may be missing; a byte order mark is left out. Errors (bad_input) name
/// the file; a NumPy array or a zip archive is one.
class LineReader {
 public:
  /// `of_pipe`: bytes that a line of no regular file may take (most_line_bytes).
  explicit LineReader(std::string path, std::int64_t of_pipe = std::int64_t{64} << 20);

  /// The next line without its end; false after the last. Valid until the next call.
  bool next(std::string_view& line);
  /// Number of the line next() gave last, from 1.
  std::int64_t number() const { return number_; }
  const std::string& path() const { return file_.path(); }
  /// A fault at that line.
  template <class First, class... Args>
  Error fault(Message<First, Args...> what, const First& first, const Args&... args) const {
    return bad_line(path(), number_, what.text(first, args...), what.place);
  }
  Error fault(std::string_view what, Place place = Place::here()) const {
    return bad_line(path(), number_, what, place);
  }

 private:
  bool refill();
  void check_beginning(std::string_view& line) const;
  void check_long_line() const;

  TextStream file_;
  std::size_t piece_;  ///< bytes read at a time
  std::int64_t of_pipe_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the text not handed out yet
  std::size_t end_ = 0;
  bool ended_ = false;
  std::int64_t number_ = 0;
};

/// "PATH: 2 lines with # at the front, left out as comments"
std::string comments_note(const std::string& path, std::int64_t count, char comment = '#');

/// What a file with a number in each line may have in addition to them: remarks after # anywhere,
/// blank lines at the end. One before a number may mean a number that is missing: bad_input.
class LinesWithoutNumbers {
 public:
  /// True if the line that `reader` gave last is one.
  bool passed_over(const LineReader& reader, std::string_view line);
  /// How many remarks were passed over.
  std::int64_t comments() const { return comments_; }

 private:
  std::int64_t comments_ = 0;
  std::int64_t blank_ = 0;  ///< number of the first blank line; 0: none
};

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
