#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yupana::genotype {

/// What a contig's name says about it, "chr" prefix and case ignored.
enum class Chromosome {
  autosome,  ///< 1 .. 22
  unplaced,  ///< 0
  other,     ///< X, Y, XY (PAR1, PAR2), MT (M) and their PLINK numbers 23 .. 26
  unknown,   ///< any other name: another species, or a scaffold
};

Chromosome chromosome_of(std::string_view contig);

/// Which contigs a reader takes; every reader of genotypes uses this one.
///
/// By default the autosomes, as PLINK 1.9 counts them for --distance: chromosome 0 (unplaced) and
/// names that are not human chromosomes stay, so that other species work without a flag. One
/// difference: PLINK keeps XY (25) here, yupana leaves it out with X and Y.
class ChromosomeFilter {
 public:
  /// Everything that is not X, Y, XY or MT.
  ChromosomeFilter() = default;
  /// Every contig (--all-chr).
  static ChromosomeFilter all();
  /// Only what a list as PLINK's --chr takes names: "1-4,22,X", "chr7", "scaffold_12". Ranges are
  /// over numbers (X = 23, Y = 24, XY = 25, MT = 26); names that are no chromosome match exactly.
  /// Throws usage for an empty item or a range that runs backwards.
  static ChromosomeFilter listed(std::string_view list);

  /// True where the contig's sites are wanted. Readers ask once a contig, not once a site.
  bool keeps(std::string_view contig) const;
  /// Why the other sites are skipped: their key in SiteAccount::skipped.
  const std::string& reason() const { return reason_; }
  /// True where a contig is kept although its name is unknown: a reader collects these and
  /// remarks on them once with unknown_note().
  bool keeps_as_unknown(std::string_view contig) const;

 private:
  enum class Rule { autosomes, all, listed };
  Rule rule_ = Rule::autosomes;
  std::set<std::int64_t> numbers_;
  std::set<std::string, std::less<>> names_;
  std::string reason_ = "not autosomal";
};

/// One line for SiteAccount::notes: these contigs have unknown names and were kept.
std::string unknown_note(const std::vector<std::string>& contigs);

}  // namespace yupana::genotype
