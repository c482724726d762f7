#pragma once

#include <cstdint>
#include <string_view>

#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {

/// The bases [begin, end) of a text, from 0, that are read as a protein: whole codons, the stop
/// codon included where `stops`.
struct CodingPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool starts = false;  ///< with ATG; false: the protein may begin before the text
  bool stops = false;   ///< with a stop codon; false: the protein may end after the text

  bool empty() const { return begin == end; }
  bool operator==(const CodingPart&) const = default;
};

/// Whether the codon at a place of a text, from 0, is ATG.
bool is_atg(std::string_view text, std::int64_t at);

/// The open reading frame of a cDNA: the longest stretch from ATG to a stop codon with none before
/// it. It has `min_codons` at least besides the stop codon, or is the whole text. Where there is
/// none, the longest stretch of so many codons without a stop codon that the text cuts off: one
/// that begins with the text, in any frame, or ends with it, from ATG or from the text's begin on.
/// Of equal ones the first; empty without any.
///   work: linear in the text
CodingPart coding_part(std::string_view text, const GeneticCode& code, std::int64_t min_codons);

}  // namespace yupana::splice
