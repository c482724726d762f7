#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

/// Only files of the CUDA build include this.
/// Private to the family: matrices of floats as the copy engine of Hopper knows them.
namespace yupana::spectral::cuda {

/// Boxes of a matrix that are copied at a time.
struct Box {
  int columns;
  int rows;
};

/// `height` rows of `width` values, contiguous; `data` begins at a multiple of 16 bytes.
CUtensorMap matrix_of(const float2* data, std::int64_t width, std::int64_t height, Box box);

/// Whether the driver describes matrices to that engine; kernels that use it exist in some variants
/// only (core/cuda/launch.hpp).
bool has_tensor_maps();

}  // namespace yupana::spectral::cuda
