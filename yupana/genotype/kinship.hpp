#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/pair_counts.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {

/// What a pair is to each other, by its KING-robust kinship (Manichaikul et al. 2010): bounds are
/// 2^-1.5, 2^-2.5, 2^-3.5 and 2^-4.5. Of first-degree pairs those without opposite homozygotes are
/// parent and child: less than 0.005 of the sites leaves room for wrong calls. Unknown: without a
/// kinship.
enum class Relationship { duplicate, parent_child, siblings, second, third, unrelated, unknown };
inline constexpr std::array<std::string_view, 7> relationship_names = {
    "Dup/MZ", "PO", "FS", "2nd", "3rd", "UN", "NA"};

struct Kinship {
  std::uint64_t sites = 0;   ///< called in both
  std::uint64_t hethet = 0;  ///< heterozygous in both
  std::uint64_t ibs0 = 0;    ///< opposite homozygotes
  double kinship = 0;        ///< NaN where there is none
  std::uint64_t ibs1 = 0;    ///< one of the two heterozygous

  double share(std::uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(sites);
  }
};

/// Of the pair i > j, whose kinship, that of Metric::king, is given. The counts hold row i.
Kinship kinship_of(const PairCounts& counts, std::int64_t i, std::int64_t j, double kinship);

Relationship relationship_of(const Kinship& pair);

/// Pairs by relationship.
struct RelationshipCounts {
  std::array<std::int64_t, relationship_names.size()> pairs{};
  std::vector<std::array<std::int64_t, 2>> duplicates = {};  ///< of Dup/MZ: i > j

  void add(Relationship relationship, std::int64_t i, std::int64_t j) {
    ++pairs[static_cast<std::size_t>(relationship)];
    if (relationship == Relationship::duplicate) duplicates.push_back({i, j});
  }
  /// Duplicates are sorted then.
  RelationshipCounts& operator+=(const RelationshipCounts& other);
};

/// Of all pairs, whose counts hold het-het.
RelationshipCounts count_relationships(Context& context, const PairCounts& counts);

/// Shares of the genome at which a pair has none, one or both alleles by descent, and the expected
/// share of alleles; NaN where no site says.
struct IbdShares {
  double none = 0, one = 0, both = 0;
  double alleles() const { return one / 2 + both; }
};

/// What allele frequencies let expect of the alleles that unrelated pairs share by state, from
/// which those shared by descent follow: the moments of PLINK's --genome (Purcell et al. 2007), in
/// which allele counts are corrected for the size of the sample. Sites of which fewer than four
/// alleles, or only one kind, are known among the samples counted do not enter.
///   determinism: sums in the order of sites, the same for any blocks and threads
class ExpectedIbs {
 public:
  /// Frequencies are over the samples at the places `counted` of a row, all of a block if empty.
  explicit ExpectedIbs(Backend backend, std::vector<std::int64_t> counted)
      : backend_(backend), counted_(std::move(counted)) {}

  void add(const CallBlock& block);
  /// Of a pair with so many sites called in both, that differ by two alleles, and by one.
  IbdShares shares(std::uint64_t sites, std::uint64_t ibs0, std::uint64_t ibs1) const;

 private:
  Backend backend_;
  std::vector<std::int64_t> counted_;
  std::int64_t sites_ = 0;
  /// Sums of the probabilities of IBS i given IBD j.
  double ibs0_ibd0_ = 0, ibs1_ibd0_ = 0, ibs2_ibd0_ = 0, ibs1_ibd1_ = 0, ibs2_ibd1_ = 0;
};

/// Populations compared with each other: squares, row by row; NaN where no site says.
struct PopulationPairs {
  std::vector<std::int64_t> sizes;
  std::vector<double> fst;  ///< Hudson's estimator, the ratio of averages; 0 on the diagonal
  /// Mean of 1 - |x - x'| / 2 over the sites and pairs of one sample of each; on the diagonal of
  /// two of the same.
  std::vector<double> ibs;

  std::int64_t cell(std::int64_t a, std::int64_t b) const { return a * std::ssize(sizes) + b; }
};

/// F_ST and identity by state between populations, from counts of genotypes site by site.
///   work: a pass over the codes for each population, and 20 operations a pair of them and site
///   determinism: sums in the order of sites, the same for any blocks and threads
///   source: Bhatia et al. 2013 (equation 10, ratio of averages)
class PopulationCounter {
 public:
  /// Classes of the kept samples, from 0 to classes - 1; -1: of no population.
  PopulationCounter(Context& context, std::vector<std::int32_t> of, std::int64_t classes);

  void add(const CallBlock& block);
  PopulationPairs pairs() const;

 private:
  /// Sums over the sites of a pair of populations.
  struct Sums {
    double within = 0, between = 0;          ///< numerator and denominator of F_ST
    std::uint64_t differences = 0, all = 0;  ///< alleles; pairs of samples
  };
  void add_pair(std::int64_t a, std::int64_t b, std::int64_t sites);

  Context& context_;
  std::vector<std::int32_t> of_;
  std::int64_t classes_;
  std::vector<std::vector<SiteCounts>> counts_;  ///< of the block, for each population
  std::vector<Sums> sums_;                       ///< lower triangle
};

}  // namespace yupana::genotype
