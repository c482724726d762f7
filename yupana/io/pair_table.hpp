#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/genotype/kinship.hpp"
#include "yupana/io/matrix_writer.hpp"
#include "yupana/io/number_text.hpp"

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

/// Which pairs a table lists: those with above < value < below. NaN is never listed.
struct PairFilter {
  std::optional<double> below = {}, above = {};
  /// NaN never passes; an infinite value does where no bound is on its side.
  bool passes(double value) const {
    return value == value && (!below || value < *below) && (!above || value > *above);
  }
};

enum class PairFormat : std::uint8_t { tsv, parquet };

/// Takes the cells of a line of text, from left to right.
struct TextCells {
  char* end;

  void add(std::string_view text) {
    end = put_text(text, end);
    *end++ = '\t';
  }
  void add(double number) {
    end = write_shortest(number, end);
    *end++ = '\t';
  }
  void add(std::int64_t number) { add(static_cast<double>(number)); }
  void end_row() { end[-1] = '\n'; }
};

/// Takes the cells of a row of Parquet, from left to right.
struct ParquetCells {
  ParquetWriter& writer;
  std::size_t column = 0;

  template <class Cell>
  void add(const Cell& cell) {
    writer.add(column++, cell);
  }
  void end_row() {
    writer.end_row();
    column = 0;
  }
};

/// A file of pairs of samples, as text with a header or as Parquet. Bands of rows written one after
/// the other make the same bytes as all rows at once, for any number of threads.
///   memory: a few MiB and one row a thread; of Parquet parquet_bytes()
///   errors: bad_input for a name that Parquet cannot hold, out_of_resources for a full disk
class PairFile {
 public:
  /// `mark` is what a header begins with; cells but for names are text of `most` bytes or less. The
  /// file's owner commits it.
  PairFile(AtomicFile& file,
           const std::vector<std::string>& names,
           std::vector<ParquetColumn> columns,
           PairFormat format,
           std::string mark,
           std::size_t most);

  /// find(i, cells of row i, take) calls take(pair) for the pairs of row i, some rows at a time on
  /// all threads; put(pair, cells) adds a pair's cells.
  template <class Pair, class Find, class Put>
  void write_band(Context& context,
                  Range band,
                  const RowProducer& lower_rows,
                  const Find& find,
                  const Put& put) {
    if (band.size() == 0) return;
    if (parquet_) return write_parquet<Pair>(context, band, lower_rows, find, put);
    TextRows rows;
    rows.size = samples_;
    rows.rows = band;
    rows.producer = lower_rows;
    rows.bytes = [&](std::int64_t i) {
      return static_cast<std::size_t>(i) * (2 * longest_ + most_ + 3);
    };
    rows.text = [&](std::int64_t i, const double* row, char* out) {
      TextCells cells{out};
      find(i, row, [&](const Pair& pair) {
        put(pair, cells);
        cells.end_row();
      });
      return cells.end;
    };
    write_text_rows(context, file_, rows);
  }

  /// Nothing may follow.
  void finish() {
    if (parquet_) parquet_->finish();
  }

  /// Bytes that a table of Parquet holds between bands; `others`: of a row but for the names.
  static std::uint64_t parquet_bytes(const std::vector<std::string>& names, std::size_t others);

 private:
  template <class Pair, class Find, class Put>
  void write_parquet(Context& context,
                     Range band,
                     const RowProducer& lower_rows,
                     const Find& find,
                     const Put& put) {
    const std::int64_t step = std::max<std::int64_t>(1, (std::int64_t{1} << 14) / samples_);
    const auto numbers = static_cast<double>(samples_);
    Stage stage(
        context, "write " + file_.path(), static_cast<double>(band.size()) * numbers, "numbers");
    // Lists that grow by doubling.
    const std::int64_t bytes = 2 * step * samples_ * std::int64_t{sizeof(Pair)} + 8 * samples_;
    ParquetCells cells{*parquet_};
    context.in_order(
        divide_up(band.size(), step),
        bytes,
        [&](std::int64_t piece) {
          std::vector<Pair> pairs;
          Array<double> row(samples_);
          const std::int64_t begin = band.begin + piece * step;
          for (std::int64_t i = begin; i < std::min(begin + step, band.end); ++i) {
            lower_rows(i, row.data());
            find(i, row.data(), [&](const Pair& pair) { pairs.push_back(pair); });
          }
          return pairs;
        },
        [&](const std::vector<Pair>& pairs) {
          for (const Pair& pair : pairs) {
            put(pair, cells);
            cells.end_row();
          }
          stage.advance(static_cast<double>(step) * numbers);
        });
  }

  AtomicFile& file_;
  std::int64_t samples_;
  std::size_t most_;
  std::size_t longest_ = 0;  ///< name
  std::optional<ParquetWriter> parquet_;
};

/// Table of pairs: columns sample1, sample2 (text) and value (float64); the pairs j < i that pass,
/// by i, then j, as (name of j, name of i, value). TSV has a header; its numbers are the shortest
/// text that reads back as the same double.
///   errors: bad_input for a name that the format cannot hold
class PairTable {
 public:
  /// The names must outlive the table; the file's owner commits it.
  PairTable(AtomicFile& file,
            const std::vector<std::string>& names,
            const PairFilter& filter,
            PairFormat format = PairFormat::tsv);
  /// Appends the pairs of some rows, of which the producer gives columns [0, i].
  void write_band(Context& context, Range rows, const RowProducer& lower_rows);
  /// Ends the file. Returns how many pairs it lists.
  std::int64_t finish();

  /// Bytes that a table of Parquet holds between bands.
  static std::uint64_t parquet_bytes(const std::vector<std::string>& names);

 private:
  const std::vector<std::string>& names_;
  PairFilter filter_;
  PairFile file_;
  std::atomic<std::int64_t> listed_ = 0;
};

/// PLINK 2's table of kinships (.kin0, --make-king-table) with the relationship as one column more,
/// and with `ibd` PLINK 1.9's Z0, Z1, Z2 and PI_HAT. HETHET and IBS0 are shares of NSNP; numbers of
/// the text are the shortest that read back as the same double. Parquet has the same columns: text,
/// float64, and int64 for NSNP.
class KinshipTable {
 public:
  /// Samples are named by id_rows(), whose columns are `id_columns`. The file's owner commits it.
  KinshipTable(AtomicFile& file,
               std::vector<std::string> samples,
               std::vector<std::string> id_columns,
               bool ibd,
               PairFormat format);
  /// Appends the pairs of the rows that the counts hold, each with the samples before it, whose
  /// kinship is `least` or more; without a bound (-infinity) also those without a kinship, as nan.
  /// With `ibd` there is `expected`.
  void write_band(Context& context,
                  const genotype::PairCounts& counts,
                  double least,
                  const genotype::ExpectedIbs* expected);
  /// Ends the file. Returns the pairs written.
  genotype::RelationshipCounts finish();

  /// Bytes that a table of Parquet holds between bands.
  static std::uint64_t parquet_bytes(const std::vector<std::string>& samples);

 private:
  std::vector<std::string> samples_;
  std::size_t id_columns_;  ///< of each sample of a pair
  PairFile file_;
  genotype::RelationshipCounts all_;
};

}  // namespace yupana::io
