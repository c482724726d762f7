#pragma once

#include <string>

#include "yupana/job/fermat.hpp"

/// Fermat distances of a cohort whose matrices no rank holds.
namespace yupana::job {

/// True if the ranks can share the matrices of this run: from genotypes, paths over all of them,
/// given powers.
bool can_distribute(const Context& context, const FermatJobParams& params);

/// The option that keeps the matrices of several ranks on the first; empty if none does.
std::string needs_first_rank(const FermatJobParams& params);

/// Counts, distances, weights, lengths, each rank its own tiles; every rank writes rows of
/// .dist.npy and .fermat.npy. The same bytes as those of one process with `matrix_only`.
FermatJobResult run_distributed(Context& context, const FermatJobParams& params, Input& input);

/// Its plan: memory is that of each rank.
Plan plan_distributed(Context& context, const Input& input, const FermatJobParams& params);

}  // namespace yupana::job
