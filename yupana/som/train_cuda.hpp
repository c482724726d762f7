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
/// Of samples in the memory of a GPU: the largest absolute value of every feature. Throws for what
/// is not finite.
std::vector<float> finite_extents(int device, MatrixView<const float> samples);
/// Some of their rows, on the host.
Matrix<float> fetched_rows(int device,
                           MatrixView<const float> samples,
                           const std::vector<std::int64_t>& chosen);
void find_nearest(Context& context,
                  int device,
                  MatrixView<const float> samples,
                  MatrixView<const float> codebook,
                  const NearestPlaces& to);
void fill_distances(Context& context,
                    int device,
                    MatrixView<const float> samples,
                    MatrixView<const float> codebook,
                    double* distances);

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
