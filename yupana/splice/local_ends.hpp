#pragma once

#include <vector>

#include "yupana/splice/align.hpp"

namespace yupana::splice {

struct StretchParams {
  int score_scale = 1;                       ///< a match counts so many times
  std::int64_t max_intron = largest_length;  ///< no stretch spans a longer one
};

/// What an intron costs a stretch: log4 of its length in matches, (floor(log2) + 1) / 2, for as
/// many letters lie somewhere in so many bases by chance.
std::int64_t intron_prior(std::int64_t bases, const StretchParams& stretch);

/// Leaves the best stretch of a cDNA's alignment: of all stretches of neighbouring columns one
/// whose letters, gaps and inner junctions, less the priors of inner introns, add up to most; the
/// first that ends of equal ones, and the shortest. It begins and ends with a column that gains.
/// The score is then the sum without priors. `exons` are the chain's own, in its order, and are cut
/// with it; begin and end of those left are 0, for a stretch may begin and end anywhere. The chain
/// is empty, and the score 0, where no column gains.
///   work: linear in the columns
void keep_best_stretch(const Case& problem,
                       const AlignParams& params,
                       const StretchParams& stretch,
                       std::vector<Exon>& exons,
                       SplicedAlignment& alignment);

/// Extends the first and the last exon of a stretch by the columns further on that add up to most:
/// letters that the chain had in other exons, or none. Without introns, 64 letters at a time as
/// long as they gain; fewest letters, then fewest bases of equal ones. The score is then the sum of
/// all.
///   work: 64 x 80 for each 64 letters
void extend_stretch(const Case& problem,
                    const AlignParams& params,
                    std::vector<Exon>& exons,
                    SplicedAlignment& alignment);

}  // namespace yupana::splice
