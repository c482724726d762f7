#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yupana::io {

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
/// --var-min-qual asks for it.
Verdict verdict_of(const RecordRules& rules, const RecordColumns& columns, bool has_genotypes);

}  // namespace yupana::io
