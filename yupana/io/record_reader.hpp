#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// The records of a table of text one by one, plain or compressed, of any length, byte for byte. A
/// record is a line, or several: a cell that begins with a quote ends at the next quote that is not
/// doubled, and may hold delimiters and line ends (RFC 4180). Without `quotes` a quote is a
/// character as others are. Delimiter: tab, comma, ... or ' ' for runs of blanks and tabs, where
/// quotes do not count.
///   errors (bad_input), naming file and line: what check_is_text refuses; a quote never closed.
///   out_of_resources: a record that is too long
class RecordReader {
 public:
  /// delimiter '\0': the one of the first record, see found_delimiter.
  /// max_bytes: a longer record is refused; an eighth of the memory.
  RecordReader(std::string path, char delimiter, bool quotes, std::uint64_t max_bytes);

  /// The next record without its end, "\n" or "\r\n"; false after the last. Valid until the next
  /// call.
  bool next(std::string_view& record);
  /// The record's end; where the last has none, that of the one before it, or "\n".
  std::string_view end_of_record() const { return end_of_record_; }
  /// Cell `column` (from 0) of the record that next() gave last, without its quotes; false where
  /// there are fewer. Valid until the next call.
  bool cell(std::string_view record, std::int64_t column, std::string_view& text);
  /// The line on which that record begins, from 1.
  std::int64_t line() const { return line_; }
  const std::string& path() const { return file_.path(); }

 private:
  bool refill();
  [[noreturn]] void refuse_row();
  void begin_file();
  std::size_t end_of(std::string_view text, std::size_t& cell) const;
  std::string_view unquoted(std::string_view cell, std::size_t end);

  TextStream file_;
  char delimiter_;
  bool quotes_;
  std::uint64_t max_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the text not handed out yet
  std::size_t end_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::string_view end_of_record_;
  std::string unquoted_;
};

}  // namespace yupana::io
