#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/splice/align.hpp"

namespace yupana::job {

/// The alignments of all cases, each worked out by one rank: dealt longest first, `cells` saying
/// how long, always to the rank that has least so far. Every rank calls it with the same cases; the
/// first one returns the alignments in the order of the cases, the others nothing.
std::vector<splice::SplicedAlignment> align_by_ranks(
    Comm& comm,
    std::span<const splice::Case> cases,
    const std::vector<double>& cells,
    const std::function<std::vector<splice::SplicedAlignment>(std::span<const splice::Case>)>&
        align);

}  // namespace yupana::job
