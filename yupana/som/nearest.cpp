#include "yupana/som/nearest.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/random.hpp"
#include "yupana/som/som_backends.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som {

double squared_distance(const float* sample, const float* neuron, std::int64_t features) {
  double sum = 0;
  for (std::int64_t j = 0; j < features; ++j) {
    const double difference = double{sample[j]} - double{neuron[j]};
    const double square = difference * difference;
    sum += square;
  }
  return sum;
}

void check_finite(Context& context, MatrixView<const float> values, std::string_view what) {
#ifdef YUPANA_CUDA
  const int device = yupana::cuda::device_of(context, values.data);
  if (device >= 0) return static_cast<void>(cuda::finite_extents(device, values));
#endif
  std::atomic<std::int64_t> first{std::numeric_limits<std::int64_t>::max()};
  context.parallel_for(values.rows, 4096, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      float sum = 0;  // of zeros, unless a value is not finite
      for (std::int64_t j = 0; j < values.cols; ++j) sum += values(i, j) * 0.0f;
      if (sum == 0) continue;
      std::int64_t known = first.load();
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
      return;
    }
  });
  const std::int64_t row = first.load();
  if (row == std::numeric_limits<std::int64_t>::max()) return;
  std::int64_t column = 0;
  while (std::isfinite(values(row, column))) ++column;
  throw input_error(
      "som: expected finite numbers, got {} in row {}, column {} of the {}; fill or leave out such "
      "rows",
      values(row, column),
      row + 1,
      column + 1,
      what);
}

namespace {

void check(Context& context, MatrixView<const float> samples, MatrixView<const float> codebook) {
  if (samples.cols != codebook.cols) {
    throw input_error("som: expected samples of {} features, as the map has, got {}",
                      codebook.cols,
                      samples.cols);
  }
  if (codebook.rows < 1) throw input_error("som: a map without neurons");
  check_finite(context, samples, "samples");
  check_finite(context, codebook, "codebook");
}

}  // namespace

NearestNeurons nearest_neurons(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook) {
  check(context, samples, codebook);
  if (context.backend() == Backend::reference) {
    return reference::nearest_neurons(context, samples, codebook);
  }
#ifdef YUPANA_CUDA
  if (context.backend() == Backend::cuda) return cuda::nearest_neurons(context, samples, codebook);
#endif
  return cpu::nearest_neurons(context, samples, codebook);
}

void find_nearest([[maybe_unused]] Context& context,
                  [[maybe_unused]] MatrixView<const float> samples,
                  [[maybe_unused]] MatrixView<const float> codebook,
                  [[maybe_unused]] const NearestPlaces& to) {
#ifdef YUPANA_CUDA
  const int device = yupana::cuda::device_of(context, samples.data);
  check(context, samples, codebook);
  if (device >= 0) return cuda::find_nearest(context, device, samples, codebook, to);
#endif
  throw usage_error("som: expected samples in the memory of a GPU, got some of the host");
}

void fill_distances(Context& context,
                    MatrixView<const float> samples,
                    MatrixView<const float> codebook,
                    double* distances) {
  check(context, samples, codebook);
#ifdef YUPANA_CUDA
  const int device = yupana::cuda::device_of(context, samples.data);
  if (device >= 0) return cuda::fill_distances(context, device, samples, codebook, distances);
#endif
  context.parallel_for(samples.rows, 256, [&](std::int64_t i) {
    context.check_cancelled();
    for (std::int64_t k = 0; k < codebook.rows; ++k) {
      distances[i * codebook.rows + k] =
          std::sqrt(squared_distance(samples.row(i), codebook.row(k), samples.cols));
    }
  });
}

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
