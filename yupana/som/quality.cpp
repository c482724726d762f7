#include "yupana/som/quality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som {

Quality quality(const NearestNeurons& nearest, const Grid& grid, int neighbors) {
  if (neighbors == 0) neighbors = default_neighbors(grid);
  const bool hexagonal = grid.lattice == Lattice::hexagonal;
  if (hexagonal ? neighbors != 6 : neighbors != 4 && neighbors != 8) {
    throw usage_error("som: expected {} neighbours, got {}", hexagonal ? "6" : "4 or 8", neighbors);
  }
  Quality result;
  const std::int64_t n = nearest.best.size();
  std::int64_t torn = 0;
  // Neumaier's sum: one thread, an error of one rounding however many samples.
  double sum = 0, lost = 0;
  for (std::int64_t s = 0; s < n; ++s) {
    const double value = nearest.best_distance[s];
    const double next = sum + value;
    lost += std::abs(sum) >= value ? (sum - next) + value : (value - next) + sum;
    sum = next;
    torn += !adjacent(grid, nearest.best[s], nearest.second[s], neighbors);
  }
  const auto count = static_cast<double>(n);
  result.quantization_error = (sum + lost) / count;
  result.topographic_error = grid.size() > 1 ? static_cast<double>(torn) / count
                                             : std::numeric_limits<double>::quiet_NaN();
  for (const std::int64_t count_of : hits(nearest, grid.size())) result.empty += count_of == 0;
  return result;
}

std::vector<std::int64_t> hits(const NearestNeurons& nearest, std::int64_t neurons) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(neurons), 0);
  for (const std::int32_t best : nearest.best) ++counts[static_cast<std::size_t>(best)];
  return counts;
}

std::vector<double> u_matrix(MatrixView<const float> codebook, const Grid& grid) {
  std::vector<double> heights;
  for (std::int64_t i = 0; i < grid.size(); ++i) {
    const auto around = neighbors_of(grid, i, default_neighbors(grid));
    double sum = 0;
    for (const std::int64_t other : around) {
      sum += std::sqrt(squared_distance(codebook.row(i), codebook.row(other), codebook.cols));
    }
    heights.push_back(around.empty() ? 0 : sum / static_cast<double>(around.size()));
  }
  return heights;
}

std::vector<std::int64_t> p_matrix(Context& context,
                                   MatrixView<const float> samples,
                                   MatrixView<const float> codebook,
                                   double radius) {
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return cuda::p_matrix(context, samples, codebook, radius);
#endif
  std::vector<std::int64_t> counts(static_cast<std::size_t>(codebook.rows), 0);
  std::mutex joining;
  // All neurons for some samples after the other: samples may be on a disk.
  context.parallel_for(samples.rows, 1024, [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> mine(counts.size(), 0);
    constexpr std::int64_t tile = 64;
    for (std::int64_t first = begin; first < end; first += tile) {
      context.check_cancelled();
      const std::int64_t last = std::min(end, first + tile);
      for (std::int64_t i = 0; i < codebook.rows; ++i) {
        std::int64_t count = 0;
        for (std::int64_t s = first; s < last; ++s) {
          const double d = squared_distance(samples.row(s), codebook.row(i), samples.cols);
          count += d <= radius * radius;
        }
        mine[static_cast<std::size_t>(i)] += count;
      }
    }
    const std::lock_guard lock(joining);
    for (std::size_t i = 0; i < mine.size(); ++i) counts[i] += mine[i];
  });
  return counts;
}

double pareto_radius(MatrixView<const float> samples, std::uint64_t seed, std::int64_t pairs) {
  if (samples.rows < 2) return 0;
  RandomSequence random(seed, 100);
  const auto draw = [&] {
    return static_cast<std::int64_t>(random.uniform() * static_cast<double>(samples.rows));
  };
  std::vector<double> distances;
  while (static_cast<std::int64_t>(distances.size()) < pairs) {
    const std::int64_t a = draw(), b = draw();
    if (a == b) continue;
    distances.push_back(squared_distance(samples.row(a), samples.row(b), samples.cols));
  }
  const auto at = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 5);
  std::nth_element(distances.begin(), at, distances.end());
  return std::sqrt(*at);
}

std::vector<std::int64_t> neuron_labels(const NearestNeurons& nearest,
                                        std::int64_t neurons,
                                        std::span<const std::int32_t> labels) {
  if (static_cast<std::int64_t>(labels.size()) != nearest.best.size()) {
    throw input_error(
        "som: expected a label for each of {} samples, got {}", nearest.best.size(), labels.size());
  }
  std::vector<std::map<std::int64_t, std::int64_t>> votes(static_cast<std::size_t>(neurons));
  for (std::size_t s = 0; s < labels.size(); ++s) {
    if (labels[s] < 0) continue;
    ++votes[static_cast<std::size_t>(nearest.best[static_cast<std::int64_t>(s)])][labels[s]];
  }
  std::vector<std::int64_t> result;
  for (const auto& counts : votes) {
    std::int64_t label = -1, most = 0;
    for (const auto& [candidate, count] : counts) {
      if (count > most) label = candidate, most = count;
    }
    result.push_back(label);
  }
  return result;
}

Array<std::int32_t> classified(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook,
                               const std::vector<std::int64_t>& neuron_labels) {
  std::vector<std::int32_t> labels;
  for (const std::int64_t label : neuron_labels) {
    if (label >= 0) labels.push_back(static_cast<std::int32_t>(label));
  }
  if (labels.empty()) {
    throw input_error("som: no neuron has a label; give labels when the map is trained");
  }
  Matrix<float> labelled(static_cast<std::int64_t>(labels.size()), codebook.cols);
  std::int64_t row = 0;
  for (std::int64_t i = 0; i < codebook.rows; ++i) {
    if (neuron_labels[static_cast<std::size_t>(i)] < 0) continue;
    std::copy_n(codebook.row(i), codebook.cols, labelled.row(row++));
  }
  NearestNeurons nearest = nearest_neurons(context, samples, labelled.view());
  for (std::int32_t& best : nearest.best) best = labels[static_cast<std::size_t>(best)];
  return std::move(nearest.best);
}

}  // namespace yupana::som
