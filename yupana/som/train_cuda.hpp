#pragma once

#include <cstdint>
#include <vector>

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
std::vector<std::int64_t> p_matrix(Context& context,
                                   MatrixView<const float> samples,
                                   MatrixView<const float> codebook,
                                   double radius);
/// Samples that a device holds, rows without gaps.
struct ResidentShare {
  int device;
  const float* samples;
  std::int64_t rows;
};
/// Trains on samples that the devices hold; `largest` by feature. Returns the seconds from start to
/// the trained codebook on the first of them.
double train_resident(Context& context,
                      const std::vector<ResidentShare>& shares,
                      const std::vector<float>& largest,
                      const SomParams& params,
                      Matrix<float>& codebook);

}  // namespace yupana::som::cuda
