#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/matrix.hpp"

/// Private to the family: the kernels of training on a GPU. Only files of the CUDA build include
/// this.
namespace yupana::som::cuda {

/// Samples on a device, n x d, `stride` floats a row.
struct DeviceSamples {
  const float* values = nullptr;
  std::int64_t rows = 0;
  std::int64_t features = 0;
  std::int64_t stride = 0;
};

/// A codebook on a device, K x d without gaps.
struct DeviceCodebook {
  float* weights = nullptr;
  const float* center = nullptr;  ///< near the neurons, by feature: searches measure from it
  std::int64_t neurons = 0;
  std::int64_t features = 0;
};

/// Sums of one iteration in fixed point.
struct DeviceSums {
  unsigned long long* sums = nullptr;    ///< K x d
  unsigned long long* counts = nullptr;  ///< K
  const double* scale = nullptr;         ///< by feature
};

/// Neurons [first, end).
struct NeuronRange {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// Whether the narrow kernel takes this shape: few features, a codebook that fits a block's memory.
bool is_narrow(std::int64_t neurons, std::int64_t features);
/// Search and sums in one kernel.
void launch_narrow(const DeviceSamples& samples,
                   const DeviceCodebook& codebook,
                   const DeviceSums& sums,
                   cudaStream_t stream);

/// Whether launch_product_sums() takes this shape, of those that are narrow.
bool has_product_sums(std::int64_t neurons, std::int64_t features);
/// As launch_narrow(), the sums as products of integers.
void launch_product_sums(const DeviceSamples& samples,
                         const DeviceCodebook& codebook,
                         const DeviceSums& sums,
                         cudaStream_t stream);

/// Where launch_exact writes; places of nearest.hpp by sample, null if not needed.
struct ExactOutput {
  std::int32_t* best = nullptr;
  std::int32_t* second = nullptr;
  double* best_distance = nullptr;
  double* second_distance = nullptr;
};
/// By D in double, for all samples or, where `list` is given, for the `*count` samples it names.
void launch_exact(const DeviceSamples& samples,
                  const DeviceCodebook& codebook,
                  const std::int32_t* list,
                  const std::int64_t* count,
                  const ExactOutput& output,
                  cudaStream_t stream);

/// Adds to counts[i] the samples of which D to neuron i is at most `most`.
void launch_within(const DeviceSamples& samples,
                   const DeviceCodebook& codebook,
                   double most,
                   unsigned long long* counts,
                   cudaStream_t stream);

/// The neighbourhood of an iteration on the device.
struct DeviceNeighborhood {
  const double* table = nullptr;  ///< neighborhood_table()
  int rows = 0, cols = 0;
  bool hexagonal = false, toroidal = false;
};
/// Two matrices of K x (d + 1) for maps whose rule pays off as a product in tiles; null for others.
struct SmoothScratch {
  double* values = nullptr;
  double* products = nullptr;
};
/// The batch rule from `sums`, in the order of smooth(), for some neurons (all, without scratch);
/// their `next` becomes zero. A range begins at a multiple of smooth_edge.
inline constexpr int smooth_edge = 64;
void launch_smooth(const DeviceCodebook& codebook,
                   NeuronRange neurons,
                   const DeviceSums& sums,
                   const DeviceSums& next,
                   const DeviceNeighborhood& neighborhood,
                   const SmoothScratch& scratch,
                   cudaStream_t stream);

/// distances[i * neurons + k] = sqrt(D(sample i, neuron k)) in device memory: the bits of
/// squared_distance() and of the processor's root. Of the codebook the weights alone are read. The
/// host does not wait.
void launch_distances(const DeviceSamples& samples,
                      const DeviceCodebook& codebook,
                      double* distances,
                      cudaStream_t stream);

/// Rows of a host matrix on the current device, without gaps. Waits.
yupana::cuda::DeviceArray<float> copied(MatrixView<const float> samples,
                                        std::int64_t first,
                                        std::int64_t rows);

}  // namespace yupana::som::cuda
