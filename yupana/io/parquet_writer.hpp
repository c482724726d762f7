#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/atomic_file.hpp"

namespace yupana::io {

enum class ParquetType : std::uint8_t { int64 = 2, float64 = 5, text = 6 };  ///< as in the format

struct ParquetColumn {
  std::string name;
  ParquetType type;
};

/// A table in Parquet's format, version 1: columns without gaps, PLAIN values in one page a row
/// group, compressed by Zstandard. Rows are appended cell by cell; a row group is written when it
/// has 131,072 rows or 16 MiB. The same rows make the same bytes.
///   memory: memory(), and 100 bytes for each row group that was written
///   errors: out_of_resources for a full disk
///   source: parquet.thrift and the compact protocol of Apache Thrift
class ParquetWriter {
 public:
  /// Bytes that are held of so many rows, at most, of so many bytes, at most: a text takes 4 more
  /// than its letters.
  static std::uint64_t memory(std::uint64_t rows, std::uint64_t row_bytes);
  /// Takes an empty file, whose owner commits it.
  ParquetWriter(AtomicFile& file, std::vector<ParquetColumn> columns);
  /// A cell of the row in the making; each column gets one, of its type. Text is UTF-8.
  void add(std::size_t column, std::string_view text);
  void add(std::size_t column, double number);
  void add(std::size_t column, std::int64_t number);
  void end_row();
  /// Writes the rows that are left and the footer; nothing may follow.
  void finish();

 private:
  struct Chunk {
    std::int64_t offset, plain_bytes, packed_bytes;  ///< with the page's header
  };
  struct RowGroup {
    std::int64_t rows;
    std::vector<Chunk> chunks;
  };

  AtomicFile& file_;
  std::vector<ParquetColumn> columns_;
  std::vector<std::string> values_;  ///< of each column, of the row group in the making
  std::int64_t rows_ = 0;            ///< of the same
  std::int64_t offset_ = 0;
  std::vector<RowGroup> groups_;

  void write(std::string_view bytes);
  Chunk write_chunk(std::string_view values);
  void end_group();
  std::string footer() const;
};

}  // namespace yupana::io
