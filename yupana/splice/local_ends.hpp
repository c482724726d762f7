#pragma once

#include <vector>

#include "yupana/splice/align.hpp"

namespace yupana::splice {

/// Leaves the best-scoring stretch of a cDNA's alignment: of all stretches of neighbouring columns
/// one whose letters, gaps and inner junctions add up to most, the first that ends of equal ones,
/// and the shortest; it begins and ends with a column that gains. `exons` are the chain's own, in
/// its order, and are cut with it; begin and end of those left are 0, for a stretch may begin and
/// end anywhere. The chain is empty, and the score 0, where no column gains.
///   work: linear in the columns
void keep_best_stretch(const Case& problem,
                       const AlignParams& params,
                       std::vector<Exon>& exons,
                       SplicedAlignment& alignment);

}  // namespace yupana::splice
