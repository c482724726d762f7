#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/io/column.hpp"
#include "yupana/io/npy_file.hpp"

namespace yupana::job {

/// What combines the numbers. Sums with a NaN are NaN; min and max count NaN as the greatest
/// number, as the sorts do.
enum class ArrayOperator { sum, product, min, max };

/// A number of a file: sums of integers are 64 bits wide, floats are doubles.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

/// The type of a text's numbers: f8, i8 or u8; f8 where not said. A .npy names its own.
using TextType = std::optional<io::NumberType>;

/// What scan and reduce fold, and where to.
struct FoldFileParams {
  std::string in;
  /// .npy, or text for any other name; of reduce it takes the one number, and none if empty.
  std::string out = {};
  ArrayOperator op = ArrayOperator::sum;
  /// Of scan: begins with 0, of products with 1, and leaves the last number out; not for min and
  /// max.
  bool exclusive = false;
  bool wrap = false;  ///< sums and products of integers modulo 2^64, an error otherwise
  /// A column of keys: what is folded begins anew where the key changes; of reduce one total for
  /// each run of equal keys.
  std::string by = {};
  TextType text_type = {};
  TextType key_type = {};
};

struct SortFileParams {
  std::string in;
  std::string out;
  bool descending = false;  ///< from the greatest down; NaN are last all the same
  bool unique = false;      ///< of equal numbers the first alone
  bool positions = false;   ///< writes where the numbers stood (int64, from 0), not the numbers
  std::int64_t top = INT64_MAX;  ///< ends after as many
  TextType text_type = {};
};

struct MergeFilesParams {
  std::vector<std::string> in;  ///< each sorted
  std::string out;
  TextType text_type = {};
};

struct PartitionFileParams {
  std::string in;
  std::string out;
  std::string below = {};  ///< numbers less than this one
  std::string above = {};  ///< and greater than this one
  bool only = false;       ///< leaves the others out
  TextType text_type = {};
};

/// How a file was worked on, for reports.
struct ArrayFileResult {
  std::int64_t count = 0;
  std::string type;       ///< of the output: f8, i4, ...; "row" of a table's rows
  std::int64_t runs = 0;  ///< sorted runs that went through the disk; 0: all in memory
};

struct ReduceFileResult {
  std::int64_t count = 0;
  Number value;           ///< without keys
  std::int64_t runs = 0;  ///< of equal keys
};

/// Running sums, products, minima or maxima of a file (.npy of one column, or text), streamed:
/// memory is 16 to 24 MiB for a file of any size. With keys they begin anew where the next key is
/// another one (NaN equals NaN, -0 equals +0). Output: 64-bit integers or doubles. From the first
/// NaN on, sums and maxima are NaN; minima are NaN until the first other number.
///   determinism: the same bytes on every backend, for any threads and memory
///   errors (bad_input): what io::ColumnReader refuses; a sum or product of integers beyond 64
///   bits, naming the first number with which it gets there (params.wrap takes them modulo 2^64);
///   more or fewer keys than numbers. usage:
///   another type than a .npy holds; wrap where no integers are added.
///   out_of_resources: the context's memory is less than that
ArrayFileResult scan_file(Context& context, const FoldFileParams& params);

/// The sum, product, least or greatest of a file, streamed. A sum of integers is exact: running
/// sums may pass 64 bits if the last does not. With keys: a line for each run of equal neighbouring
/// keys, the key, a tab and the total; sort by key first for one line a key.
///   determinism: the same value on every backend, for any threads and memory, sums of floats too
///   errors (bad_input): the least of no numbers; otherwise as scan_file
ReduceFileResult reduce_file(Context& context, const FoldFileParams& params);

/// Sorts a file by arrays::Less or arrays::Descending. A file whose numbers and their copy exceed
/// the context's memory, or that of its GPU, is sorted in runs that fit, which wait in a file
/// without a name in the output's folder (as large as the numbers, gone with the process however it
/// ends) and are merged from there. NaN come last, -0 equals +0; both keep their order.
///   determinism: the same bytes for any threads and memory
///   errors: as scan_file
ArrayFileResult sort_file(Context& context, const SortFileParams& params);

/// Merges sorted files of one type, streamed; equal numbers keep the order of the files. NaN come
/// last, as sort_file leaves them.
///   errors (bad_input): a file that is not sorted, naming the place (a number after a NaN too);
///   types that differ; usage: as scan_file
ArrayFileResult merge_files(Context& context, const MergeFilesParams& params);

struct PartitionFileResult {
  std::int64_t count = 0;
  std::int64_t satisfied = 0;  ///< so many come first
  std::string type;
};

/// The numbers that satisfy all conditions first, in their order, then the others in theirs, which
/// wait in a file without a name in the output's folder; streamed. Integers are compared exactly,
/// whatever the bound; NaN satisfies nothing.
///   determinism: the same bytes for any device, threads and memory
///   errors (usage): no condition, a bound that is no number; otherwise as scan_file
PartitionFileResult partition_file(Context& context, const PartitionFileParams& params);

/// How numbers become floats where their sums or products pass 64 bits: a type is given of texts
/// alone.
inline const char* as_floats(const TextType& given) {
  return given
             ? "write each number with a point (7.) and pass --type f8 if the result may be rounded"
             : "save the numbers as f8 if the result may be rounded";
}

// scan_file and reduce_file for products and for runs of equal keys, see there.

ArrayFileResult scan_runs(Context& context,
                          const FoldFileParams& params,
                          io::ColumnReader& numbers);
ReduceFileResult reduce_runs(Context& context,
                             const FoldFileParams& params,
                             io::ColumnReader& numbers);

}  // namespace yupana::job
