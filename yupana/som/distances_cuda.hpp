#pragma once

#include <cuda_runtime.h>

#include "yupana/som/search_cuda.hpp"

/// Only files of the CUDA build include this.
namespace yupana::som::cuda {

/// distances[i * neurons + k] = sqrt(D(sample i, neuron k)) in device memory: the bits of
/// squared_distance() and of the processor's root. Of the codebook the weights alone are read. The
/// host does not wait.
void launch_distances(const DeviceSamples& samples,
                      const DeviceCodebook& codebook,
                      double* distances,
                      cudaStream_t stream);

}  // namespace yupana::som::cuda
