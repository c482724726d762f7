#include <cmath>
#include <limits>

#include "yupana/som/som_backends.hpp"

namespace yupana::som::reference {

NearestNeurons nearest_neurons(Context&, Samples samples, Samples codebook) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::int64_t n = samples.rows;
  NearestNeurons result{
      Array<std::int32_t>(n), Array<std::int32_t>(n), Array<double>(n), Array<double>(n)};
  for (std::int64_t s = 0; s < n; ++s) {
    std::int32_t best = 0, second = -1;
    double nearest = infinity, next = infinity;
    for (std::int32_t i = 0; i < codebook.rows; ++i) {
      const double d = squared_distance(samples.row(s), codebook.row(i), samples.cols);
      if (d < nearest) {
        if (i > 0) second = best, next = nearest;
        best = i, nearest = d;
      } else if (d < next) {
        second = i, next = d;
      }
    }
    result.best[s] = best;
    result.second[s] = second;
    result.best_distance[s] = std::sqrt(nearest);
    result.second_distance[s] = std::sqrt(next);
  }
  return result;
}

NeuronSums sum_by_neuron(Context& context,
                         Samples samples,
                         Samples codebook,
                         const FixedPoint& fixed) {
  const NearestNeurons nearest = reference::nearest_neurons(context, samples, codebook);
  NeuronSums sums = NeuronSums::zeros(codebook.rows, samples.cols);
  for (std::int64_t s = 0; s < samples.rows; ++s) {
    const std::int64_t neuron = nearest.best[s];
    ++sums.count[neuron];
    for (std::int64_t j = 0; j < samples.cols; ++j) {
      const double scaled = double{samples(s, j)} * fixed.scale[static_cast<std::size_t>(j)];
      sums.sum[neuron * samples.cols + j] += static_cast<std::int64_t>(std::nearbyint(scaled));
    }
  }
  return sums;
}

}  // namespace yupana::som::reference
