#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "yupana/splice/species.hpp"

namespace yupana::splice {

/// log2-odds of a donor whose intron begins at base `place`, of an acceptor whose intron ends there
/// (from 0). Bases outside the text or ambiguous count 0.
double donor_odds(const SiteModels& models, std::string_view bases, std::int64_t place);
double acceptor_odds(const SiteModels& models, std::string_view bases, std::int64_t place);
/// The same of sites AT and AC in a text of base_code(), by the consensus of U12 introns: ATATCCTT,
/// and a branch point TTCCTTAAC before YAC.
double minor_donor_odds(std::span<const std::int8_t> codes, std::int64_t place);
double minor_acceptor_odds(std::span<const std::int8_t> codes, std::int64_t place);

}  // namespace yupana::splice
