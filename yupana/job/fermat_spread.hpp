#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yupana/core/error.hpp"
#include "yupana/job/fermat.hpp"

/// Fermat distances of a cohort whose matrices no rank holds.
namespace yupana::job {

/// True if the ranks can share the matrices of this run: from genotypes, paths over all of them,
/// given powers.
bool can_spread(const Context& context, const FermatJobParams& params, int ranks);

/// The option that keeps the matrices of several ranks on the first; empty if none does.
std::string needs_first_rank(const FermatJobParams& params);

/// Counts, distances, weights, lengths, each rank its own tiles; every rank writes rows of
/// .dist.npy and .fermat.npy. The same bytes as those of one process with `matrix_only`.
FermatJobResult run_spread_fermat(Context& context, const FermatJobParams& params, Input& input);

/// Its plan: memory is that of each rank.
Plan plan_spread_fermat(Context& context, const Input& input, const FermatJobParams& params);

/// True if every d^2 of these counts is an integer that an int32 holds with room: no call missing.
bool whole_squares(const genotype::PairCounts& counts);

/// `pairs` pairs share no site, the first of them i and j.
Error unshared_error(std::int64_t pairs,
                     const std::vector<std::string>& names,
                     std::int64_t i,
                     std::int64_t j);

}  // namespace yupana::job
