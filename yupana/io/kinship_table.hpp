#pragma once

#include <cstdint>
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
