#pragma once

#include <string>
#include <vector>

namespace yupana::io {

/// What a file says of samples: a .psam, whose columns are FID and IID, or IID alone, and perhaps
/// SID, PAT, MAT, SEX and phenotypes.
struct SampleTable {
  std::vector<std::string> columns;
  std::vector<std::string> rows;  ///< one a sample: its fields, separated by tabs

  /// Samples known by their names alone.
  static SampleTable of_ids(const std::vector<std::string>& ids) { return {{"IID"}, ids}; }
};

/// Every column of a .psam or .fam, plain, gzip or Zstandard, which read_psam() or read_fam() reads
/// without errors; a .fam has columns FID, IID, PAT, MAT, SEX and PHENO1.
SampleTable read_sample_table(const std::string& path);

/// The lines of a .fam: family, individual, father, mother, sex, phenotype, the first of several.
/// What a table does not say is 0, of a phenotype -9; a family, the identifier again.
std::string fam_text(const SampleTable& table);
/// The lines of a .psam, with a header. A table of identifiers alone has a column SEX, NA for all.
std::string psam_text(const SampleTable& table);

}  // namespace yupana::io
