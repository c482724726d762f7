#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "yupana/splice/protein.hpp"

namespace yupana::splice {

/// An alignment whose chain has exons of its own. Exons with one or two bases between them are one
/// exon, and these bases a shift of the frame.
struct ShiftedAlignment {
  std::vector<Exon> exons;
  SplicedAlignment alignment;
};

/// Candidate exons of a text without some bases; `places` has where each of the others was, from 0.
using FindExons = std::function<std::vector<Exon>(std::string_view text,
                                                  const std::vector<std::int64_t>& places)>;

/// Mends the frame of an alignment of a protein to candidates from signals, as far as it pays: each
/// shift costs `penalty`, a stop codon what charge_stops() has put into the scores. Edits are tried
/// one after the other: the text without the skipped bases is aligned anew, by align_protein() with
/// the candidates that `find` has in it, and an edit stays if the score gains. A base that the text
/// lacks is two that are skipped, and a letter without a codon. Nothing where no edit pays; no
/// shift is found within three bases of a splice site. The score is that of rescore_protein();
/// exits of exons have the penalty of each shift.
std::optional<ShiftedAlignment> mend_frame(Context& context,
                                           std::string_view bases,
                                           std::string_view protein,
                                           const ProteinParams& params,
                                           std::int64_t score,
                                           int penalty,
                                           int score_scale,
                                           const FindExons& find);

/// Takes the penalty from the scores of a stop codon with any letter but '*'.
void charge_stops(Substitution& substitution, int penalty);

}  // namespace yupana::splice
