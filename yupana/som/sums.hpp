#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/grid.hpp"

/// Private to the family: sums of samples per neuron, in fixed point.
namespace yupana::som {

/// Powers of two that turn a feature's values into integers of at most 39 bits, fewer where sums
/// over n samples would pass 2^62 otherwise.
struct FixedPoint {
  std::vector<double> scale;  ///< by feature

  static FixedPoint of(std::int64_t samples, const std::vector<float>& largest);
};

/// The largest absolute value of every feature.
std::vector<float> largest_values(Context& context, MatrixView<const float> samples);

/// Counts and sums of the samples of every neuron; addition is exact, in any order.
struct NeuronSums {
  Array<std::int64_t> count;  ///< K
  Array<std::int64_t> sum;    ///< K x d

  static NeuronSums zeros(std::int64_t neurons, std::int64_t features);
  void add(const NeuronSums& other);
};

/// The batch rule for all neurons: numerator and denominator summed in double in order of the
/// samples' neurons, product and sum rounded apart.
void smooth(Context& context,
            const NeuronSums& sums,
            const FixedPoint& fixed,
            const Grid& grid,
            const std::vector<double>& table,
            Matrix<float>& codebook);

}  // namespace yupana::som
