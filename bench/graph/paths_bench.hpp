#pragma once

#include "bench/support/bench.hpp"

namespace yupana::bench {

/// Closures on GPUs (CUDA builds), weights in device memory.
void paths_cuda(Context& context, const BenchParams& params);

}  // namespace yupana::bench
