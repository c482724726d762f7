#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "yupana/genotype/source.hpp"

namespace yupana::io {

/// Bytes of the longest name of a sample, family or variant that PLINK 1.9 and 2 read.
inline constexpr std::size_t max_plink_name = 16'000;

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

/// Identifiers, one a line; blank lines are ignored, blanks inside a name kept. Throws bad_input
/// with both lines for a repeated one.
std::vector<std::string> read_ids(const std::string& path);

/// The samples of an input that a --keep or --remove file names.
struct SampleList {
  std::vector<std::string> ids;    ///< as SampleNames::ids, in the order of the file
  std::int64_t unknown = 0;        ///< lines that name no sample of the input
  std::string first_unknown = {};  ///< name and line of the first of them, for a note
};

/// Reads one sample a line, its identifier alone or family and individual, or all of id_columns()
/// where samples have SIDs; more columns, blank
/// lines and lines that begin with # are ignored. Where the input has no families, the second of
/// two columns is the identifier and the first is ignored. As in PLINK, a sample that the input
/// does not have is passed over and counted.
///   errors: bad_input with the line for a name that several samples have
SampleList read_sample_list(const std::string& path, const SampleNames& samples);

/// The first fields of the lines that are not blank: what PLINK's lists of families are.
std::unordered_set<std::string> read_first_column(const std::string& path);

/// Codes of a missing label, any case, for messages and --help.
constexpr std::string_view missing_label_codes =
    "NA, N/A, nan, null, unknown, missing, '.', '-', '?', -9";

/// Labels that are numbers of more different values than this are no classes.
constexpr std::size_t max_number_classes = 20;

/// Labels of samples: label names in the order of the file, and per sample which one it has.
struct SampleLabels {
  std::vector<std::string> names;
  /// Per name: its place among all labels of the file, sorted, whichever samples the input has.
  std::vector<std::int32_t> ranks;
  std::vector<std::int64_t> of;  ///< per sample: place in `names`, -1 without one
  std::string column;            ///< the header's name, or "column 2"
  /// Per name, where the file has numbers alone, of more than max_number_classes values; or empty.
  std::vector<double> numbers;
  double low = 0, high = 0;        ///< of the numbers of the file
  std::int64_t unlabelled = 0;     ///< samples without a label
  std::int64_t missing = 0;        ///< lines of a sample whose label is a missing_label_code
  std::int64_t unknown = 0;        ///< lines that name no sample of the input
  std::vector<std::string> notes;  ///< facts a user should know, one line each
};

/// Labels from a text file: tab-separated, or separated by blanks where its first line has no tab.
/// The sample is in the first column; in the first two where they are family and individual, by
/// their header (FID IID) or because the lines match the samples so; a column SID of the header
/// after them is a part of the name too. The label is in `column`, the
/// name of a column or its number from 1; by default in the only other column, or in the one whose
/// header says population, label or the like, with a note. The first line is a header if `column`
/// is a name, or if its first field is no sample of the input but a word such as sample, FID or
/// iid. An empty label and the missing_label_codes leave a sample unlabelled. Samples may be
/// missing from the file, and the file may hold others: both are counted.
///   errors: usage for several label columns and none chosen; bad_input with the line for too few
///   columns, a column the header does not have, a name of several samples, a sample given two
///   different labels, no sample labelled at all
SampleLabels read_labels(const std::string& path,
                         const SampleNames& samples,
                         const std::string& column = {});

/// Finds the samples of an input by the names a file may give them.
class SampleIndex {
 public:
  static constexpr std::int64_t none = -1;
  static constexpr std::int64_t several = -2;

  explicit SampleIndex(const SampleNames& samples) : samples_(samples) {
    for (std::size_t i = 0; i < samples.ids.size(); ++i) {
      ids_.emplace(samples.ids[i], static_cast<std::int64_t>(i));
    }
    for (std::size_t i = 0; i < samples.individuals.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const auto [entry, is_new] = individuals_.emplace(samples.individuals[i], place);
      if (!is_new) entry->second = several;
    }
    const std::vector<std::string> rows = id_rows(samples);
    for (std::size_t i = 0; i < samples.families.size(); ++i) {
      const auto place = static_cast<std::int64_t>(i);
      const auto [entry, is_new] =
          rows_.emplace(samples.families[i] + '\t' + samples.individuals[i], place);
      if (!is_new) entry->second = several;
    }
    for (std::size_t i = 0; i < samples.sources.size(); ++i) {
      rows_.insert_or_assign(rows[i], static_cast<std::int64_t>(i));
    }
  }

  std::int64_t find(std::string_view name) const {
    const auto by_id = ids_.find(name);
    if (by_id != ids_.end()) return by_id->second;
    const auto by_individual = individuals_.find(name);
    return by_individual != individuals_.end() ? by_individual->second : none;
  }

  std::int64_t find(std::string_view family, std::string_view individual) const {
    const std::int64_t place = find_row(fmt::format("{}\t{}", family, individual));
    return place == none && samples_.families.empty() ? find(individual) : place;
  }

  /// By the values of FID and IID, or of all id_columns() where SID is one, with tabs between.
  std::int64_t find_row(const std::string& row) const {
    const auto found = rows_.find(row);
    return found != rows_.end() ? found->second : none;
  }

 private:
  const SampleNames& samples_;
  std::unordered_map<std::string_view, std::int64_t> ids_;
  std::unordered_map<std::string_view, std::int64_t> individuals_;
  std::unordered_map<std::string, std::int64_t> rows_;
};

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
