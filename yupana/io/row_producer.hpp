#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

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

}  // namespace yupana::io
