#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/graph/min_plus_cuda.hpp"

/// Private to the family: closing a matrix that is larger than the device. Only files of the CUDA
/// build include this.
namespace yupana::graph::cuda {

/// The closure of `weights` (a symmetric one of its lower triangle only) through the first device,
/// with strips of `strip` pivots. The bits are those of Closure with such strips. Returns a vertex
/// on a negative cycle, or -1. Throws out_of_resources if not even one strip fits.
template <class Kind>
std::int64_t close_streamed(Context& context,
                            Stage& stage,
                            MatrixView<typename Kind::Stored> weights,
                            bool symmetric,
                            std::int64_t strip);

}  // namespace yupana::graph::cuda
