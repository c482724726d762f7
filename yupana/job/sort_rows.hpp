#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/job/arrays.hpp"

namespace yupana::job {

/// descending: keys without a and d; unique: of rows whose keys are equal; positions: from 0, after
/// the names.
struct SortRowsParams : SortFileParams {
  /// Columns, the most significant first: a number from 1 or a name of the first row, then, after
  /// a colon, n (by number) or t (by text) and a (ascending) or d (descending): "2", "age:nd".
  std::vector<std::string> keys = {};
  bool numeric = false;   ///< keys without n and t are numbers
  bool text = false;      ///< they are texts, as without both
  bool header = false;    ///< the first row is names and stays first; also where a key is a name
  bool quotes = true;     ///< a cell that begins with a quote ends with one
  char delimiter = '\0';  ///< '\0': the one of the first row; ' ': runs of blanks and tabs
};

/// Sorts the rows of a table of text by columns, or the records of a .npy by fields; rows whose
/// keys are equal keep their order. Texts are compared byte by byte, without their quotes; numbers
/// as doubles, -0 and +0 being equal, NaN and empty cells last whether they ascend or descend.
/// Fields are compared by their own types: integers exactly, dates with NaT last, texts of Unicode
/// by code points. A row is written as it was read, records to a .npy of the same type. Rows that
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

/// The rows of a file with the bytes by which they are sorted: compared as unsigned bytes those
/// have the order of the keys, one after the other.
///   text     its bytes, 00 as 00 01, then 00 00; all inverted to descend
///   number   8 bytes, the most significant first: an integer with its sign inverted, a double's
///            bits in the order of numbers; inverted to descend; ff... for NaN and empty cells
class RowSource {
 public:
  virtual ~RowSource() = default;

  /// Reads names, and writes what comes before the rows unless `out` is null.
  virtual void begin(AtomicFile* out) = 0;
  /// The next row; false after the last. Valid until the next call.
  virtual bool next(std::string_view& row) = 0;
  /// What follows that row in the output.
  virtual std::string_view end_of_row() const { return {}; }
  /// Appends the key of that row.
  virtual void append_key(std::string_view row, std::string& key) = 0;
  /// Where that row is, for messages.
  virtual std::string place() const = 0;
  virtual void write(AtomicFile& out, std::string_view rows) { out.write(rows); }
  /// After so many rows.
  virtual void finish(AtomicFile&, std::int64_t /*count*/) {}
};

/// A table of text. max_bytes: a longer row is refused.
std::unique_ptr<RowSource> text_rows(const SortRowsParams& params, std::uint64_t max_bytes);
/// A .npy of records.
std::unique_ptr<RowSource> record_rows(const SortRowsParams& params);

/// A key as it was given: "2", "age:nd".
struct RowKey {
  std::string given;
  std::string name;          ///< without what follows the colon
  std::int64_t column = -1;  ///< from 0; -1: by name
  char type = '\0';          ///< n, t, or as the other parameters say
  bool descending = false;
};
std::vector<RowKey> row_keys(const SortRowsParams& params);

void append_text(std::string_view text, bool descending, std::string& key);
void append_number(double value, bool descending, std::string& key);
/// Of an integer with its sign inverted, or of an unsigned one.
void append_word(std::uint64_t word, bool descending, std::string& key);

}  // namespace yupana::job
