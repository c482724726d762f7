#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/io/text_stream.hpp"

namespace yupana::io {

/// The lines of a text file one by one, plain or gzip; the file need not fit in memory. Line ends
/// are \n or \r\n, the last may be missing. Errors (bad_input) name the file.
class LineReader {
 public:
  explicit LineReader(std::string path);

  /// The next line without its end; false after the last. Valid until the next call.
  bool next(std::string_view& line);
  /// Number of the line next() gave last, from 1.
  std::int64_t number() const { return number_; }
  const std::string& path() const { return file_.path(); }

 private:
  bool refill();

  TextStream file_;
  std::size_t piece_;  ///< bytes read at a time
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< of the text not handed out yet
  std::size_t end_ = 0;
  bool ended_ = false;
  std::int64_t number_ = 0;
};

/// Cuts a line at blanks and tabs into at most `most` fields, the rest ignored; runs of blanks
/// count as one. Returns how many there are.
std::size_t split_fields(std::string_view line, std::string_view* fields, std::size_t most);

}  // namespace yupana::io
