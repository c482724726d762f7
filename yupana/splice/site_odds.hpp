#pragma once

#include <cstdint>
#include <string_view>

namespace yupana::splice {

/// log2-odds of a donor whose intron begins at base `place`, of an acceptor whose intron ends there
/// (from 0), by models of human sites. Bases outside the text or ambiguous count 0.
double donor_odds(std::string_view bases, std::int64_t place);
double acceptor_odds(std::string_view bases, std::int64_t place);

}  // namespace yupana::splice
