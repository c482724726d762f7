#pragma once

#include "bench/support/bench.hpp"

namespace yupana::bench {

/// The ten vertebrate genes of ../shared/data (where they are): seconds and exons found exactly,
/// ours with --exons auto, exonerate and minimap2 where installed.
void measure_genes(Context& context, const BenchParams& params);

}  // namespace yupana::bench
