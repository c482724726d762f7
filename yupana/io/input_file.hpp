#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "yupana/core/array.hpp"
#include "yupana/core/messages.hpp"

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

/// A regular file open for reading at any place, from several threads. Errors (bad_input) name it.
class InputFile {
 public:
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }
  /// A fault of the file.
  template <class First, class... Args>
  Error fault(Message<First, Args...> what, const First& first, const Args&... args) const {
    return bad_file(path_, what.text(first, args...), what.place);
  }
  Error fault(std::string_view what, Place place = Place::here()) const {
    return bad_file(path_, what, place);
  }
  /// Exactly `bytes` from `offset` on; bad_input where the file ends before.
  void read_at(std::int64_t offset, void* data, std::size_t bytes) const;

 private:
  std::string path_;
  int file_ = -1;
  std::int64_t size_ = 0;
};

/// The first bytes of a file, at most `most`.
std::string head_of(const InputFile& file, std::int64_t most);
/// Whether a file begins as gzip.
bool is_gzip(const InputFile& file);
/// Whether it begins as gzip or Zstandard, which TextStream decompresses.
bool is_packed(const InputFile& file);

/// The bytes of a file, decompressed where it is packed; a byte after the last is zero. bad_input
/// for a damaged packed file, out_of_resources beyond `most` bytes; the text goes to a folder
/// `scratch` instead where there is one (ScratchScope).
Array<char> read_text(const InputFile& file, std::uint64_t most, const std::string& scratch = {});

/// read_text() with what is beyond `most` bytes in a temporary file, for a caller that then says
/// what its work takes; out_of_resources where there is no room for the file.
Array<char> read_text_for_refusal(const InputFile& file, std::uint64_t most);

/// What read_text() would hold of a packed file, counted and not kept; 0 of another.
double packed_text_bytes(const std::string& path);

}  // namespace yupana::io
