#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/grid.hpp"
#include "yupana/som/nearest.hpp"

namespace yupana::som {

struct Quality {
  double quantization_error = 0;  ///< mean distance of a sample to its best neuron
  /// Share of samples whose best and second best neuron are not adjacent; NaN for one neuron.
  double topographic_error = 0;
  std::int64_t empty = 0;  ///< neurons that are no sample's best
};

/// `neighbors`: 4, 8 (rectangular) or 6 (hexagonal); 0: 8 or 6. Sums in an order of their own: the
/// same bits for any number of threads. Throws usage for a count that the lattice does not have.
Quality quality(const NearestNeurons& nearest, const Grid& grid, int neighbors = 0);

/// Samples of every neuron, K.
std::vector<std::int64_t> hits(const NearestNeurons& nearest, std::int64_t neurons);

/// U-matrix (Ultsch, Siemon 1990): mean distance of a neuron's weights to those of its 8 (or 6)
/// adjacent neurons; 0 for one neuron. K values.
std::vector<double> u_matrix(MatrixView<const float> codebook, const Grid& grid);

/// P-matrix (Ultsch 2003): samples within `radius` of every neuron's weights, K: those of D(x, i)
/// <= radius^2, see nearest.hpp. Work n K d in double, on all threads or all devices; the same
/// counts.
std::vector<std::int64_t> p_matrix(Context& context,
                                   MatrixView<const float> samples,
                                   MatrixView<const float> codebook,
                                   double radius);
/// The radius that a P-matrix takes by default: the 20th percentile of the distances between
/// `pairs` pairs of samples drawn with `seed`, within which 20 % of the samples are on average
/// (Ultsch's Pareto radius).
double pareto_radius(MatrixView<const float> samples,
                     std::uint64_t seed,
                     std::int64_t pairs = 5000);

/// The class most samples of a neuron have, ties to the smallest; -1 where a neuron has none.
/// `labels`: classes from 0, one a sample; -1 is not counted.
std::vector<std::int64_t> neuron_labels(const NearestNeurons& nearest,
                                        std::int64_t neurons,
                                        std::span<const std::int32_t> labels);

/// Classes of samples: the label of the nearest neuron that has one. Throws bad_input if none has.
Array<std::int32_t> classified(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook,
                               const std::vector<std::int64_t>& neuron_labels);

}  // namespace yupana::som
