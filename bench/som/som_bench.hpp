#pragma once

#include "bench/support/bench.hpp"
#include "yupana/som/train.hpp"

namespace yupana::bench {

/// Shape of a measured training; the samples are normal with two centers.
struct SomCase {
  std::int64_t samples, features;
  som::SomParams params;
};

/// Whether the backend of `context` has the reference's bits on a small table of the case's width.
bool trains_like_reference(Context& context, const SomCase& which);

/// The GPU part of `yupana bench som`; only in CUDA builds.
void som_cuda(Context& context, const BenchParams& params);

}  // namespace yupana::bench
