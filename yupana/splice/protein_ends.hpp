#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/genetic_code.hpp"

/// Private to the candidates.
namespace yupana::splice {

/// Where a protein's own letters begin and end in a text, as places of first and last bases from 1:
/// whole codons in one frame, by its first or last twelve letters.
struct ProteinEnds {
  std::vector<std::int64_t> starts, ends;
};

/// A protein that begins with M, or ends with '*', is complete there, and has no such places: its
/// exons begin with ATG, or end with a stop codon. `codes` are base_code()s; `context` may be null.
ProteinEnds find_protein_ends(const Context* context,
                              std::span<const std::int8_t> codes,
                              std::string_view protein,
                              const GeneticCode& code);

}  // namespace yupana::splice
