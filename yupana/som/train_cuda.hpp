#pragma once

#include <cstdint>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/nearest.hpp"
#include "yupana/som/train.hpp"

/// Private to the family.
namespace yupana::som::cuda {

void train_batch(Context& context,
                 MatrixView<const float> samples,
                 const SomParams& params,
                 Matrix<float>& codebook);
NearestNeurons nearest_neurons(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook);
/// Trains on samples that the first device of `context` holds, rows without gaps; `largest` by
/// feature. Returns the seconds from start to the trained codebook on the device.
double train_resident(Context& context,
                      const float* samples,
                      std::int64_t rows,
                      const std::vector<float>& largest,
                      const SomParams& params,
                      Matrix<float>& codebook);

}  // namespace yupana::som::cuda
