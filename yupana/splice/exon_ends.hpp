#pragma once

#include <cstdint>
#include <span>
#include <string_view>
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

}  // namespace yupana::splice
