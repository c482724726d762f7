#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "yupana/splice/species.hpp"

namespace yupana::splice {

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
