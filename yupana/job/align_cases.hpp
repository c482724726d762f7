#pragma once

#include <functional>
#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/align.hpp"

namespace yupana::job {

/// The alignments of all cases, in their order; each made by one rank of the context: longest
/// first, `cells` saying how long, always to the rank that has the least work so far. Collective,
/// with the same cases: ranks other than the first return nothing.
std::vector<splice::SplicedAlignment> align_cases(
    Context& context,
    std::span<const splice::Case> cases,
    const std::vector<double>& cells,
    const std::function<std::vector<splice::SplicedAlignment>(std::span<const splice::Case>)>&
        align);

}  // namespace yupana::job
