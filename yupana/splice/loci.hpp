#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace yupana::splice {

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
};

/// A word of sequences.
struct SeedWord {
  std::uint64_t key;    ///< of the word or its reverse complement, whichever is smaller
  std::uint64_t place;  ///< in all sequences, times 2, and whether it is the reverse complement
};

/// The words of sequences, both strands at once, by which a cDNA finds its loci. Words are so long
/// that one in 256 of a target is there by chance; of large genomes a fourth of them is kept,
/// chosen by their letters alone.
///   memory: 16 bytes a word kept
class SeedIndex {
 public:
  explicit SeedIndex(std::span<const std::string_view> sequences);
  /// The index of the same sequences whose words were kept by words(); `memory` owns them.
  SeedIndex(std::span<const std::string_view> sequences,
            std::span<const SeedWord> words,
            std::shared_ptr<const void> memory);

  /// Chains of words in order along the target and a strand, best first: those with at least a
  /// quarter of the best one's letters. A locus reaches beyond its words by a thousand bases a
  /// letter before the first or behind the last, by 2,000 at least and max_intron at most;
  /// narrow_locus() leaves of it what evidence justifies.
  ///   errors: bad_input for a kept word outside the sequences
  std::vector<Locus> loci(std::string_view target, const LocusParams& params = {}) const;

  int word_length() const { return length_; }
  std::uint64_t one_in() const { return every_; }  ///< of so many words is kept
  std::int64_t bases_indexed() const { return ends_.empty() ? 0 : ends_.back(); }
  std::span<const SeedWord> words() const { return words_; }
  /// Of the index of these sequences.
  static std::uint64_t bytes_for(std::span<const std::string_view> sequences);

 private:
  void plan(std::span<const std::string_view> sequences);
  template <class Put>
  void each_word(std::string_view text, const Put& put) const;

  int length_ = 0;
  std::uint64_t every_ = 1;          ///< one in so many words is kept
  std::vector<std::int64_t> ends_;   ///< of the sequences, one behind the other
  std::span<const SeedWord> words_;  ///< by key, then place
  std::shared_ptr<const void> memory_;
};

}  // namespace yupana::splice
