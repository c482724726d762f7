#pragma once

#include "yupana/core/context.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/job/fermat.hpp"
#include "yupana/job/load.hpp"

namespace yupana::job {

/// Individuals that --alpha auto looks at, at the most.
inline constexpr std::int64_t automatic_alpha_sample = 2048;

/// The alphas of a run: those given or, of --alpha auto, the one that its distances call for.
std::vector<double> alphas_of(Context& context,
                              const FermatJobParams& params,
                              const FermatInput& input);

/// Shortest paths of one alpha; the distances stay.
graph::FermatResult shortest_paths(Context& context,
                                   const FermatJobParams& params,
                                   const FermatInput& input,
                                   double alpha);

/// Facts about a call of graph::fermat, as records have them.
AlphaFindings findings_of(const graph::FermatFacts& facts);

}  // namespace yupana::job
