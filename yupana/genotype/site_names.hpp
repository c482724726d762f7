#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "yupana/genotype/site_block.hpp"

namespace yupana::genotype {

/// The name of site `number` (from 0) of `sites` of an input without names: snp1, snp2, ... spread
/// over chromosomes 1 to 22 in order, at positions 1, 2, ... of each, with alleles A1 = A and A2 =
/// G. Chromosome c holds the sites from floor((c - 1) sites / 22) on.
SiteName numbered_site(std::int64_t number, std::int64_t sites);

/// The same of an array: all on chromosome 1.
SiteName numbered_column(std::int64_t number);

/// Chromosomes of numbered sites.
std::vector<std::string> numbered_chromosomes();

/// Names the sites of a block that has no names, whose first is number `first` of `sites`, as
/// numbered_site().
void name_numbered_sites(SiteBlock& block, std::int64_t first, std::int64_t sites);

/// Checks that sites come by chromosome and position: what takes neighbours for linked needs it.
class SiteOrder {
 public:
  /// `option`: that needs the order, as the messages name it.
  explicit SiteOrder(std::string option) : option_(std::move(option)) {}

  /// True where the site is the first of its chromosome.
  ///   errors: bad_input where the chromosome was left before, or the position is before the last
  bool begins_chromosome(const SiteName& site);

 private:
  std::string option_;
  std::string chromosome_;  ///< of the last site
  std::int64_t position_ = 0;
  std::unordered_set<std::string> seen_;
};

}  // namespace yupana::genotype
