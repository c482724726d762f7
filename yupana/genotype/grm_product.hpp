#pragma once

#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/grm.hpp"

namespace yupana::genotype {

/// sums += Z' Z x over the sites of a block, Z the standardized genotypes of its kept samples, 0
/// where missing; x and sums have a row for each of them. So a relationship matrix, where no call
/// is missing Z' Z / sites, is multiplied without being made. Returns the sum of the squares of Z.
///   method  per site what z of the commoner homozygote is for all, and for each other call what
///   its z
///           has more: additions of rows of x, none of them for the calls that most samples have
///   work: 2 samples x sites x columns additions times the share of the other calls; memory: x,
///   sums
///         and a row a site in whole groups of 24 columns. Dosages: 4 samples x sites x columns
///         operations; 64 sites of doubles
///   determinism: the same bits for any threads and processors, and for blocks of any whole number
///   of
///         64 sites
double add_grm_product(Context& context,
                       const CallBlock& block,
                       Standardize standardize,
                       MatrixView<const double> x,
                       MatrixView<double> sums);

/// Z x: one row a site of the block. Of principal components the loadings, but for their scale.
Matrix<double> site_products(Context& context,
                             const CallBlock& block,
                             Standardize standardize,
                             MatrixView<const double> x);

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
