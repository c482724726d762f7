#pragma once

#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/grm.hpp"

namespace yupana::genotype {

/// How a site's genotypes are standardized: z = (x - 2 frequency) / deviation, 0 where missing, and
/// for all where the deviation is 0.
struct SiteScale {
  double frequency = 0;  ///< of A1
  double deviation = 0;
};

/// Of the sites of a block, over its kept samples, as its relationship matrix has them.
std::vector<SiteScale> site_scales(Context& context,
                                   const CallBlock& block,
                                   Standardize standardize);

/// What a site adds to the scores of every sample.
struct SiteScore {
  SiteScale scale;
  bool exchanged = false;           ///< the scale is of A2
  const double* weights = nullptr;  ///< one a column of scores; null: the site adds nothing
};

/// scores(i, k) += sum over the block's sites of z(site, i) weights(site, k), in the order of
/// sites. `sites`: one a site; scores: a row a kept sample.
///   work: samples x sites x columns; determinism: the same bits for any threads and blocks
void add_scores(Context& context,
                const CallBlock& block,
                std::span<const SiteScore> sites,
                MatrixView<double> scores);

}  // namespace yupana::genotype
