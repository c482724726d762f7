#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/io/record_reader.hpp"
#include "yupana/job/sort_rows.hpp"

namespace yupana::job {

/// Makes of each row the bytes by which it is sorted: compared as unsigned bytes they have the
/// order of the keys, one after the other.
///   text     its bytes, 00 as 00 01, then 00 00; all inverted to descend
///   number   8 bytes, the most significant first: a double's bits in the order of numbers,
///            inverted to descend; ff... for NaN and empty cells
class RowKeys {
 public:
  explicit RowKeys(const SortRowsParams& params);

  /// Whether a key is a name, so that the first row is one of names.
  bool has_names() const;
  /// Finds the columns of names.
  void find_names(io::RecordReader& reader, std::string_view names);
  /// Appends the key of the row that the reader gave last.
  void append(io::RecordReader& reader, std::string_view row, std::string& key) const;

 private:
  struct Key {
    std::string name;  ///< as given, without what follows the colon
    std::int64_t column = -1;
    bool numeric = false, descending = false;
  };
  std::vector<Key> keys_;
};

}  // namespace yupana::job
