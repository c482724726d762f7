#pragma once

#include <string>
#include <vector>

#include "yupana/io/fam.hpp"

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
/// without errors; a .fam and the beginning of a .ped have columns FID, IID, PAT, MAT, SEX, PHENO1.
SampleTable read_sample_table(const std::string& path);

/// The lines of a .fam: family, individual, father, mother, sex, phenotype, the first of several.
/// What a table does not say is 0, of a phenotype -9; a family, the identifier again.
std::string fam_text(const SampleTable& table);
/// The lines of a .psam, with a header. A table of identifiers alone has a column SEX, NA for all.
std::string psam_text(const SampleTable& table);

/// The samples of a .sample file, plain, gzip or Zstandard: a line of names of columns (ID_1 ID_2
/// missing ..., or ID ...), a line of their types (0 0 0 D ...), and a line a sample. FID and IID
/// are ID_1 and ID_2, where there is no ID_2 the name alone; a FID of 0 for all is none. A column
/// named sex is read, too, others are not.
///   errors: bad_input with the line for another header and for fewer columns than it has
SampleTable read_oxford_table(const std::string& path);

/// The same as names.
///   errors: also those of set_ids()
SampleNames read_oxford_samples(const std::string& path);

}  // namespace yupana::io
