#pragma once

#include <cstdint>
#include <vector>

#include "yupana/splice/loci.hpp"

/// Private to the searches for loci: chains of words that a target and a strand have.
namespace yupana::splice {

/// A word that target and strand have, places from 0.
struct WordHit {
  std::int64_t place = 0, letter = 0;
};

struct ChainRules {
  std::int64_t length = 0;             ///< letters of a word
  std::int64_t bases_a_letter = 1000;  ///< beyond the words of a locus, for each letter lacking
  std::int64_t bits_a_letter = 2;      ///< of evidence in a letter of a word
  std::int64_t diagonal_bits = 6;      ///< what a change of diagonals costs, beside its distance
  LocusParams params;
};

/// The best chains of the hits of one strand of `bases`, as loci of that strand, best first; a
/// chain that joins a better one is none. Sorts the hits. A word on another diagonal than the one
/// before it costs `diagonal_bits` and the bits that say how far it lies, so that a word by chance
/// adds nothing to a chain.
///   work: 64 a hit
std::vector<Locus> chain_words(std::vector<WordHit>& hits,
                               const ChainRules& rules,
                               std::int64_t letters,
                               std::int64_t bases);

/// Puts the loci of all strands in order, best first, and leaves those with a quarter of the best
/// one's letters, `max_loci` at most.
void keep_best_loci(std::vector<Locus>& loci, int max_loci);

}  // namespace yupana::splice
