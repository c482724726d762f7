#pragma once

#include <cstdint>
#include <vector>

#include "yupana/splice/align.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/significance.hpp"

namespace yupana::splice {

struct EvidenceParams {
  std::int64_t least_score = 1;        ///< of an alignment that is evidence; positive
  const GeneticCode* code = nullptr;   ///< of a protein's codons; null with cDNAs
  Mask low_complexity = nullptr;       ///< of the letters compared
  static constexpr int context = 192;  ///< bases around those compared that the mask may look at
};

/// Which exons of the problem could be in another chain than `chain` for what the target says: each
/// stretch of an exon's bases that the chain does not read holds an alignment to the target,
/// anywhere in it, of least_score without a gap. Letters that are marked gain nothing, as in
/// segment_scores(); codons are read in each of the three frames. So exons of the chain, and parts
/// of them, always could.
///   work: bases of such stretches x target letters
///   memory: 16 bytes a target letter, 16 for each pair of letters where evidence ends
std::vector<bool> exons_with_evidence(const Case& problem,
                                      const std::vector<ExonAlignment>& chain,
                                      const Substitution& substitution,
                                      const EvidenceParams& params);

/// The same of an alignment of another chain: whether each such stretch holds so much in its own
/// columns, of which a codon that an intron splits belongs to the exon of its last base.
///   work: linear in the columns, and that of the mask
bool holds_evidence(const Case& problem,
                    const std::vector<ExonAlignment>& chain,
                    const std::vector<ExonAlignment>& other,
                    const Substitution& substitution,
                    const EvidenceParams& params);

}  // namespace yupana::splice
