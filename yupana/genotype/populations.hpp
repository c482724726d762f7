#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {

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
