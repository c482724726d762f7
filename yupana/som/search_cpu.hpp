#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/matrix.hpp"

/// Private to the family: the vector kernels of the search on the CPU.
namespace yupana::som::cpu {

/// A codebook for the kernels: panels of `width` neurons side by side, each |w|^2 of its neurons
/// and then, by feature, -2 w. Places behind the last neuron have |w|^2 = infinity.
struct PackedCodebook {
  std::int64_t neurons = 0;
  std::int64_t features = 0;
  std::int64_t width = 0;
  double norm = 0;  ///< largest |w|
  Array<float> panels;

  std::int64_t count() const { return width > 0 ? (neurons + width - 1) / width : 0; }
  const float* panel(std::int64_t index) const {
    return panels.data() + index * width * (features + 1);
  }
};
PackedCodebook packed(MatrixView<const float> codebook);

/// The smallest and second smallest of |w|^2 - 2 x w, in float, and where the smallest is.
struct Found {
  float best = 0;
  float second = 0;
  std::int32_t index = 0;
};

/// Samples that a call of search() takes at once, at most.
inline constexpr std::int64_t most_rows = 12;

std::int64_t panel_width();
/// `found` for rows <= most_rows samples.
void search(const PackedCodebook& codebook,
            const float* samples,
            std::int64_t stride,
            std::int64_t rows,
            Found* found);
/// |w|^2 - 2 x w of one sample for every place of every panel.
void scores(const PackedCodebook& codebook, const float* sample, float* out);
/// sums[j] += round(sample[j] scale[j]).
void add_fixed(const float* sample, const double* scale, std::int64_t features, std::int64_t* sums);

/// to[j] += factor from[j], product and sum rounded apart.
void add_scaled(double factor, const double* from, std::int64_t features, double* to);

}  // namespace yupana::som::cpu
