#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace yupana::genotype {

/// Autosomes of a human; PLINK's --chr-set and --autosome-num say how many another species has.
constexpr std::int64_t human_autosomes = 22;

/// The class of a contig by its name; a "chr" prefix and case are ignored.
enum class Chromosome {
  autosome,          ///< 1 .. N, where the species has N autosomes
  unplaced,          ///< 0
  pseudo_autosomal,  ///< XY, PAR1, PAR2 and N + 3: diploid in both sexes
  x,                 ///< X, N + 1
  y,                 ///< Y, N + 2
  mitochondrial,     ///< MT, M, N + 4
  unknown,           ///< any other name: another species, or a scaffold
};

Chromosome chromosome_of(std::string_view contig, std::int64_t autosomes = human_autosomes);

/// X, Y and MT: of one copy in some.
constexpr bool is_haploid_in_some(Chromosome chromosome) {
  return chromosome == Chromosome::x || chromosome == Chromosome::y ||
         chromosome == Chromosome::mitochondrial;
}

/// True where two contig names mean the same chromosome: "21" and "chr21", "X" and "23".
bool same_chromosome(std::string_view a,
                     std::string_view b,
                     std::int64_t autosomes = human_autosomes);

/// The contig's name as a key: equal for two names exactly where they mean the same chromosome.
std::string chromosome_key(std::string_view contig, std::int64_t autosomes = human_autosomes);

/// The contigs a reader takes; every reader of genotypes uses this class.
///
/// By default PLINK's choice for --distance and --make-king: autosomes, the pseudo-autosomal region
/// (XY), chromosome 0 (unplaced) and names that are no chromosome, so that scaffolds work without
/// an option. X, Y and MT are left out.
class ChromosomeFilter {
 public:
  ChromosomeFilter() = default;
  /// PLINK's default choice in a species of `autosomes` autosomes, 1 to 9995.
  /// errors: usage for a number outside this range
  explicit ChromosomeFilter(std::int64_t autosomes);
  /// Every contig (--all-chr).
  static ChromosomeFilter all(std::int64_t autosomes = human_autosomes);
  /// Only the contigs of a list as PLINK's --chr takes: "1-4,22,X", "chr7", "scaffold_12". Ranges
  /// are over numbers (X = N + 1, Y = N + 2, XY = N + 3, MT = N + 4); names that are no chromosome
  /// match exactly.
  /// errors: usage for an empty item or a range that runs backwards
  static ChromosomeFilter listed(std::string_view list, std::int64_t autosomes = human_autosomes);

  /// True if the contig's sites are kept. Readers call it once a contig, not once a site.
  bool keeps(std::string_view contig) const;
  /// The reason the other sites are skipped: their key in SiteAccount::skipped.
  const std::string& reason() const { return reason_; }
  /// True where a contig is kept although its name is unknown: a reader collects these names and
  /// reports them once with unknown_note().
  bool keeps_as_unknown(std::string_view contig) const;
  /// One line for SiteAccount::notes: names of the list that are none of `seen`, the contigs of the
  /// input; empty where there is none. Numbers are not missed: a list may be of many inputs.
  std::string absent_note(const std::set<std::string>& seen) const;
  /// Autosomes of the species.
  std::int64_t autosomes() const { return autosomes_; }

 private:
  enum class Rule { autosomes, all, listed };
  Rule rule_ = Rule::autosomes;
  std::int64_t autosomes_ = human_autosomes;
  std::set<std::int64_t> numbers_;
  std::set<std::string, std::less<>> names_;
  std::string reason_ = "not autosomal";
};

/// One line for SiteAccount::notes: these contigs have unknown names and were kept. Where one is a
/// number beyond the species' chromosomes, the line says how to name the species.
std::string unknown_note(const std::vector<std::string>& contigs,
                         std::int64_t autosomes = human_autosomes);

/// Sites of one contig whose position is in a closed interval (--region).
struct Region {
  std::string contig;
  std::int64_t first = 1;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::string option = "--region";           ///< that named the contig, for messages
  std::string outside = "outside --region";  ///< why other sites are left out, in words

  bool covers(std::int64_t position) const { return first <= position && position <= last; }
  /// True for the region's contig in any of its spellings ("21", "chr21").
  bool is_on(std::string_view name, std::int64_t autosomes = human_autosomes) const {
    return same_chromosome(contig, name, autosomes);
  }
};

/// "chr1", "chr1:5" (one position), "chr1:10,000-20,000" (1-based, both ends included), "chr1:5-";
/// braces keep a colon in a name: "{HLA-A*01:01}:5-9".
///   errors: usage for an empty contig, positions that are no numbers, a range that runs backwards
Region parse_region(std::string_view text);

}  // namespace yupana::genotype
