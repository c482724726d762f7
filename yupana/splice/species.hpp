#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "yupana/splice/candidates.hpp"

namespace yupana::splice {

/// Whose introns candidates from signals have.
enum class Species { vertebrate, worm, fly, plant, yeast, fungi };

/// log2-odds of A, C, G and T at each place of a site, against a quarter each: three bases before
/// and six after a donor, twenty before and one after an acceptor.
struct SiteModels {
  std::array<std::array<double, 4>, 9> donor;
  std::array<std::array<double, 4>, 9> any_donor;  ///< the mean of all species
  std::array<std::array<double, 4>, 21> acceptor;
  bool minor = true;  ///< sites may have the odds of U12 introns, which not all species have
};
const SiteModels& site_models(Species species);

/// What is known of a species' introns besides their sites. No score depends on a length: only
/// their ends add to a chain.
struct IntronPrior {
  std::string_view name;        ///< of the species
  std::int64_t min_intron = 0;  ///< bases
  std::int64_t max_intron = 0;  ///< of a locus, as LocusParams; 0: as without a species
  double rarity = 0;            ///< log2: how much rarer introns are than in vertebrates
};
const IntronPrior& intron_prior(Species species);

/// The parameters with the species' shortest intron, and junctions that cost as much more as its
/// introns are rarer.
CandidateParams candidates_of_species(CandidateParams params, Species species);

/// candidate_exons() with these models. Of a `protein` instead of a target exons begin or end, too,
/// where its first or last letters say so, as a fragment's do, at half the missing signal: begin
/// unless it begins with M, end unless it ends with '*'.
std::vector<Exon> candidate_exons(const Context& context,
                                  std::string_view bases,
                                  const SiteModels& models,
                                  const CandidateParams& params = {},
                                  std::string_view target = {},
                                  std::int64_t* left_out = nullptr,
                                  const SitesAlong& sites = {},
                                  std::string_view protein = {});

}  // namespace yupana::splice
