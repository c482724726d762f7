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
#include "yupana/io/number_text.hpp"
#include "yupana/io/parquet_writer.hpp"
#include "yupana/io/row_producer.hpp"

namespace yupana::io {

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

}  // namespace yupana::io
