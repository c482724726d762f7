#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yupana/io/unpack.hpp"

namespace yupana::io {

/// What the elements of an array are.
enum class ZarrKind {
  integer,  ///< signed, of 1, 2, 4 or 8 bytes
  text,     ///< UTF-8 of any length, each after its length (vlen-utf8)
  bytes,    ///< text of `element` bytes, zeros after its end
  letters,  ///< text of UTF-32, zeros after its end
};

/// One array of a Zarr store (versions 2 and 3) in a folder: its description, and its chunks, each
/// a file.
class ZarrArray {
 public:
  /// The array `name` of the store at `store`.
  ///   errors: bad_input where it is not there, and for a description that is damaged or of a kind
  ///   that is not read: other types of elements, compressors or filters
  ZarrArray(const std::string& store, const std::string& name);
  static bool exists(const std::string& store, const std::string& name);

  const std::string& path() const { return path_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  const std::vector<std::int64_t>& chunk() const { return chunk_; }
  ZarrKind kind() const { return kind_; }
  std::int64_t element() const { return element_; }
  std::int64_t fill() const { return fill_; }
  /// Elements of a chunk; each has all of them, past the array's end too.
  std::int64_t chunk_elements() const;
  /// The elements of a chunk by its place among chunks, unpacked; false where it has no file, so
  /// that all are fill(). Safe from several threads.
  ///   errors: bad_input, naming the file, where it is damaged or of another size
  bool read(std::span<const std::int64_t> place, std::vector<std::uint8_t>& bytes) const;

 private:
  void read_second(const std::string& file);
  void read_third(const std::string& file);
  void check(const std::string& file) const;

  std::string path_;
  std::vector<std::int64_t> shape_, chunk_;
  ZarrKind kind_ = ZarrKind::integer;
  std::int64_t element_ = 1;
  std::int64_t fill_ = 0;
  Packing packing_ = Packing::none;
  std::string prefix_;           ///< before the numbers of a chunk's file
  std::string separator_ = ".";  ///< between them
};

/// The rows of an array of one or two dimensions, read a chunk of them at a time.
class ZarrColumn {
 public:
  /// `rows`: that it must have; -1: any.
  ///   errors: bad_input for an array of another form, of texts where integers are wanted or the
  ///   reverse
  ZarrColumn(const std::string& store, const std::string& name, bool is_text, std::int64_t rows);

  const ZarrArray& array() const { return array_; }
  std::int64_t rows() const { return array_.shape()[0]; }
  /// Of a row of one integer.
  std::int64_t number(std::int64_t row);
  /// Of a row of one text, or of several; valid until the next call.
  const std::string& text(std::int64_t row) { return texts(row)[0]; }
  std::span<const std::string> texts(std::int64_t row);

 private:
  void load(std::int64_t chunk);
  void take_numbers(const std::vector<std::uint8_t>& bytes);
  void take_texts(const std::vector<std::uint8_t>& bytes);

  ZarrArray array_;
  std::int64_t width_ = 1;             ///< elements of a row
  std::int64_t loaded_ = -1;           ///< chunk in memory
  std::vector<std::int64_t> numbers_;  ///< empty where the chunk has no file
  std::vector<std::string> texts_;     ///< one row then, of empty ones
};

}  // namespace yupana::io
