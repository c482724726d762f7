#pragma once

#include <cstdint>

#include "yupana/core/array.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"

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

}  // namespace yupana::som
