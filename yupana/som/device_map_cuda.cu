// MatrixView<const T> has a conversion to itself; nvcc warns that it is never called.
#pragma nv_diag_suppress 554
#include <algorithm>

#include "yupana/core/tiles.hpp"
#include "yupana/som/device_map_cuda.hpp"
#include "yupana/som/schedule.hpp"

namespace yupana::som::cuda {

using namespace yupana::cuda;

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

struct Summands {
  const unsigned long long* sums[DeviceMap::most_direct + 1];
  int count;
};

__global__ void add_kernel(std::int64_t count, Summands of, unsigned long long* totals) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    unsigned long long sum = 0;
#pragma unroll 4
    for (int d = 0; d < of.count; ++d) sum += of.sums[d][i];
    totals[i] = sum;
  }
}

void launch_add(std::int64_t count,
                const Summands& of,
                unsigned long long* totals,
                cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(divide_up(count, 256), 1024));
  add_kernel<<<blocks, 256, 0, stream>>>(count, of, totals);
  yupana::cuda::check_launch("add up the sums of devices");
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
  for (auto& sums : sums_) {
    sums = DeviceArray<unsigned long long>(neurons_ * (features_ + 1));
    clear(sums, stream);
  }
  if (neurons_ * features_ > few_weights) {
    values_ = DeviceArray<double>(neurons_ * (features_ + 1));
    products_ = DeviceArray<double>(neurons_ * (features_ + 1));
  }
  check(cudaStreamSynchronize(stream), "copy to the device");  // from pageable memory
}

std::uint64_t DeviceMap::bytes(std::int64_t neurons, std::int64_t features) {
  // Weights, two sides of sums, another device's and those of all, and for large maps two matrices
  // in double.
  const bool large = neurons * features > few_weights;
  return static_cast<std::uint64_t>(neurons * (features + 1)) * (large ? 52 : 36);
}

DeviceCodebook DeviceMap::codebook() {
  return {weights_.data(), center_.data(), neurons_, features_};
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
  launch_smooth(
      codebook(),
      neurons,
      totals_.empty()
          ? sums(iteration)
          : DeviceSums{totals_.data(), totals_.data() + neurons_ * features_, scale_.data()},
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
  unsigned long long* const next = sums_[(iteration + 1) % 2].data();
  check(cudaMemsetAsync(next + first, 0, static_cast<std::size_t>(count) * 8, stream_), "clear");
  check(cudaMemsetAsync(next + neurons_ * features_ + neurons.first,
                        0,
                        static_cast<std::size_t>(neurons.end - neurons.first) * 8,
                        stream_),
        "clear");
}

void DeviceMap::expect_others() {
  totals_ = DeviceArray<unsigned long long>(sums_[0].size());
  others_ = DeviceArray<unsigned long long>(sums_[0].size());
}

void DeviceMap::gather(const std::vector<Peer>& others,
                       int here,
                       bool direct,
                       std::int64_t iteration) {
  const DeviceArray<unsigned long long>& mine = sums_[iteration % 2];
  const std::int64_t count = mine.size();
  if (direct) {
    Summands all{{mine.data()}, 1};
    for (const Peer& other : others) {
      all.sums[all.count++] = other.map->sums_[iteration % 2].data();
    }
    return launch_add(count, all, totals_.data(), stream_);
  }
  check(
      cudaMemcpyAsync(totals_.data(), mine.data(), mine.bytes(), cudaMemcpyDeviceToDevice, stream_),
      "copy sums");
  for (const Peer& other : others) {
    const auto& theirs = other.map->sums_[iteration % 2];
    check(cudaMemcpyPeerAsync(
              others_.data(), here, theirs.data(), other.device, mine.bytes(), stream_),
          "copy sums between devices");
    launch_add(count, {{totals_.data(), others_.data()}, 2}, totals_.data(), stream_);
  }
}

void DeviceMap::copy_back(Matrix<float>& codebook) {
  check(cudaMemcpyAsync(
            codebook.data(), weights_.data(), weights_.bytes(), cudaMemcpyDeviceToHost, stream_),
        "read the codebook");
  check(cudaStreamSynchronize(stream_), "read the codebook");
}

}  // namespace yupana::som::cuda
