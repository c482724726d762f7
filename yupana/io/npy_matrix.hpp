#pragma once

#include <cstdint>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/io/row_producer.hpp"

namespace yupana::io {

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

}  // namespace yupana::io
