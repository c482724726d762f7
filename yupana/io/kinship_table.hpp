#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yupana/core/atomic_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/kinship.hpp"
#include "yupana/io/pair_table.hpp"

namespace yupana::io {

/// PLINK 2's table of kinships (.kin0, --make-king-table) with the relationship as one column more,
/// and with `ibd` PLINK 1.9's Z0, Z1, Z2 and PI_HAT. HETHET and IBS0 are shares of NSNP; numbers of
/// the text are the shortest that read back as the same double. Parquet has the same columns: text,
/// float64, and int64 for NSNP. Bands of rows written one after the other make the same bytes as
/// all rows at once, for any number of threads.
///   memory: a few MiB and one row a thread; of Parquet parquet_bytes()
///   errors: bad_input for a name that the format cannot hold, out_of_resources for a full disk
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
  struct Row;
  AtomicFile& file_;
  std::vector<std::string> samples_;
  std::size_t id_columns_;  ///< of each sample of a pair
  std::optional<ParquetWriter> parquet_;
  std::size_t longest_ = 0;  ///< name
  genotype::RelationshipCounts all_;

  char* put_row(const Row& row, char* out) const;
  void add_row(const Row& row);
  void write_text(Context& context,
                  const genotype::PairCounts& counts,
                  double least,
                  const genotype::ExpectedIbs* expected);
  void write_parquet(Context& context,
                     const genotype::PairCounts& counts,
                     double least,
                     const genotype::ExpectedIbs* expected);
};

}  // namespace yupana::io
