#pragma once

#include "yupana/core/context.hpp"
#include "yupana/job/trees.hpp"

namespace yupana::job {

/// If a forest can grow without its table in memory: each tree on a part of the rows of its own
/// (Sampling::partition), of classes by the Gini index, nothing weighed, folded or drawn again.
/// Numbers and weights are rounded by their sum over all rows, which a part does not know.
bool grows_in_parts(const FitTreesParams& params);

/// The model that fit_trees gives, not yet written, from a table that is read several times: once
/// for its labels, then for as many trees at a time as fit in memory, then to look back. --memory
/// changes no bit.
///   memory: 12 bytes a row of the table, a part's rows and sorted lists
///   errors: as fit_trees; out_of_resources if one part does not fit
template <class T>
FitTreesResult fit_in_parts(Context& context, const FitTreesParams& params);

}  // namespace yupana::job
