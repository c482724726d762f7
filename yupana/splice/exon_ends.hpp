#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/candidates.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/species.hpp"

/// Private to the candidates: where exons may begin and end.
namespace yupana::splice {

/// What an end of exons is: a splice site, ATG or a stop codon, where the target itself begins or
/// ends, or where it does if a word near its end says so, or where a protein's letters do.
enum class SiteKind { splice, codon, target_end, near_target_end, protein_end };

/// One end of exons: the first base or the last, from 1.
struct ExonEnd {
  std::int64_t place = 0;
  double odds = 0;
  SiteKind kind = SiteKind::splice;
  bool in_target = false;  ///< the target has the word of the exon next to it

  bool is_codon() const { return kind == SiteKind::codon; }
  /// Whether a codon ends or begins there, whatever the frame of the bases further on.
  bool has_frame() const { return is_codon() || kind == SiteKind::protein_end; }
};

/// Those of a sequence, in order of place.
struct ExonEnds {
  std::vector<ExonEnd> starts, ends;
};

/// Whether to go on, called every 2^12 steps: a start has thousands of ends at most. `context` may
/// be null.
inline void check_cancelled(const Context* context, std::int64_t step) {
  if (context != nullptr && step % 4096 == 0) context->check_cancelled();
}

/// Whether a text of base_code() has a stop codon at `at`.
inline bool is_stop(std::span<const std::int8_t> codes, std::int64_t at, const GeneticCode& code) {
  return at + 3 <= std::ssize(codes) &&
         code.translate_codes(codes[at], codes[at + 1], codes[at + 2]) == '*';
}

/// `codes` are those of the bases; of `target`, a cDNA, and `protein` one is empty at least.
ExonEnds find_exon_ends(const Context* context,
                        std::string_view bases,
                        std::span<const std::int8_t> codes,
                        std::string_view target,
                        std::string_view protein,
                        const SiteModels& models,
                        const CandidateParams& params,
                        const SitesAlong& sites);

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

/// The words of ten bases that a cDNA has. A gene's own cDNA has those beside every site; one place
/// in 700 begins a word of 1.5 kb by chance.
class TargetWords {
 public:
  static constexpr std::int64_t length = 10;

  /// Shorter targets, and none, have no words.
  explicit TargetWords(std::string_view target);

  /// The word that begins at `place` of a text of base_code(), as a number, if the target has it;
  /// -1 where it has not, or the text has not ten of A, C, G and T there.
  std::int64_t at(std::span<const std::int8_t> codes, std::int64_t place) const;
  bool has(std::span<const std::int8_t> codes, std::int64_t place) const {
    return at(codes, place) >= 0;
  }
  /// Where the text leaves the target near the word of it at `place`: -1 where it goes on with the
  /// target's next letters, or after one that is another, lacks or is added; else the letters
  /// beyond the word that are still the target's, 0, or those up to the next place where it leaves
  /// if one of them alone is another. -1 where the target has fewer than eight letters more.
  std::int64_t leaves_before(std::span<const std::int8_t> codes, std::int64_t place) const;
  std::int64_t leaves_behind(std::span<const std::int8_t> codes, std::int64_t place) const;
  /// Letters before a word that is one of the target's first, letters behind one of its last: what
  /// is left of the target lies along the text there, but for differences. -1 for other words.
  std::int64_t letters_before(std::int64_t word) const { return find(first_, word); }
  std::int64_t letters_behind(std::int64_t word) const { return find(last_, word); }

 private:
  /// Words and the letters beside them, fewest first.
  using Ends = std::vector<std::pair<std::int64_t, std::int64_t>>;
  static std::int64_t find(const Ends& ends, std::int64_t word);
  /// Along texts and target in steps of 1 or -1, for all places of the word in the target; `beyond`
  /// is the first letter's distance from the word's.
  std::int64_t leaves(std::span<const std::int8_t> codes,
                      std::int64_t place,
                      std::int64_t beyond,
                      int step) const;
  /// The same from one base and one letter on.
  std::int64_t leaves_from(std::span<const std::int8_t> codes,
                           std::int64_t base,
                           std::int64_t letter,
                           int step) const;
  /// Equal letters from there on, `most` at most.
  std::int64_t equal_run(std::span<const std::int8_t> codes,
                         std::int64_t base,
                         std::int64_t letter,
                         int step,
                         std::int64_t most) const;

  std::vector<std::int8_t> target_;
  std::vector<bool> known_;
  Ends first_, last_;
  Ends all_;  ///< with the letters before each
};

}  // namespace yupana::splice
