#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/record_reader.hpp"
#include "yupana/job/arrays.hpp"

namespace yupana::job {

/// descending: keys without a and d; unique: of rows whose keys are equal; positions: from 0, after
/// the names.
struct SortRowsParams : SortFileParams {
  /// Columns, the most significant first: a number from 1 or a name of the first row, then, after
  /// a colon, n (by number) or t (by text) and a (ascending) or d (descending): "2", "age:nd".
  std::vector<std::string> keys = {};
  bool numeric = false;   ///< keys without n and t are numbers
  bool header = false;    ///< the first row is names and stays first; also where a key is a name
  bool quotes = true;     ///< a cell that begins with a quote ends with one
  char delimiter = '\0';  ///< '\0': the one of the first row; ' ': runs of blanks and tabs
};

/// Sorts the rows of a table of text by columns; rows whose keys are equal keep their order. Texts
/// are compared byte by byte, without their quotes; numbers as doubles, -0 and +0 being equal, NaN
/// and empty cells last whether they ascend or descend. A row is written as it was read. Rows that
/// exceed the context's memory are sorted in runs that fit, which wait in a file without a name in
/// the output's folder and are merged from there.
///   work: n log n comparisons of keys; memory: a row, its keys and 56 bytes for each, up to the
///   context's
///   determinism: the same bytes for any device, threads and memory
///   errors (bad_input): what io::RecordReader refuses; a row without a key's column, a key that
///   is no number or an integer that no double equals, naming file and line; a name that the first
///   row does not have once. usage: a key that is written otherwise. out_of_resources: memory for
///   less than a row, or for less than a piece of every run
ArrayFileResult sort_rows(Context& context, const SortRowsParams& params);

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
