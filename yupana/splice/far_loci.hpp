#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/loci.hpp"

namespace yupana::splice {

/// The bytes that far_cdna_loci() may hold, the longest cDNA of so many letters.
std::uint64_t far_cdna_bytes(std::int64_t letters, int threads);

/// The loci of cDNAs of far relatives, which have few words of a SeedIndex: those of their
/// segments, stretches of a cDNA and a strand along each other without a gap. Equal bases score 1,
/// others -1; a segment is seeded by two words of eight bases on one diagonal, at most 40 letters
/// apart, ends where its score falls 12 below its best, and is kept where chance has 4 as good at
/// most in sequences and a cDNA of these sizes (Karlin-Altschul). It counts as words that cover
/// three bases for four of its score. None where chance explains the best. Letters in repeats of
/// short words seed nothing and gain nothing.
///   work: of every cDNA all words of both strands; all threads
///   memory: far_cdna_bytes()
///   determinism: the same for every number of threads, and of cDNAs together
///   source: Altschul and others 1997, Gapped BLAST and PSI-BLAST (two hits)
std::vector<std::vector<Locus>> far_cdna_loci(Context& context,
                                              std::span<const std::string_view> sequences,
                                              std::span<const std::string_view> cdnas,
                                              const LocusParams& params);

/// The bytes that far_protein_loci() may hold, the longest protein of so many letters.
std::uint64_t far_protein_bytes(std::int64_t letters, int threads);

/// The loci of proteins of far relatives, whose words of protein_loci() are too few: those of their
/// segments, stretches of a protein and of a strand's translation along each other without a gap. A
/// segment is seeded by two words of three amino acids on one diagonal, each with a word of the
/// protein that it scores 12 or more with by BLOSUM62, at most 40 letters apart; it ends where its
/// score falls 16 below its best, and is kept where chance has 32 as good at most in sequences and
/// a protein of these sizes (Karlin-Altschul). It counts as words that cover a base for two of its
/// score. Two loci at most where the best has fewer bases than three words. Letters in repeats of
/// short words, and X, seed nothing and gain nothing.
///   work: of every protein all words of the translation of six frames; all threads
///   memory: far_protein_bytes()
///   determinism: the same for every number of threads, and of proteins together
///   source: Altschul and others 1997, Gapped BLAST and PSI-BLAST (two hits)
std::vector<std::vector<Locus>> far_protein_loci(Context& context,
                                                 std::span<const std::string_view> sequences,
                                                 std::span<const std::string_view> proteins,
                                                 const GeneticCode& code,
                                                 const LocusParams& params);

struct FarSegment;
/// Those segments of each protein, best first, 4,096 at most; for tests.
std::vector<std::vector<FarSegment>> protein_segments(Context& context,
                                                      std::span<const std::string_view> sequences,
                                                      std::span<const std::string_view> proteins,
                                                      const GeneticCode& code);

}  // namespace yupana::splice
