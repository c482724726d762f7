#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/comm.hpp"
#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"

namespace yupana::genotype {

/// How much of the expected differences a pair loses to missing calls. A site weighs the allele
/// difference |x - x'| to be expected of two samples, 4 p q (p^2 + q^2) + 4 p^2 q^2 with p its
/// allele frequency and q = 1 - p, rounded to a multiple of 2^-30. So the correction of PLINK 1.9's
/// --distance, but for sites without variation: they weigh 0 here, there 4.
///   work: the square of the samples that miss a site, for each; memory: bytes(), once a call is
///   missing
///   determinism: integer sums, the same for any threads, blocks and ranks
class MissingWeights {
 public:
  /// Frequencies are over the samples at the places `counted` of a row, all of `samples` if empty.
  MissingWeights(Context& context, std::int64_t samples, std::vector<std::int64_t> counted);

  void add(const CallBlock& block);
  /// The sums of all ranks, each over other sites. Collective.
  void sum_over(Comm& comm);
  /// The weight of all sites over that of the sites called in both, i != j; infinite for 0.
  double factor(std::int64_t i, std::int64_t j) const;
  static std::uint64_t bytes(std::int64_t samples);

 private:
  Context& context_;
  std::int64_t samples_;
  std::vector<std::int64_t> counted_;
  std::uint64_t total_ = 0;
  std::vector<std::uint64_t> missing_;  ///< per sample: of the sites it misses
  Array<std::uint64_t> both_;           ///< j < i: of the sites that both miss; empty: none
};

}  // namespace yupana::genotype
