#pragma once

#include <array>
#include <cstdint>
#include <span>
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

/// log2-odds of a donor whose intron begins at base `place`, of an acceptor whose intron ends there
/// (from 0). Bases outside the text or ambiguous count 0. One intron in 64 has any bases before its
/// YAG: those of an acceptor count -6 at least. Two bases that are no GT, GC or AG count -9. One
/// donor in four has the mean of all species, so its odds by that, less 2, count where better.
double donor_odds(const SiteModels& models, std::string_view bases, std::int64_t place);
double acceptor_odds(const SiteModels& models, std::string_view bases, std::int64_t place);
/// The same of sites AT or GT, and AC or AG, in a text of base_code(), by the consensus of U12
/// introns: ATATCCTT or GTATCCTT, and a branch point TTCCTTAAC before YAC or YAG.
double minor_donor_odds(std::span<const std::int8_t> codes, std::int64_t place);
double minor_acceptor_odds(std::span<const std::int8_t> codes, std::int64_t place);

/// A text, and its letters as base_code().
struct CodedBases {
  std::string_view bases;
  std::span<const std::int8_t> codes;
};
/// The better odds of the two kinds of introns, where a site may be of both and the models have U12
/// introns.
double best_donor_odds(const SiteModels& models, const CodedBases& text, std::int64_t place);
double best_acceptor_odds(const SiteModels& models, const CodedBases& text, std::int64_t place);

}  // namespace yupana::splice
