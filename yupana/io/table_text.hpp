#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yupana/core/array.hpp"
#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// The text of a table in pieces of whole lines, which several threads take at the same time. A
/// plain file is read piece by piece, a gzip file is decompressed whole.
class TableText {
 public:
  static constexpr std::int64_t piece_bytes = std::int64_t{1} << 20;

  /// Throws bad_input for a file that is not there or damaged, out_of_resources beyond `most` bytes
  /// of decompressed text, unless there is a folder `scratch` to keep it in.
  TableText(const std::string& path, std::uint64_t most, const std::string& scratch = {});

  const std::string& path() const { return file_.path(); }
  std::int64_t size() const { return size_; }
  std::int64_t pieces() const { return (size_ + piece_bytes - 1) / piece_bytes; }
  /// The lines that begin in piece i, the last one whole, each ending with \n. They are in
  /// `buffer` or, of a gzip file, in this object.
  std::string_view piece(std::int64_t i, Array<char>& buffer) const;

 private:
  std::string_view piece_in_memory(std::int64_t i) const;
  void read(std::int64_t offset, char* to, std::int64_t bytes) const;

  InputFile file_;
  Array<char> text_;        ///< of a gzip file
  std::int64_t begin_ = 0;  ///< after a byte-order mark
  std::int64_t size_ = 0;
};

}  // namespace yupana::io
