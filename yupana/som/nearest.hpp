#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/grid.hpp"

namespace yupana::som {

/// The best and the second best matching neuron of every sample. With one neuron there is no
/// second: -1 and infinity.
struct NearestNeurons {
  Array<std::int32_t> best, second;
  Array<double> best_distance, second_distance;  ///< Euclidean
};

/// The neurons nearest to samples (n x d) in a codebook (K x d).
///
///   D(x, i) = sum over features j, in their order, of (x_j - w_ij)^2, in double without fused
///   multiply-add; ties go to the smaller neuron. Work n K d; most of it in float, whose rounding
///   bound says where double must decide, so that every backend finds the same neurons.
///   Throws bad_input where shapes differ or a value is not finite (row and column named).
NearestNeurons nearest_neurons(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook);

/// Where the neurons of every sample go; null where they are not wanted.
struct NearestPlaces {
  std::int32_t *best = nullptr, *second = nullptr;
  double *best_distance = nullptr, *second_distance = nullptr;
};
/// The same of samples in the memory of a GPU of the context, as are the places.
void find_nearest(Context& context,
                  MatrixView<const float> samples,
                  MatrixView<const float> codebook,
                  const NearestPlaces& to);

/// distances[i * K + k] = sqrt(D(x_i, w_k)), n x K; samples and distances on the host or on a GPU.
void fill_distances(Context& context,
                    MatrixView<const float> samples,
                    MatrixView<const float> codebook,
                    double* distances);

/// D(x, i).
double squared_distance(const float* sample, const float* neuron, std::int64_t features);

/// Throws bad_input naming the first value that is not finite: "row 3, column 2 of the samples"; in
/// the memory of a GPU its column alone.
void check_finite(Context& context, MatrixView<const float> values, std::string_view what);

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
