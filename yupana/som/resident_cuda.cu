// Samples that are in the memory of a GPU.
#pragma nv_diag_suppress 554  // as in train_cuda.cu
#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/search_cuda.hpp"
#include "yupana/som/train_cuda.hpp"

namespace yupana::som::cuda {

using namespace yupana::cuda;

namespace {

constexpr int edge = 32, rows_at_once = 8;
constexpr int threads = 256;
constexpr std::int64_t most_blocks = 1024;

/// Bits of floats without their sign are in the order of their sizes, infinity and NaN above all.
__global__ void extents_kernel(const float* values,
                               std::int64_t stride,
                               std::int64_t rows,
                               std::int64_t cols,
                               unsigned* most) {
  const std::int64_t column = std::int64_t{blockIdx.y} * edge + threadIdx.x;
  if (column >= cols) return;
  unsigned mine = 0;
  for (std::int64_t i = std::int64_t{blockIdx.x} * rows_at_once + threadIdx.y; i < rows;
       i += std::int64_t{gridDim.x} * rows_at_once) {
    mine = max(mine, __float_as_uint(values[i * stride + column]) & 0x7fffffffu);
  }
  atomicMax(most + column, mine);
}

__global__ void rows_kernel(const float* values,
                            std::int64_t stride,
                            std::int64_t cols,
                            const std::int64_t* chosen,
                            std::int64_t count,
                            float* to) {
  for (std::int64_t at = std::int64_t{blockIdx.x} * threads + threadIdx.x; at < count * cols;
       at += std::int64_t{gridDim.x} * threads) {
    to[at] = values[chosen[at / cols] * stride + at % cols];
  }
}

/// work(samples, codebook, the first one's row, stream) on pieces of about a fifth of a second, so
/// long as a call that is cancelled waits, and the end of each.
template <class Work>
void in_pieces(Context& context,
               const char* name,
               int device,
               MatrixView<const float> samples,
               MatrixView<const float> codebook,
               const Work& work) {
  const DeviceScope scope(device);
  DeviceArray<float> weights = copied(codebook, 0, codebook.rows);
  const DeviceCodebook map = {weights.data(), nullptr, codebook.rows, codebook.cols};
  const yupana::cuda::Stream stream;
  Stage stage(context, name, static_cast<double>(samples.rows), "samples");
  constexpr std::int64_t most_work = 1'000'000'000'000;
  const std::int64_t piece = std::max<std::int64_t>(1 << 14, most_work / weights.size());
  for (std::int64_t first = 0; first < samples.rows; first += piece) {
    const std::int64_t count = std::min(piece, samples.rows - first);
    work(
        DeviceSamples{samples.row(first), count, samples.cols, samples.stride}, map, first, stream);
    stream.wait();
    stage.advance(static_cast<double>(count));
  }
}

}  // namespace

std::vector<float> finite_extents(int device, MatrixView<const float> samples) {
  if (samples.rows < 1 || samples.cols < 1) {
    throw input_error(
        "som: expected at least 1 sample of 1 feature, got {} of {}", samples.rows, samples.cols);
  }
  const DeviceScope scope(device);
  std::vector<float> extents(static_cast<std::size_t>(samples.cols));
  DeviceArray<unsigned> most(samples.cols);
  check(cudaMemset(most.data(), 0, most.bytes()), "check samples");
  const dim3 blocks(static_cast<unsigned>(std::clamp<std::int64_t>(
                        divide_up(samples.rows, rows_at_once), 1, most_blocks)),
                    static_cast<unsigned>(divide_up(samples.cols, edge)));
  extents_kernel<<<blocks, dim3(edge, rows_at_once)>>>(
      samples.data, samples.stride, samples.rows, samples.cols, most.data());
  check_launch("check samples");
  check(cudaMemcpy(extents.data(), most.data(), most.bytes(), cudaMemcpyDeviceToHost),
        "check samples");
  for (std::size_t j = 0; j < extents.size(); ++j) {
    if (std::isfinite(extents[j])) continue;
    throw input_error(
        "som: expected finite numbers, column {} of the samples has NaN or infinity; fill or leave "
        "out such rows",
        j + 1);
  }
  return extents;
}

Matrix<float> fetched_rows(int device,
                           MatrixView<const float> samples,
                           const std::vector<std::int64_t>& chosen) {
  const DeviceScope scope(device);
  Matrix<float> rows(std::ssize(chosen), samples.cols);
  DeviceArray<float> fetched(rows.rows() * rows.cols());
  const auto places = yupana::cuda::uploaded("fetch rows", chosen);
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::int64_t>(divide_up(fetched.size(), threads), 1, most_blocks));
  rows_kernel<<<blocks, threads>>>(
      samples.data, samples.stride, samples.cols, places.data(), rows.rows(), fetched.data());
  check_launch("fetch rows");
  check(cudaMemcpy(rows.data(), fetched.data(), fetched.bytes(), cudaMemcpyDeviceToHost),
        "fetch rows");
  return rows;
}

void find_nearest(Context& context,
                  int device,
                  MatrixView<const float> samples,
                  MatrixView<const float> codebook,
                  const NearestPlaces& to) {
  in_pieces(
      context,
      "nearest neurons",
      device,
      samples,
      codebook,
      [&](const DeviceSamples& piece, const DeviceCodebook& map, auto first, cudaStream_t stream) {
        const auto from = [&](auto* place) { return place == nullptr ? place : place + first; };
        launch_exact(
            piece,
            map,
            nullptr,
            nullptr,
            {from(to.best), from(to.second), from(to.best_distance), from(to.second_distance)},
            stream);
      });
}

void fill_distances(Context& context,
                    int device,
                    MatrixView<const float> samples,
                    MatrixView<const float> codebook,
                    double* distances) {
  in_pieces(
      context,
      "distances",
      device,
      samples,
      codebook,
      [&](const DeviceSamples& piece, const DeviceCodebook& map, auto first, cudaStream_t stream) {
        launch_distances(piece, map, distances + first * map.neurons, stream);
      });
}

}  // namespace yupana::som::cuda
