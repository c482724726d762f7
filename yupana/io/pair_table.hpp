#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/tiles.hpp"
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

/// Throws bad_input for a name that is no UTF-8, which Parquet holds.
void check_names_of_parquet(const AtomicFile& file, const std::vector<std::string>& names);

/// find(i, cells of row i, pairs) for the rows of a band, some at a time on all threads; then
/// put(pair) of what they found, in order.
template <class Pair, class Find, class Put>
void put_pairs(Context& context,
               const AtomicFile& file,
               std::int64_t n,
               Range band,
               const RowProducer& lower_rows,
               const Find& find,
               const Put& put) {
  const std::int64_t step = std::max<std::int64_t>(1, (std::int64_t{1} << 14) / n);
  const auto numbers = static_cast<double>(n);
  Stage stage(
      context, "write " + file.path(), static_cast<double>(band.size()) * numbers, "numbers");
  // Lists that grow by doubling.
  const std::int64_t bytes = 2 * step * n * std::int64_t{sizeof(Pair)} + 8 * n;
  context.in_order(
      divide_up(band.size(), step),
      bytes,
      [&](std::int64_t piece) {
        std::vector<Pair> pairs;
        Array<double> row(n);
        const std::int64_t begin = band.begin + piece * step;
        for (std::int64_t i = begin; i < std::min(begin + step, band.end); ++i) {
          lower_rows(i, row.data());
          find(i, row.data(), pairs);
        }
        return pairs;
      },
      [&](const std::vector<Pair>& pairs) {
        for (const Pair& pair : pairs) put(pair);
        stage.advance(static_cast<double>(step) * numbers);
      });
}

/// Table of pairs: columns sample1, sample2 (text) and value (float64); the pairs j < i that pass,
/// by i, then j, as (name of j, name of i, value). TSV has a header; its numbers are the shortest
/// text that reads back as the same double. Bands of rows written one after the other make the same
/// bytes as all rows at once, for any number of threads.
///   memory: a few MiB and one row a thread; of Parquet parquet_bytes()
///   errors: bad_input for a name that the format cannot hold, out_of_resources for a full disk
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
  AtomicFile& file_;
  const std::vector<std::string>& names_;
  PairFilter filter_;
  std::optional<ParquetWriter> parquet_;
  std::size_t longest_ = 0;  ///< name
  std::int64_t listed_ = 0;

  void write_text(Context& context, Range rows, const RowProducer& lower_rows);
  void write_parquet(Context& context, Range rows, const RowProducer& lower_rows);
};

}  // namespace yupana::io
