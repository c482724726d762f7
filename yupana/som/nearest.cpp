#include "yupana/som/nearest.hpp"

#include <atomic>
#include <cmath>
#include <limits>

#include "yupana/core/cuda/place.hpp"
#include "yupana/core/messages.hpp"
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

}  // namespace yupana::som
