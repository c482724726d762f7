#include <algorithm>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/filter_cuda.hpp"
#include "yupana/som/search_cuda.cuh"

namespace yupana::som::cuda {
namespace {

constexpr int threads = 256;
constexpr int run = 64;  // sorted samples of a block

/// places[s]: how many samples of its neuron came before, in no particular order; starts[k]: how
/// many belong to neuron k.
__global__ void count_kernel(std::int64_t rows,
                             const std::int32_t* best,
                             std::int32_t* places,
                             std::int32_t* starts) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; s < rows; s += step) {
    places[s] = atomicAdd(starts + best[s], 1);
  }
}

/// Counts go to counts[] and become starts. One block.
__global__ void __launch_bounds__(1024)
    scan_kernel(std::int64_t neurons, std::int32_t* starts, unsigned long long* counts) {
  __shared__ int sums[32];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  int before = 0;
  for (std::int64_t base = 0; base < neurons; base += 1024) {
    const std::int64_t k = base + thread;
    const int mine = k < neurons ? starts[k] : 0;
    int sum = mine;
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += other;
    }
    __syncthreads();
    if (lane == 31) sums[thread / 32] = sum;
    __syncthreads();
    int ahead = 0, all = 0;
    for (int w = 0; w < 32; ++w) {
      if (w < thread / 32) ahead += sums[w];
      all += sums[w];
    }
    if (k < neurons) {
      starts[k] = before + ahead + sum - mine;
      if (mine != 0) counts[k] += static_cast<unsigned long long>(mine);
    }
    before += all;
  }
}

__global__ void order_kernel(std::int64_t rows,
                             const std::int32_t* best,
                             const std::int32_t* places,
                             const std::int32_t* starts,
                             std::int32_t* order) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t s = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; s < rows; s += step) {
    order[starts[best[s]] + places[s]] = static_cast<std::int32_t>(s);
  }
}

/// A block adds up `run` samples of the order, a feature a thread.
__global__ void __launch_bounds__(threads) sum_kernel(DeviceSamples samples,
                                                      const std::int32_t* best,
                                                      const std::int32_t* order,
                                                      DeviceSums sums) {
  __shared__ std::int32_t sample[run], neuron[run];
  const std::int64_t runs = (samples.rows + run - 1) / run;
  for (std::int64_t r = blockIdx.x; r < runs; r += gridDim.x) {
    const auto rows = static_cast<int>(min(std::int64_t{run}, samples.rows - r * run));
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < rows; i += threads) {
      sample[i] = order[r * run + i];
      neuron[i] = best[sample[i]];
    }
    __syncthreads();
    for (std::int64_t j = threadIdx.x; j < samples.features; j += threads) {
      const double scale = sums.scale[j];
      long long sum = 0;
#pragma unroll 8
      for (int i = 0; i < rows; ++i) {
        sum += fixed(samples.values[sample[i] * samples.stride + j], scale);
        if (i + 1 < rows && neuron[i + 1] == neuron[i]) continue;
        atomicAdd(sums.sums + neuron[i] * samples.features + j,
                  static_cast<unsigned long long>(sum));
        sum = 0;
      }
    }
  }
}

}  // namespace

void launch_sorted_sums(const DeviceSamples& samples,
                        std::int64_t neurons,
                        const std::int32_t* best,
                        const SortScratch& scratch,
                        const DeviceSums& sums,
                        cudaStream_t stream) {
  if (samples.rows == 0) return;
  yupana::cuda::check(
      cudaMemsetAsync(
          scratch.starts, 0, static_cast<std::size_t>(neurons) * sizeof(std::int32_t), stream),
      "sum samples");
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>(divide_up(samples.rows, threads), 2048));
  count_kernel<<<blocks, threads, 0, stream>>>(samples.rows, best, scratch.places, scratch.starts);
  scan_kernel<<<1, 1024, 0, stream>>>(neurons, scratch.starts, sums.counts);
  order_kernel<<<blocks, threads, 0, stream>>>(
      samples.rows, best, scratch.places, scratch.starts, scratch.order);
  const auto runs =
      static_cast<unsigned>(std::min<std::int64_t>(divide_up(samples.rows, run), 1 << 16));
  sum_kernel<<<runs, threads, 0, stream>>>(samples, best, scratch.order, sums);
  yupana::cuda::check_launch("sum samples");
}

}  // namespace yupana::som::cuda
