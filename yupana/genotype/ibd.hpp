#pragma once

#include <cstdint>
#include <vector>

#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

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

}  // namespace yupana::genotype
