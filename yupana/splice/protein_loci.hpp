#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/loci.hpp"

namespace yupana::splice {

/// The loci of proteins in both strands of sequences, those of each protein best first. Words of
/// six amino acids, those alike in fourteen groups being one (A C D EQ FY G H IV KR LM N P ST W),
/// are looked up in the translation of every frame; words with X, '*' or in repeats of short words,
/// and words that the sequences have far more often than chance puts them there, are left out. A
/// chain of words in order along protein and strand adds up the bases they cover, less, where two
/// lie on different diagonals, the bits that say how far (floor(log2) + 1 of bases and of letters,
/// in bases). Loci have a quarter of the best one's sum at least; Locus::letters is that sum, in
/// bases. A locus reaches beyond its words by 200 bases for each that the protein lacks there, by
/// 2,000 at least and max_intron at most, but beyond 10,000 no further than by 200 for each of its
/// sum. Between two words its gaps leave out what is further from both than 10,000 bases and 1,000
/// for each that the protein lacks there.
///   work: a translation of the sequences for each 2^23 words found; all threads
///   memory: `max_bytes` of words found at most, for one protein at least what it has
///   determinism: the same for every number of threads and `max_bytes`
std::vector<std::vector<Locus>> protein_loci(Context& context,
                                             std::span<const std::string_view> sequences,
                                             std::span<const std::string_view> proteins,
                                             const GeneticCode& code,
                                             const LocusParams& params,
                                             std::uint64_t max_bytes = std::uint64_t{256} << 20);

/// The same from an index of the sequences for proteins, which has their words.
std::vector<std::vector<Locus>> protein_loci(Context& context,
                                             const SeedIndex& index,
                                             std::span<const std::string_view> proteins,
                                             const LocusParams& params);

}  // namespace yupana::splice
