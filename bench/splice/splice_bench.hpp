#pragma once

#include "bench/support/bench.hpp"

namespace yupana::bench {

/// Spliced alignment on GPUs (CUDA builds), everything but reading files.
void splice_cuda(Context& context, const BenchParams& params);

}  // namespace yupana::bench
