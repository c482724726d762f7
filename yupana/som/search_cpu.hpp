#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/matrix.hpp"

/// Private to the family: the vector kernels of the search on the CPU.
namespace yupana::som::cpu {

/// Neurons whose scores are summed side by side.
inline constexpr std::int64_t group_neurons = 8;
/// Samples searched at once: two vectors of 16.
inline constexpr std::int64_t tile_samples = 32;

/// A codebook for the kernels: by group of neurons |w|^2 and then, by feature, -2 w of each. Places
/// past the last neuron have |w|^2 = infinity.
struct PackedCodebook {
  std::int64_t neurons = 0;
  std::int64_t features = 0;
  double norm = 0;  ///< largest |w|
  Array<float> groups;

  std::int64_t count() const { return (neurons + group_neurons - 1) / group_neurons; }
  const float* group(std::int64_t index) const {
    return groups.data() + index * group_neurons * (features + 1);
  }
};
PackedCodebook packed(MatrixView<const float> codebook);

/// By sample: the smallest and second smallest |w|^2 - 2 x w, in float, and the smallest one's
/// neuron.
struct TileFound {
  alignas(64) float best[tile_samples];
  alignas(64) float second[tile_samples];
  alignas(64) std::int32_t neuron[tile_samples];
};

/// The kernels for this processor.
struct SearchKernels {
  /// Searches rows <= tile_samples samples; `turned` holds features x tile_samples floats.
  void (*search)(const PackedCodebook& codebook,
                 const float* samples,
                 std::int64_t stride,
                 std::int64_t rows,
                 float* turned,
                 TileFound& found);
  /// |w|^2 - 2 x w of one sample for every place of every group.
  void (*scores)(const PackedCodebook& codebook, const float* sample, float* out);
  /// sums[neuron][j] += round(x_j scale[j]) and ++counts[neuron] for `rows` samples.
  void (*add_samples)(const float* samples,
                      std::int64_t stride,
                      std::int64_t rows,
                      const std::int32_t* neurons,
                      const double* scale,
                      std::int64_t features,
                      std::int64_t* counts,
                      std::int64_t* sums);
  /// to[j] += factor from[j], product and sum rounded apart.
  void (*add_scaled)(double factor, const double* from, std::int64_t features, double* to);
};
const SearchKernels& search_kernels();

}  // namespace yupana::som::cpu
