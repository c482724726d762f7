// From sums to squared distances, in device memory.
#include <limits>

#include "yupana/genotype/pair_sums.hpp"
#include "yupana/genotype/pair_sums_cells.cuh"

namespace yupana::genotype::cuda {
namespace {

using namespace yupana::cuda;

constexpr int edge = 32;

__device__ void set_distance(const SumMatrices&, const CellCounts& c, std::int32_t& d) {
  d = static_cast<std::int32_t>(c.ibs1 + 4 * c.ibs0);
}
/// The operations of `distances`, in their order: the same bits.
__device__ void set_distance(const SumMatrices& m, const CellCounts& c, double& d) {
  const auto squared = static_cast<double>(c.ibs1 + 4ull * c.ibs0);
  if (c.shared == 0) {
    d = nan("");
  } else if (c.shared == m.sites) {
    d = squared;
  } else {
    d = __ddiv_rn(__dmul_rn(squared, static_cast<double>(m.sites)), static_cast<double>(c.shared));
  }
}

/// A block makes 32 x 32 cells of the lower triangle and their mirror image.
template <class T>
__global__ void distances_kernel(const SumMatrices sums,
                                 std::int64_t n,
                                 T* distances,
                                 unsigned long long* unshared) {
  __shared__ T tile[edge][edge + 1];
  const std::int64_t top = std::int64_t{blockIdx.y} * edge, left = std::int64_t{blockIdx.x} * edge;
  if (left > top) return;
  for (int r = threadIdx.y; r < edge; r += blockDim.y) {
    const std::int64_t i = top + r, j = left + threadIdx.x;
    T d = 0;
    if (i < n && j < i) {
      const CellCounts counts = cell_counts(sums, i, j);
      set_distance(sums, counts, d);
      if (counts.shared == 0) atomicAdd(unshared, 1ull);
    }
    tile[r][threadIdx.x] = d;
  }
  __syncthreads();
  for (int r = threadIdx.y; r < edge; r += blockDim.y) {
    const std::int64_t i = top + r, j = left + threadIdx.x;
    if (i < n && j <= i) distances[i * n + j] = tile[r][threadIdx.x];
    const std::int64_t column = top + threadIdx.x, row = left + r;
    if (row < n && column < n && row < column) distances[row * n + column] = tile[threadIdx.x][r];
  }
}

template <class T>
DeviceDistances make(PairSums& sums, std::int64_t n, DeviceMatrix::Type type) {
  auto memory = std::make_shared<DeviceArray<T>>(n * n);
  DeviceArray<unsigned long long> unshared(1);
  const cudaStream_t stream = sums.stream();
  check(cudaMemsetAsync(unshared.data(), 0, unshared.bytes(), stream), "clear a counter");
  const auto tiles = static_cast<unsigned>(divide_up(n, edge));
  distances_kernel<<<dim3(tiles, tiles), dim3(edge, 8), 0, stream>>>(
      sums.matrices(), n, memory->data(), unshared.data());
  check_launch("turn sums into distances");
  SquareMatrix<T> host(n);
  unsigned long long none = 0;
  check(
      cudaMemcpyAsync(host.data(), memory->data(), memory->bytes(), cudaMemcpyDeviceToHost, stream),
      "copy distances from the GPU");
  check(cudaMemcpyAsync(&none, unshared.data(), sizeof(none), cudaMemcpyDeviceToHost, stream),
        "copy a counter");
  sums.wait();
  DeviceDistances result;
  result.on_device = {sums.device(), n, type, std::shared_ptr<void>(memory, memory->data())};
  result.on_host = std::move(host);
  result.unshared = static_cast<std::int64_t>(none);
  return result;
}

}  // namespace

DeviceDistances PairSums::squared_distances() {
  constexpr std::int64_t most_sites = std::int64_t{1} << 27;  // 4 m below 2^29
  const DeviceScope scope(device_);
  flush();
  const bool missing = pairwise_sites_ > 0;
  const std::int64_t sites = complete_sites_ + pairwise_sites_;
  const std::uint64_t bytes = static_cast<std::uint64_t>(samples_ * samples_) * (missing ? 8 : 4);
  if ((!missing && sites >= most_sites) || sites > std::numeric_limits<std::int32_t>::max() ||
      held_bytes() + bytes > memory_ || bytes > free_device_memory()) {
    return {};
  }
  return missing ? make<double>(*this, samples_, DeviceMatrix::Type::float64)
                 : make<std::int32_t>(*this, samples_, DeviceMatrix::Type::int32);
}

}  // namespace yupana::genotype::cuda
