#pragma once

#include <cuda_runtime.h>

#include "yupana/splice/device_batch_cuda.hpp"

/// Private to the family: the kernels, by what all cases of a batch have in common. Only files of
/// the CUDA build include this.
namespace yupana::splice::cuda {

/// Bytes of shared memory per warp at most.
inline constexpr int most_shared_bytes = 96 << 10;

/// Whether 16-bit scores are PackedHalves in the code that the current device runs.
bool packed_are_half_floats();
/// Programs from bases: letter numbers, or the selectors of packed scores; then all blocks of all
/// cases, scores and best last exons.
void launch_forward(Width width, bool affine, const DeviceBatch& batch, cudaStream_t stream);
/// Alignments of all cases that did not overflow, by `warps` warps.
void launch_trace(
    Width width, bool affine, const DeviceBatch& batch, int warps, cudaStream_t stream);

}  // namespace yupana::splice::cuda
