#pragma once

#include <cstdint>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/matrix.hpp"
#include "yupana/som/grid.hpp"
#include "yupana/som/schedule.hpp"

namespace yupana::som {

/// uniform: [0, 1). samples: samples drawn without repetition while enough remain. pca: the
/// plane of the two largest principal components, two standard deviations wide.
enum class Initial { uniform, samples, pca };

enum class Training { batch, online };

struct SomParams {
  Grid grid;
  Neighborhood neighborhood = Neighborhood::gaussian;
  Schedule schedule;
  Initial initial = Initial::samples;
  Training training = Training::batch;
  double learning_rate = 0.5;  ///< of online training: decays as sigma does
  std::uint64_t seed = 0;
};

/// The codebook before training, K x d; the same on every backend.
Matrix<float> initial_codebook(Context& context,
                               MatrixView<const float> samples,
                               const SomParams& params);

/// The rows of `samples` that Initial::samples takes for the neurons.
std::vector<std::int64_t> drawn_rows(std::int64_t samples,
                                     std::int64_t neurons,
                                     std::uint64_t seed);

/// A self-organizing map of samples (n x d; on the host or, for batch training and but for
/// Initial::pca, in the memory of a GPU of the context, rows without gaps), K = rows x cols neurons
/// (Kohonen, *Self-Organizing Maps*, 2001).
///
///   Batch: in iteration t, with h the neighbourhood at sigma(t) and b(x) the nearest neuron,
///     w_i <- sum_x h(b(x), i) x / sum_x h(b(x), i), unchanged where the denominator is 0.
///   Samples are summed per neuron in fixed point (39 bits below each feature's largest value, 62 -
///   log2 n where that is less) and then smoothed by h in double, in order of neurons: the same
///   bits for any backend, thread, device or partition count. Online: one sample at a time in a
///   random order, w_i <- w_i + eta h (x - w_i), one thread. Work: iterations x n K d. Memory: the
///   codebook, K d sums a thread. Throws usage for a map, radius or count that cannot be, bad_input
///   for no samples and for a value that is not finite.
///   Collective: every rank has all samples and returns the codebook. They share the search of a
///   batch training on CPUs; online and on GPUs each trains alone.
/// Returns the codebook, K x d.
Matrix<float> train(Context& context, MatrixView<const float> samples, const SomParams& params);

/// The same from a given codebook: several calls, or machines, continue from it.
Matrix<float> train_from(Context& context,
                         MatrixView<const float> samples,
                         Matrix<float> codebook,
                         const SomParams& params);

}  // namespace yupana::som
