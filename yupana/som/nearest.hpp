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

/// D(x, i).
double squared_distance(const float* sample, const float* neuron, std::int64_t features);

/// Throws bad_input naming the first value that is not finite: "row 3, column 2 of the samples".
void check_finite(Context& context, MatrixView<const float> values, std::string_view what);

}  // namespace yupana::som
