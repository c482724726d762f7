#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yupana/genotype/source.hpp"

namespace yupana::io {

/// Names of samples as inputs give them. Only PLINK files have families.
struct SampleNames {
  std::vector<std::string> ids;               ///< unique; what yupana calls the samples
  std::vector<std::string> families = {};     ///< PLINK's FID; empty where the input has none
  std::vector<std::string> individuals = {};  ///< PLINK's IID; empty without families and SIDs
  std::vector<bool> nonfounders = {};         ///< a parent is named; empty where the input has none
  std::vector<genotype::Sex> sexes = {};      ///< empty where the input has none
  std::vector<std::string> sources = {};      ///< PLINK 2's SID; empty where the input has none
};

/// A sex as PLINK writes it: 1 or M, 2 or F; anything else is unknown.
genotype::Sex sex_of(std::string_view text);

/// Samples of a PLINK .fam file, plain, gzip or Zstandard: six columns (family, individual, father,
/// mother, sex, phenotype) of which the first five are used; more are ignored, blank lines too, as
/// PLINK does. As in PLINK, a founder is a sample whose parents are both '0'. A sample's id is its
/// IID if all IIDs differ, FID_IID for all of them otherwise.
///   throws bad_input with the line for fewer columns, with both lines for a repeated sample, and
///   for a file without samples
SampleNames read_fam(const std::string& path);

/// Samples of a .psam file of PLINK 2, plain, gzip or Zstandard. The last line of the header names
/// the columns, #FID and IID or #IID first, and perhaps SID, PAT, MAT and SEX; others are ignored.
/// A .fam is one too, perhaps without its sixth column. A sample's id is its IID if all IIDs
/// differ; else FID_IID for all of them, with _SID after it where these do not differ either.
///   errors: as read_fam
SampleNames read_psam(const std::string& path);

/// Sets the ids of samples from their other names: the first choice that differs in all of them.
/// `lines`: their line numbers in the file.
///   errors: bad_input for a file without samples, with both lines for a repeated sample
void set_ids(const std::string& path, SampleNames& names, const std::vector<std::int64_t>& lines);

/// The columns that name samples, as PLINK 2 heads them: FID, IID and SID; without those that the
/// input does not have.
std::vector<std::string> id_columns(const SampleNames& names);
/// What each sample has in them, with tabs between.
std::vector<std::string> id_rows(const SampleNames& names);
/// "FID<TAB>IID" of each sample, for PLINK 1.9's and GCTA's lists, which have no other column, with
/// IID_SID for IID where pairs repeat; the ids where there are no families.
std::vector<std::string> id_pairs(const SampleNames& names);

/// Names of samples of a file without lines.
///   errors: bad_input for a name that is empty or appears twice
void check_sample_names(const std::string& path, const std::vector<std::string>& names);

}  // namespace yupana::io
