#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace yupana::io {

/// The bytes of a file or pipe from its beginning on, decompressed where it is gzip: the texts of
/// all its members (BGZF has many), one after the other. Zeros after the last one, as tapes have
/// them, are left out. Errors (bad_input) name the file: not there, cannot be read,
/// shorter than it was when it was opened, or gzip that is cut short, damaged (each member's
/// checksum is compared) or followed by something else.
class TextStream {
 public:
  explicit TextStream(std::string path);
  ~TextStream();
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  const std::string& path() const { return path_; }
  /// The next bytes, at least one and at most `most`, of which the first call needs two; 0 after
  /// the last.
  std::int64_t read(char* to, std::int64_t most);

 private:
  class Gzip;

  std::int64_t read_file(char* to, std::int64_t most);

  std::string path_;
  int file_ = -1;
  std::int64_t size_ = 0;  ///< of a regular file, in bytes, when it was opened
  bool begun_ = false;
  std::unique_ptr<Gzip> gzip_;
};

/// bad_input for a file that is no text of lines, known by its first bytes or its first line: a
/// NumPy array, a zip archive (.npz, .xlsx), Parquet, UTF-16, lines that end with \r alone.
void check_is_text(const std::string& path, std::string_view beginning);

}  // namespace yupana::io
