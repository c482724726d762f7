#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/genetic_code.hpp"

/// Private to the search for loci: segments by which far relatives of proteins are found.
namespace yupana::splice {

/// A stretch of a protein and of a strand's translation, one along the other without a gap.
struct ProteinSegment {
  std::uint32_t strand = 0;  ///< 2 x sequence, + 1 on its - strand
  std::int32_t score = 0;    ///< by BLOSUM62
  std::int32_t letter = 0;   ///< the first of the protein, from 0
  std::int32_t letters = 0;  ///< amino acids
  std::int64_t place = 0;    ///< the first base, from 0 along the strand
};

/// Proteins, and letters of them, that are searched for together at most.
inline constexpr std::size_t segment_proteins = 64;
inline constexpr std::int64_t segment_letters = 1 << 14;

/// The bytes that protein_segments() may hold of so many proteins, the longest of `letters`.
std::uint64_t segment_bytes(std::int64_t letters, int threads);

/// The segments of each protein, best first, those of a score that chance has 32 times at most in
/// sequences and a protein of these sizes (Karlin-Altschul), 4,096 at most. A segment is seeded by
/// two words of three amino acids on one diagonal, each with a word of the protein that it scores
/// 12 or more with by BLOSUM62, at most 40 letters apart; it ends where its score falls 16 below
/// its best. Letters in repeats of short words, and X, seed nothing and gain nothing.
///   work: of every protein all words of the translation of six frames; all threads
///   memory: segment_bytes()
///   determinism: the same for every number of threads, and of proteins together
///   source: Altschul and others 1997, Gapped BLAST and PSI-BLAST (two hits)
std::vector<std::vector<ProteinSegment>> protein_segments(
    Context& context,
    std::span<const std::string_view> sequences,
    std::span<const std::string_view> proteins,
    const GeneticCode& code);

}  // namespace yupana::splice
