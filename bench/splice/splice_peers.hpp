#pragma once

#include "bench/support/bench.hpp"

namespace yupana::bench {

/// Annotated genes of the folder of --data: seconds and exons found exactly, ours with --exons
/// auto, exonerate, spaln and minimap2 where installed.
void measure_genes(Context& context, const BenchParams& params);

}  // namespace yupana::bench
