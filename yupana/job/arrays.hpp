#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "yupana/core/context.hpp"

namespace yupana::job {

/// What combines the numbers. NaN counts as the greatest number, as in the sorts.
enum class ArrayOperator { sum, min, max };

/// A number of a file: sums of integers are 64 bits wide, floats are doubles.
using Number = std::variant<std::int64_t, std::uint64_t, double>;

struct ScanFileParams {
  std::string in;
  std::string out;  ///< .npy, or text for any other name
  ArrayOperator op = ArrayOperator::sum;
  bool exclusive = false;        ///< out[0] = 0 and the last number is left out; sums only
  std::string text_type = "f8";  ///< what a text's numbers are: f8, i8, u8
};

struct ReduceFileParams {
  std::string in;
  ArrayOperator op = ArrayOperator::sum;
  std::string text_type = "f8";
};

struct SortFileParams {
  std::string in;
  std::string out;
  std::string text_type = "f8";
};

struct MergeFilesParams {
  std::vector<std::string> in;  ///< each sorted
  std::string out;
  std::string text_type = "f8";
};

/// How a file was worked on, for reports.
struct ArrayFileResult {
  std::int64_t count = 0;
  std::string type;       ///< of the output: f8, i4, ...
  std::int64_t runs = 0;  ///< sorted runs that went through the disk; 0: all in memory
};

struct ReduceFileResult {
  std::int64_t count = 0;
  Number value;
};

/// Running sums, minima or maxima of a file (.npy of one column, or text), streamed: memory is a
/// few MB a file of any size. Output: 64-bit integers (wrapping) or doubles.
///   determinism: the same bytes for any threads and memory
///   errors (bad_input): what io::ColumnReader refuses; usage: an unknown type
ArrayFileResult scan_file(Context& context, const ScanFileParams& params);

/// The sum, least or greatest of a file, streamed.
///   errors (bad_input): the least of no numbers; otherwise as scan_file
ReduceFileResult reduce_file(Context& context, const ReduceFileParams& params);

/// Sorts a file by arrays::Less. A file whose numbers and their copy exceed the context's memory,
/// or that of its GPU, is sorted in runs that fit, which wait in one temporary file beside the
/// output (as large as the numbers, removed in any case) and are merged from there.
///   determinism: the same bytes for any threads and memory
ArrayFileResult sort_file(Context& context, const SortFileParams& params);

/// Merges sorted files of one type, streamed; equal numbers keep the order of the files.
///   errors (bad_input): a file that is not sorted, naming the place; types that differ
ArrayFileResult merge_files(Context& context, const MergeFilesParams& params);

}  // namespace yupana::job
