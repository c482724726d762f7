#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/io/input_file.hpp"

namespace yupana::io {

/// A field of the records of a .npy file.
struct RecordField {
  std::string name;
  /// NumPy's letter of one value: b, i, u, f, c, S, U, V, M or m; '\0' of several values and of
  /// records in the record.
  char kind = '\0';
  std::int64_t width = 0;  ///< bytes of the whole field
  bool swapped = false;    ///< big endian
  std::int64_t offset = 0;
};

/// The records of a .npy file with a structured type, one after the other.
///   errors (bad_input): a type that cannot be read, values of Python (O), more than one dimension,
///   a size that is not the header's
class NpyRecords {
 public:
  explicit NpyRecords(std::string path);

  const std::string& path() const { return file_.path(); }
  const std::vector<RecordField>& fields() const { return fields_; }
  std::int64_t count() const { return count_; }
  /// Bytes of a record.
  std::int64_t width() const { return width_; }

  /// The next record; false after the last. Valid until the next call.
  bool next(std::string_view& record);
  /// The header of so many of these records, of the same size for every count.
  std::string preamble(std::int64_t count) const;

 private:
  InputFile file_;
  std::vector<RecordField> fields_;
  std::string description_;  ///< as the header has it
  int version_ = 1;
  std::int64_t width_ = 0, count_ = 0, data_ = 0;
  std::int64_t done_ = 0, begin_ = 0, end_ = 0;  ///< records read, and those in the buffer
  std::vector<char> buffer_;
};

/// Whether a file is .npy of a structured type.
bool has_records(const std::string& path);

}  // namespace yupana::io
