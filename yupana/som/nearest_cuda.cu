// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <fmt/format.h>

#include <algorithm>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/error.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som::cuda {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;
using yupana::cuda::DeviceScope;
using yupana::cuda::Stream;

namespace {

/// Samples that go to the device at once, beside the codebook.
std::int64_t rows_that_fit(Context& context,
                           std::int64_t samples,
                           std::int64_t neurons,
                           std::int64_t features) {
  const std::uint64_t map = static_cast<std::uint64_t>(neurons * features) * sizeof(float);
  const auto row = static_cast<std::uint64_t>(features) * sizeof(float) + 24;
  const std::uint64_t room = context.gpu_memory() > map ? context.gpu_memory() - map : 0;
  const auto rows = static_cast<std::int64_t>(room / row);
  if (rows < std::min<std::int64_t>(samples, 1024)) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("som: {} MB on the device wanted for a map of {} neurons, {} features "
                            "and 1,024 samples, --gpu-memory allows {}",
                            (map + 1024 * row) >> 20,
                            neurons,
                            features,
                            context.gpu_memory() >> 20));
  }
  return std::min(rows, samples);
}

}  // namespace

DeviceArray<float> copied(MatrixView<const float> samples, std::int64_t first, std::int64_t rows) {
  DeviceArray<float> array(rows * samples.cols);
  const auto width = static_cast<std::size_t>(samples.cols) * sizeof(float);
  check(cudaMemcpy2D(array.data(),
                     width,
                     samples.row(first),
                     static_cast<std::size_t>(samples.stride) * sizeof(float),
                     width,
                     static_cast<std::size_t>(rows),
                     cudaMemcpyHostToDevice),
        "copy samples");
  check(cudaStreamSynchronize(nullptr), "copy samples");
  return array;
}

NearestNeurons nearest_neurons(Context& context,
                               MatrixView<const float> samples,
                               MatrixView<const float> codebook) {
  const DeviceScope scope(context.devices().front());
  const Stream stream;
  const std::int64_t n = samples.rows;
  yupana::Stage stage(context, "nearest neurons", static_cast<double>(n), "samples");
  NearestNeurons result{
      Array<std::int32_t>(n), Array<std::int32_t>(n), Array<double>(n), Array<double>(n)};
  Matrix<float> weights(codebook.rows, codebook.cols);
  for (std::int64_t i = 0; i < codebook.rows; ++i) {
    std::copy_n(codebook.row(i), codebook.cols, weights.row(i));
  }
  DeviceArray<float> map(codebook.rows * codebook.cols);
  check(cudaMemcpy(map.data(), weights.data(), map.bytes(), cudaMemcpyHostToDevice),
        "copy the codebook");
  const std::int64_t piece = rows_that_fit(context, n, codebook.rows, codebook.cols);
  for (std::int64_t first = 0; first < n; first += piece) {
    const std::int64_t rows = std::min(piece, n - first);
    const DeviceArray<float> held = copied(samples, first, rows);
    context.count_moved(held.bytes());
    DeviceArray<std::int32_t> neurons[2] = {DeviceArray<std::int32_t>(rows),
                                            DeviceArray<std::int32_t>(rows)};
    DeviceArray<double> distances[2] = {DeviceArray<double>(rows), DeviceArray<double>(rows)};
    launch_exact({held.data(), rows, samples.cols, samples.cols},
                 {map.data(), nullptr, nullptr, nullptr, codebook.rows, codebook.cols},
                 nullptr,
                 nullptr,
                 {neurons[0].data(), neurons[1].data(), distances[0].data(), distances[1].data()},
                 stream);
    stream.wait();
    const auto back = [](auto* to, const auto& from) {
      check(cudaMemcpy(to, from.data(), from.bytes(), cudaMemcpyDeviceToHost), "read neurons");
    };
    back(result.best.data() + first, neurons[0]);
    back(result.second.data() + first, neurons[1]);
    back(result.best_distance.data() + first, distances[0]);
    back(result.second_distance.data() + first, distances[1]);
    stage.advance(static_cast<double>(rows));
  }
  return result;
}

}  // namespace yupana::som::cuda
