#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace yupana::io {

/// The bytes of a file or pipe from its beginning on, decompressed where it is gzip or Zstandard:
/// the texts of all its members (BGZF has many) or frames, one after the other. Zeros after the
/// last member, as tapes have them, are left out. Errors (bad_input) name the file: not there,
/// cannot be read, shorter than it was when it was opened, or compressed and cut short, damaged
/// (checksums are compared) or followed by something else.
class TextStream {
 public:
  explicit TextStream(std::string path);
  ~TextStream();
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  const std::string& path() const { return path_; }
  /// The next bytes, at least one and at most `most`, of which the first call needs four; 0
  /// after the last.
  std::int64_t read(char* to, std::int64_t most);

 private:
  class Decoder;
  class Gzip;
  class Zstd;

  std::int64_t read_file(char* to, std::int64_t most);

  std::string path_;
  int file_ = -1;
  std::int64_t size_ = 0;  ///< of a regular file, in bytes, when it was opened
  bool begun_ = false;
  std::unique_ptr<Decoder> decoder_;
};

/// A line of no regular file that holds a chromosome, or the calls of many samples.
constexpr std::int64_t longest_sequence = std::int64_t{1} << 30;

/// Bytes that a line of a file, or what comes before a VCF's first record, may take: 64 times the
/// file's and at least 64 MiB, so that a few compressed bytes do not fill the memory; `of_pipe` of
/// what is no regular file.
std::int64_t most_line_bytes(const std::string& path, std::int64_t of_pipe = longest_sequence);

/// bad_input for a file that is no text of lines, known by its first bytes or its first line: a
/// NumPy array, archives (.zip, .tar), bzip2, xz, Parquet, HDF5, UTF-16, lines that end with \r
/// alone.
void check_is_text(const std::string& path, std::string_view beginning);

}  // namespace yupana::io
