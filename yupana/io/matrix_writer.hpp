#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/core/tiles.hpp"

namespace yupana::io {

/// Computes row i of an n x n matrix into row[0 .. n). Called from several threads at once, for
/// every row exactly once, in no fixed order: a matrix is written without being held.
using RowProducer = std::function<void(std::int64_t i, double* row)>;

/// The rows of a matrix in memory, which must outlive the producer.
template <class T>
RowProducer rows_of(MatrixView<const T> matrix) {
  return [matrix](std::int64_t i, double* row) {
    std::transform(matrix.row(i), matrix.row(i) + matrix.cols, row, [](T value) {
      return static_cast<double>(value);
    });
  };
}

/// The end of a text that is written at `out`.
inline char* put_text(std::string_view text, char* out) {
  return std::copy(text.begin(), text.end(), out);
}

/// The text of a matrix, row after row.
struct TextRows {
  std::int64_t size = 0;  ///< rows and columns of the matrix
  Range rows;             ///< to write; {0, 0}: all
  RowProducer producer;
  /// Writes the text of row i at `out` and returns its end; called from several threads.
  std::function<char*(std::int64_t i, const double* row, char* out)> text;
  std::function<std::size_t(std::int64_t i)> bytes;  ///< at most, of row i
  bool gzip = false;                                 ///< compress, in members of about 1 MiB
};

/// Appends the rows to the file: made in parallel, written in order. The bytes do not depend on
/// threads. Reports progress in numbers.
///   memory: a few MiB a thread and 1 row
///   errors: out_of_resources for a full disk, interrupted
void write_text_rows(Context& context, AtomicFile& file, const TextRows& rows);

// Text writers of a symmetric n x n matrix that need not be in memory. All append to a file whose
// owner commits it, report progress, and write the same bytes for any number of threads. Numbers
// are the shortest text that reads back as the same double; NaN is "nan".
//   work: n^2 numbers    memory: a few MiB and one row a thread
//   errors: bad_input for a name that the format cannot hold, out_of_resources for a full disk

/// Throws bad_input where a name holds a tab or a line end.
void check_names_of_text(const AtomicFile& file, const std::vector<std::string>& names);

/// One sample a line.
void write_ids(AtomicFile& file, const std::vector<std::string>& names);

/// Tab separated: a header "sample<TAB>name<TAB>...", then one row a sample, its name first.
void write_tsv(Context& context,
               AtomicFile& file,
               const std::vector<std::string>& names,
               const RowProducer& rows);

/// PHYLIP, square, relaxed names: the number of samples, then "name value value ...". Characters
/// that end a name in PHYLIP or Newick (blanks, ( ) [ ] : ; , ') become '_'; the context notes how
/// many names changed. bad_input if two names become one.
void write_phylip(Context& context,
                  AtomicFile& file,
                  const std::vector<std::string>& names,
                  const RowProducer& rows);

enum class NpyType { float64, float32, int32, int64 };

/// A square .npy matrix being written, C order, little endian, in pieces of any order, straight to
/// their places in the file. The file is whole once the pieces cover it; its owner commits it.
///   float32 rounds to nearest (beyond its range: infinity); the integer types refuse (bad_input) a
///   value that is no integer or beyond their range, naming the entry
///   errors: out_of_resources for a full disk
class NpyMatrix {
 public:
  /// Writes the header; `file` must be empty and outlive the writer.
  NpyMatrix(AtomicFile& file, std::int64_t size, NpyType type = NpyType::float64);

  /// Whole rows; `rows` fills all columns.
  ///   memory: one row a thread
  void write_rows(Context& context, Range range, const RowProducer& rows);

  /// A band of the lower triangle: `lower(i, row)` fills columns [0, i] (what it puts after them
  /// is ignored); entries (i, j) and (j, i) are written for i in the band, j <= i. All bands of [0,
  /// size) together make the file, so that a matrix larger than memory is written from the triangle
  /// alone.
  ///   memory: `buffer` bytes, or one row if that is more; larger buffers make longer writes above
  ///   the diagonal
  void write_band(Context& context,
                  Range range,
                  const RowProducer& lower,
                  std::int64_t buffer = std::int64_t{256} << 20);

 private:
  std::int64_t offset(std::int64_t i, std::int64_t j) const;

  AtomicFile& file_;
  std::int64_t size_;
  NpyType type_;
  std::int64_t header_ = 0;
};

/// The whole matrix, with progress.
void write_npy(Context& context,
               AtomicFile& file,
               std::int64_t size,
               const RowProducer& rows,
               NpyType type = NpyType::float64);

/// What a matrix of `--distance` holds, and so its name: .dist, .mibs, .mdist.
enum class PlinkContent { allele_count, ibs, one_minus_ibs };
enum class PlinkShape { square, square0, triangle };
enum class PlinkEncoding { text, gzip, float64, float32 };

struct PlinkLayout {
  PlinkShape shape = PlinkShape::triangle;
  PlinkEncoding encoding = PlinkEncoding::text;
};

/// The layout that the modifiers of `--distance` ask for ("square", "square0", "triangle", "gz",
/// "bin", "bin4"); the shape is by default a square where binary, a triangle otherwise. Throws
/// usage for two shapes, two encodings or a word that is neither.
PlinkLayout plink_layout(const std::vector<std::string>& modifiers);

/// PREFIX.dist, .mibs or .mdist, with .gz or .bin (float32 too) after it.
std::string plink_path(const std::string& prefix, PlinkContent content, PlinkEncoding encoding);

/// Family and individual identifier of a sample: "F<TAB>I" as given, otherwise both are the name.
std::string plink_id(std::string_view sample);

/// Writes the matrix and its .id file as PLINK 1.9 does, adding both to `files`.
///   text    tab separated, six significant digits ("%g", ties to even); gz: the same, compressed
///   bin     float64, bin4 float32, little endian, row by row, nothing else
///   square0 zeros above the diagonal
///   triangle rows of the lower triangle without the diagonal; only ibs as text has it
/// A binary square0 has zeros on the diagonal, ibs too. One departure: a float32 square of allele
/// counts has zeros there as well, where PLINK 1.9 repeats an entry of the row.
///   errors: bad_input for an identifier with a tab or line end, out_of_resources for a full disk
void write_plink(Context& context,
                 OutputFiles& files,
                 const std::string& prefix,
                 PlinkContent content,
                 const PlinkLayout& layout,
                 const std::vector<std::string>& samples,
                 const RowProducer& rows);

}  // namespace yupana::io
