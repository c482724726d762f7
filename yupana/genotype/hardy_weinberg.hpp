#pragma once

#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {

/// The p-value of the exact test of Hardy-Weinberg equilibrium (Wigginton, Cutler, Abecasis 2005):
/// the probability, given the alleles, of all numbers of heterozygotes that are no more probable
/// than the one that is observed; with `mid_p` half of those as probable. 1 without calls.
///   relative error below 1e-9; 0 below 1e-300. work: at most the rarer allele's copies, as a rule
///   a multiple of the square root of the calls
double hardy_weinberg_p(const SiteCounts& counts, bool mid_p = false);

}  // namespace yupana::genotype
