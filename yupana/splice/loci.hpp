#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {

/// Letters in a word of a protein.
inline constexpr int protein_word = 6;

struct LocusParams {
  std::int64_t max_intron = 200'000;  ///< bases at most between two words of a chain
  int max_loci = 5;
};

/// Bases first to last, from 1, of a strand of a sequence, along which a cDNA may read.
struct Locus {
  std::size_t sequence = 0;
  char strand = '+';
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t letters = 0;         ///< of the cDNA, in the words of its chain
  std::vector<std::int64_t> words;  ///< the first base of each, from 1, in order
  std::int64_t first_letter = 0;    ///< letters of the cDNA before its chain
  std::int64_t last_letter = 0;     ///< letters up to the end of its chain
  /// Of proteins: the first base and the last of each stretch between two words, in order, that is
  /// so far from both that no exon is looked for in it.
  std::vector<std::pair<std::int64_t, std::int64_t>> gaps;
};

/// A word found in sequences: its first base, from 0, along a strand.
struct SeedPlace {
  std::size_t strand = 0;  ///< 2 x sequence, + 1 on its - strand
  std::int64_t first = 0;
};

/// The words of sequences, both strands at once, by which targets find their loci. For cDNAs words
/// are so long that one in 256 of a target is there by chance, and of large genomes a fourth of
/// them is kept, chosen by their letters alone; for proteins they are those of protein_loci() in
/// all six frames.
///   memory: 8 bytes a word kept
class SeedIndex {
 public:
  /// For cDNAs, or for proteins by a genetic code.
  explicit SeedIndex(std::span<const std::string_view> sequences,
                     const GeneticCode* code = nullptr);
  /// That of the same sequences and genetic_code() whose data() were kept; `memory` owns them.
  SeedIndex(std::span<const std::string_view> sequences,
            int genetic_code,
            std::span<const std::uint64_t> data,
            std::shared_ptr<const void> memory);

  /// Of a cDNA: chains of words in order along the target and a strand, best first: those with at
  /// least a quarter of the best one's letters. A locus reaches beyond its words by a thousand
  /// bases a letter before the first or after the last, by 2,000 at least and max_intron at most;
  /// narrow_locus() leaves of it what evidence justifies.
  ///   errors: bad_input for data that name no place in the sequences
  std::vector<Locus> loci(std::string_view target, const LocusParams& params = {}) const;

  /// The places of a word, in order; all that one data() says of it. place() reads one, of a target
  /// that has the word reversed the other strand's.
  ///   errors: as loci()
  std::span<const std::uint64_t> find(std::uint64_t key) const;
  SeedPlace place(std::uint64_t found, bool reversed = false) const;

  int genetic_code() const { return genetic_code_; }  ///< GeneticCode::table(); 0: for cDNAs
  std::int64_t word_length() const { return shape_.length; }  ///< in bases
  std::uint64_t one_in() const { return shape_.one_in; }      ///< of so many words is kept
  std::int64_t bases_indexed() const { return ends_.empty() ? 0 : ends_.back(); }
  std::span<const std::int64_t> ends() const { return ends_; }  ///< of sequences in order
  /// Where the words of each bucket (the first bits of their keys) begin, and after them all; then
  /// the words by key and place: the other bits of the key, the place in all sequences, and whether
  /// the word is reversed there.
  std::span<const std::uint64_t> data() const { return data_; }
  /// Of the index of these sequences, about.
  static std::uint64_t bytes_for(std::span<const std::string_view> sequences, bool for_proteins);

 private:
  /// What follows from the number of bases.
  struct Shape {
    std::int64_t length = 0;
    std::uint64_t one_in = 1;  ///< one word in so many is kept
    std::uint64_t words = 0;   ///< about so many are
    int place_bits = 0;
    int key_bits = 0;  ///< those that tell the words of a bucket apart
    std::size_t buckets = 0;
  };
  static Shape shape_of(std::uint64_t bases, bool for_proteins);

  int genetic_code_ = 0;
  std::vector<std::int64_t> ends_;
  Shape shape_;
  std::span<const std::uint64_t> data_;
  std::shared_ptr<const void> memory_;
};

/// Bases next to a chain that are always looked at where so many letters lie beyond it: 50 times
/// the number of words of that length, 2,000 at most.
std::int64_t nearest_bases(std::int64_t letters);

/// How far from the end of `text` the furthest segment begins that is evidence for `letters`, plus
/// nearest_bases() of the letters before it; 0 where there is none. A segment has a word of eight
/// bases, and scores 1 for each equal base and -2 for each other without a gap; it is evidence
/// where chance has one of its score less than once in 32 pairs of texts and letters of these
/// sizes. Repeats of short words are no evidence.
///   work: linear in the text, and the segments
std::int64_t furthest_evidence(std::string_view text, std::string_view letters);

/// Narrows a locus, bases of `strand`, to its chain of words of `length` letters, nearest_bases()
/// on both sides, and what furthest_evidence() of the target's letters beyond the chain adds.
void narrow_locus(Locus& locus,
                  std::string_view strand,
                  std::string_view target,
                  std::int64_t length);

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
