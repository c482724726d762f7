#pragma once

#include <cstdint>
#include <map>
#include <span>
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
  std::int64_t bases_a_sum = 0;    ///< beyond 10,000 no further than for each of its sum; 0: all
  std::int64_t bits_a_letter = 2;  ///< of evidence in a letter of a word
  std::int64_t diagonal_bits = 6;  ///< what a change of diagonals costs next to its distance
  LocusParams params;
};

/// Of the words of proteins and of their segments.
inline ChainRules protein_chain_rules(const LocusParams& params) {
  // A bit is a base of a word; its words are long enough without more.
  return {.length = 3 * protein_word,
          .bases_a_letter = 200,
          .bases_a_sum = 200,
          .bits_a_letter = 1,
          .diagonal_bits = 0,
          .params = params};
}

/// By strand: 2 x sequence, + 1 on its - strand.
using StrandHits = std::map<std::size_t, std::vector<WordHit>>;

/// The best chains of the hits of a target of so many letters as loci, best first: those with a
/// quarter of the best one's letters, `max_loci` at most. A chain that joins a better one is none.
/// Sorts the hits. A word on another diagonal than the one before it costs `diagonal_bits` and the
/// bits that say how far it lies, so that a word by chance adds nothing to a chain. `ends` are
/// those of the sequences, one after the other.
///   work: 64 a hit
std::vector<Locus> best_loci(StrandHits& hits,
                             const ChainRules& rules,
                             std::int64_t letters,
                             std::span<const std::int64_t> ends);

/// Adds words of `length` for a segment of `letters` that begins at `first`, `step` bases a letter;
/// they cover `evidence` letters, from its first to its last, those of little evidence in its
/// middle.
void add_segment(std::vector<WordHit>& words,
                 const WordHit& first,
                 std::int64_t letters,
                 std::int64_t evidence,
                 std::int64_t length,
                 std::int64_t step);

}  // namespace yupana::splice
