#pragma once

#include <cstdint>
#include <string>
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

}  // namespace yupana::genotype
