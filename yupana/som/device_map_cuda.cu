// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <algorithm>
#include <vector>

#include "yupana/core/tiles.hpp"
#include "yupana/som/device_map_cuda.hpp"
#include "yupana/som/schedule.hpp"

namespace yupana::som::cuda {

using yupana::cuda::check;
using yupana::cuda::DeviceArray;

namespace {

/// Maps above this many weights are smoothed by a product in tiles; below, a block a neuron has
/// more to do at once.
constexpr std::int64_t few_weights = 1 << 15;

template <class T>
void upload(DeviceArray<T>& to, const T* from, std::int64_t count, cudaStream_t stream) {
  to = DeviceArray<T>(count);
  check(cudaMemcpyAsync(to.data(),
                        from,
                        static_cast<std::size_t>(count) * sizeof(T),
                        cudaMemcpyHostToDevice,
                        stream),
        "copy to the device");
}

template <class T>
void clear(DeviceArray<T>& array, cudaStream_t stream) {
  check(cudaMemsetAsync(array.data(), 0, array.bytes(), stream), "clear memory");
}

/// The mean of the neurons.
std::vector<float> center_of(const Matrix<float>& codebook) {
  std::vector<double> sums(static_cast<std::size_t>(codebook.cols()));
  for (std::int64_t i = 0; i < codebook.rows(); ++i) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += codebook.row(i)[j];
  }
  std::vector<float> center;
  for (const double sum : sums) {
    center.push_back(static_cast<float>(sum / static_cast<double>(codebook.rows())));
  }
  return center;
}

__global__ void add_kernel(std::int64_t count,
                           unsigned long long* sums,
                           const unsigned long long* others) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    sums[i] += others[i];
  }
}

}  // namespace

DeviceMap::DeviceMap(const Matrix<float>& codebook,
                     const FixedPoint& fixed,
                     const SomParams& params,
                     cudaStream_t stream)
    : neurons_(codebook.rows()), features_(codebook.cols()), params_(params), stream_(stream) {
  const Schedule& schedule = params.schedule;
  std::vector<double> tables;
  for (std::int64_t t = 0; t < schedule.iterations; ++t) {
    const auto table = neighborhood_table(params.grid, params.neighborhood, schedule.sigma(t));
    tables.insert(tables.end(), table.begin(), table.end());
  }
  const std::vector<float> center = center_of(codebook);
  upload(weights_, codebook.data(), neurons_ * features_, stream);
  upload(center_, center.data(), features_, stream);
  upload(scale_, fixed.scale.data(), features_, stream);
  if (!tables.empty()) upload(tables_, tables.data(), std::ssize(tables), stream);
  squares_ = DeviceArray<float>(neurons_);
  largest_ = DeviceArray<double>(schedule.iterations + 1);
  clear(largest_, stream);
  for (auto& sums : sums_) {
    sums = DeviceArray<unsigned long long>(neurons_ * (features_ + 1));
    clear(sums, stream);
  }
  if (neurons_ * features_ > few_weights) {
    values_ = DeviceArray<double>(neurons_ * (features_ + 1));
    products_ = DeviceArray<double>(neurons_ * (features_ + 1));
  }
  check(cudaStreamSynchronize(stream), "copy to the device");  // from pageable memory
  launch_squares(DeviceMap::codebook(), {0, neurons_}, 0, stream);
}

std::uint64_t DeviceMap::bytes(std::int64_t neurons, std::int64_t features) {
  // Weights, two sides of sums and another device's, and for large maps two matrices in double.
  const bool large = neurons * features > few_weights;
  return static_cast<std::uint64_t>(neurons * (features + 1)) * (large ? 44 : 28);
}

DeviceCodebook DeviceMap::codebook() {
  return {weights_.data(), squares_.data(), largest_.data(), center_.data(), neurons_, features_};
}

DeviceSums DeviceMap::sums(std::int64_t iteration) {
  unsigned long long* const sums = sums_[iteration % 2].data();
  return {sums, sums + neurons_ * features_, scale_.data()};
}

void DeviceMap::smooth(std::int64_t iteration) { smooth(iteration, {0, neurons_}); }

NeuronRange DeviceMap::part(std::int64_t i, std::int64_t count) const {
  const std::int64_t edges = divide_up(neurons_, std::int64_t{smooth_edge});
  return {std::min(neurons_, edges * i / count * smooth_edge),
          std::min(neurons_, edges * (i + 1) / count * smooth_edge)};
}

void DeviceMap::smooth(std::int64_t iteration, NeuronRange neurons) {
  const Grid& grid = params_.grid;
  launch_smooth(codebook(),
                neurons,
                iteration,
                sums(iteration),
                sums(iteration + 1),
                {tables_.data() + iteration * 2 * grid.size(),
                 static_cast<int>(grid.rows),
                 static_cast<int>(grid.cols),
                 grid.lattice == Lattice::hexagonal,
                 grid.toroidal},
                {values_.data(), products_.data()},
                stream_);
}

void DeviceMap::take_weights(
    const DeviceMap& other, int from, int here, std::int64_t iteration, NeuronRange neurons) {
  const std::int64_t first = neurons.first * features_, count = neurons.end * features_ - first;
  if (count == 0) return;
  check(cudaMemcpyPeerAsync(weights_.data() + first,
                            here,
                            other.weights_.data() + first,
                            from,
                            static_cast<std::size_t>(count) * sizeof(float),
                            stream_),
        "copy weights between devices");
  launch_squares(codebook(), neurons, iteration + 1, stream_);
  unsigned long long* const next = sums_[(iteration + 1) % 2].data();
  check(cudaMemsetAsync(next + first, 0, static_cast<std::size_t>(count) * 8, stream_), "clear");
  check(cudaMemsetAsync(next + neurons_ * features_ + neurons.first,
                        0,
                        static_cast<std::size_t>(neurons.end - neurons.first) * 8,
                        stream_),
        "clear");
}

void DeviceMap::add_from(DeviceMap& other, int from, int here, std::int64_t iteration) {
  DeviceArray<unsigned long long>& mine = sums_[iteration % 2];
  if (others_.empty()) others_ = DeviceArray<unsigned long long>(mine.size());
  const auto& theirs = other.sums_[iteration % 2];
  check(cudaMemcpyPeerAsync(others_.data(), here, theirs.data(), from, mine.bytes(), stream_),
        "copy sums between devices");
  add_kernel<<<1024, 256, 0, stream_>>>(mine.size(), mine.data(), others_.data());
  yupana::cuda::check_launch("add another device's sums");
}

void DeviceMap::copy_to(DeviceMap& other, int to, int here, std::int64_t iteration) {
  auto& theirs = other.sums_[iteration % 2];
  const auto& mine = sums_[iteration % 2];
  check(cudaMemcpyPeerAsync(theirs.data(), to, mine.data(), here, mine.bytes(), stream_),
        "copy sums between devices");
}

void DeviceMap::copy_back(Matrix<float>& codebook) {
  check(cudaMemcpyAsync(
            codebook.data(), weights_.data(), weights_.bytes(), cudaMemcpyDeviceToHost, stream_),
        "read the codebook");
  check(cudaStreamSynchronize(stream_), "read the codebook");
}

}  // namespace yupana::som::cuda
