#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/genotype/chromosome.hpp"

namespace yupana::io {

/// What the lines of a --extract or --exclude file are. Names as PLINK 2's.
enum class VariantLines {
  ids,   ///< names of variants, between blanks
  bed0,  ///< intervals as UCSC's BED: contig, start from 0, end after the last
  bed1,  ///< intervals with both ends included, from 1
};

/// A --extract or --exclude file as users name it.
struct VariantListParams {
  std::string path = {};  ///< plain, gzip or Zstandard; empty: none
  VariantLines lines = VariantLines::ids;
};

/// "bed0", "bed1" or "range", which is bed1; throws usage, naming the option.
VariantLines variant_lines_from_name(std::string_view option, std::string_view name);

/// A set of variants: by their names, or by their places.
///   memory: about 72 bytes and its letters for every name; 16 bytes an interval
class VariantSet {
 public:
  /// Reads the file. Of intervals, more columns, blank lines and lines that begin with #, track or
  /// browser are ignored; a name may appear twice.
  ///   errors: bad_input with the line for fewer than three columns, a place that is no number, an
  ///   interval that ends before it begins; for a file without a variant
  VariantSet(const VariantListParams& params, std::int64_t autosomes);

  /// Safe from several threads. `position` is from 1; `21` and `chr21` are the same contig.
  bool contains(std::string_view contig, std::int64_t position, std::string_view name) const;

  /// One line for SiteAccount::notes: names that contains() was never asked for; empty where there
  /// is none, and of intervals. `option`: that named the file.
  std::string unused_note(std::string_view option) const;

 private:
  void read_names(const std::string& path);
  void read_intervals(const std::string& path, VariantLines lines);
  void merge_intervals();

  /// Names are looked up as views.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::int64_t autosomes_;
  bool by_name_;
  struct Use {
    mutable std::atomic<bool> found = false;
  };
  std::unordered_map<std::string, Use, Hash, std::equal_to<>> names_;
  std::map<std::string, std::vector<Range>> intervals_;  ///< by contig, sorted, apart
};

/// --extract and --exclude; null where there is none.
struct VariantLists {
  std::shared_ptr<const VariantSet> extract = {};
  std::shared_ptr<const VariantSet> exclude = {};

  bool any() const { return extract != nullptr || exclude != nullptr; }
};

/// Why the lists leave a variant out; empty where they do not.
std::string_view reason_of_lists(const VariantLists& lists,
                                 std::string_view contig,
                                 std::int64_t position,
                                 std::string_view name);

/// Adds the notes of both lists on names of no site that was read.
void add_unused_notes(const VariantLists& lists, std::vector<std::string>& notes);

/// Reads both lists.
VariantLists read_variant_lists(const VariantListParams& extract,
                                const VariantListParams& exclude,
                                std::int64_t autosomes);

/// The treatment of a site with several ALT alleles.
enum class Multiallelic {
  skip,      ///< left out and counted
  split,     ///< one site for each ALT: x counts that allele, every other allele is as REF
  collapse,  ///< one site: x counts the alleles that are not REF, as PLINK 2's --make-king does
};

/// Which variants --snps-only leaves, as in PLINK 2.
enum class SnpsOnly {
  off,        ///< every variant
  any,        ///< no allele of more than one character
  just_acgt,  ///< single A, C, G, T in either case; '.' and '0' where an allele is missing
};

/// True where one allele of a variant passes.
inline bool passes(SnpsOnly rule, std::string_view allele) {
  if (rule == SnpsOnly::off) return true;
  if (allele.size() != 1) return false;
  constexpr std::string_view letters = "ACGTacgt.0";
  return rule == SnpsOnly::any || letters.find(allele[0]) != letters.npos;
}

/// The reason in SiteAccount::skipped of the other variants.
constexpr std::string_view no_snp_reason = "no single-base variant (--snps-only)";

/// The fate of a record, as far as its own columns decide it.
enum class Verdict : std::uint8_t {
  kept,
  multiallelic,  ///< several ALT alleles, and the rules skip these
  not_a_snp,     ///< an allele that --snps-only leaves out
  low_qual,      ///< QUAL below --var-min-qual, or none
  filtered,      ///< FILTER names a filter that --var-filter does not ignore
  no_genotypes,  ///< no GT in FORMAT
  malformed,     ///< the file is refused when this record's turn comes
};
/// The verdict in words: a key of SiteAccount::skipped.
std::string_view reason_of(Verdict verdict);

/// Which records are kept, by their columns.
struct RecordRules {
  Multiallelic multiallelic = Multiallelic::skip;
  SnpsOnly snps_only = SnpsOnly::off;
  /// PLINK 2's --var-min-qual: sites of a lower QUAL, or of none, are skipped.
  std::optional<float> min_qual = {};
  /// PLINK 2's --var-filter: sites are skipped whose FILTER is neither PASS nor '.', other than by
  /// the filters listed here.
  std::optional<std::vector<std::string>> var_filter = {};

  /// True where a filter of FILTER may appear in a kept record.
  bool allows(std::string_view filter) const;
};
/// The verdict on a record whose alleles all pass or not, in PLINK 2's order of filters.
Verdict verdict_of(const RecordRules& rules,
                   std::int64_t alts,
                   bool snp,
                   bool qual_passes,
                   bool filters_pass,
                   bool has_genotypes);

/// The columns of a record as a VCF or a .pvar writes them. QUAL and FILTER are '.' where the file
/// has no such column.
struct RecordColumns {
  std::string_view ref;
  std::string_view alt;  ///< separated by commas; '.': none
  std::string_view qual = ".";
  std::string_view filter = ".";
};
/// ALT alleles; 0 where ALT is '.'.
std::int64_t alts_of(std::string_view alt);
/// ALT allele `number`, from 1.
std::string_view allele_at(std::string_view alt, std::int64_t number);
/// The verdict on a record by its columns; malformed where QUAL is neither a number nor '.' and
/// --var-min-qual is given.
Verdict verdict_of(const RecordRules& rules, const RecordColumns& columns, bool has_genotypes);

}  // namespace yupana::io
