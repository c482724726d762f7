#pragma once

#include "bench/support/bench.hpp"

namespace yupana::bench {

/// `yupana bench fft`, `polymul` and `matmul` on a GPU (CUDA builds): arrays in device memory,
/// device events.
void fft_cuda(Context& context, const BenchParams& params);
void polymul_cuda(Context& context, const BenchParams& params);
void matmul_cuda(Context& context, const BenchParams& params);

}  // namespace yupana::bench
