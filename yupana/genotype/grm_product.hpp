#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/genotype/cohort.hpp"
#include "yupana/genotype/grm.hpp"

namespace yupana::genotype {

/// sums += Z' Z x over the sites of a block, Z the standardized genotypes of its kept samples, 0
/// where missing; x and sums have a row for each of them. So a relationship matrix, where no call
/// is missing Z' Z / sites, is multiplied without being made. Returns the sum of the squares of Z.
///   work: 4 samples x sites x columns operations; memory: 64 sites of doubles
///   determinism: the same bits for any threads, and for blocks of any whole number of 64 sites
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

}  // namespace yupana::genotype
