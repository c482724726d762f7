#pragma once

#include <string>
#include <vector>

namespace yupana::io {

/// Names of samples as inputs give them. Only PLINK files have families.
struct SampleNames {
  std::vector<std::string> ids;               ///< unique; what yupana calls the samples
  std::vector<std::string> families = {};     ///< PLINK's FID; empty where the input has none
  std::vector<std::string> individuals = {};  ///< PLINK's IID; empty where the input has none
  std::vector<bool> nonfounders = {};         ///< a parent is named; empty where the input has none
};

/// Samples of a PLINK .fam file, plain or gzip: six columns (family, individual, father, mother,
/// sex, phenotype) of which the first four are used; more are ignored, blank lines too, as PLINK
/// does. As in PLINK, a founder is a sample whose parents are both '0'. A sample's id is its IID if
/// all IIDs differ, FID_IID for all of them otherwise.
///   throws bad_input with the line for fewer columns, with both lines for a repeated sample, and
///   for a file without samples
SampleNames read_fam(const std::string& path);

}  // namespace yupana::io
