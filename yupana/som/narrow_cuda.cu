#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {
namespace {

// A block takes tiles of 512 samples, two a thread. Weights, a tile and the block's sums stand in
// shared memory.
constexpr int threads = 256;
constexpr int held = 2;
constexpr int tile = threads * held;
constexpr int most_features = 32;
constexpr std::int64_t most_memory = 100 * 1024;  // two blocks on a multiprocessor
// Shared memory adds 32-bit integers at full speed and 64-bit ones by comparing and trying again:
// a value of at most 40 bits is added as its lower 20 and what is above them, and both go to 64
// bits after every tile, long before 2^12 samples could overflow them.
constexpr int low_bits = 20;

struct NarrowTask {
  DeviceSamples samples;
  DeviceCodebook codebook;
  DeviceSums sums;
  std::int64_t iteration;
};

/// Parts of a block's memory, in floats from its start.
struct Layout {
  int weights, squares, samples, low, high, sums, counts, best, list, total;
};

__host__ __device__ constexpr int padded(int features) { return (features + 3) / 4 * 4; }

__host__ __device__ Layout layout(int neurons, int features) {
  Layout at{};
  const int cells = (neurons * features + 3) / 4 * 4;
  at.weights = 0;
  at.sums = at.weights + neurons * padded(features);
  at.samples = at.sums + 2 * cells;
  at.low = at.samples + tile * features;
  at.high = at.low + cells;
  at.squares = at.high + cells;
  at.counts = at.squares + neurons;
  at.best = at.counts + neurons;
  at.list = at.best + tile;
  at.total = at.list + tile + 1;
  return at;
}

/// The neuron nearest to a sample by D, found by a warp.
__device__ int decide(const float* sample, const float* weights, int neurons, int features) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  double nearest = INFINITY;
  int best = 0x7fffffff;
  for (int k = lane; k < neurons; k += 32) {
    double sum = 0;
    for (int j = 0; j < features; ++j) sum = with_square(sum, sample[j], weights[k * features + j]);
    if (sum < nearest) nearest = sum, best = k;
  }
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xffffffffu, nearest, step);
    const int neuron = __shfl_xor_sync(0xffffffffu, best, step);
    if (other < nearest || (other == nearest && neuron < best)) nearest = other, best = neuron;
  }
  return best;
}

template <int width>
__device__ void search_tile(const float* tile_values,
                            const float* weights,
                            const float* squares,
                            int neurons,
                            int features,
                            int rows,
                            double largest,
                            int* best,
                            int* list) {
  float x[held][width];
  float norm[held];
  Running running[held];
#pragma unroll
  for (int h = 0; h < held; ++h) {
    const int s = static_cast<int>(threadIdx.x) + h * threads;
    norm[h] = 0;
#pragma unroll
    for (int j = 0; j < width; ++j) {
      x[h][j] = j < features && s < rows ? tile_values[s * features + j] : 0.0f;
      norm[h] = fmaf(x[h][j], x[h][j], norm[h]);
    }
    norm[h] = sqrtf(norm[h]) * 1.00001f;
  }
#pragma unroll 2
  for (int k = 0; k < neurons; ++k) {
    float score[held];
#pragma unroll
    for (int h = 0; h < held; ++h) score[h] = squares[k];
#pragma unroll
    for (int j = 0; j < width; j += 4) {
      const float4 w = *reinterpret_cast<const float4*>(weights + k * width + j);
#pragma unroll
      for (int h = 0; h < held; ++h) {
        score[h] = fmaf(x[h][j], w.x, score[h]);
        score[h] = fmaf(x[h][j + 1], w.y, score[h]);
        score[h] = fmaf(x[h][j + 2], w.z, score[h]);
        score[h] = fmaf(x[h][j + 3], w.w, score[h]);
      }
    }
#pragma unroll
    for (int h = 0; h < held; ++h) running[h].take(score[h], k);
  }
#pragma unroll
  for (int h = 0; h < held; ++h) {
    const int s = static_cast<int>(threadIdx.x) + h * threads;
    best[s] = running[h].neuron;
    const float bound = error_bound(largest, norm[h], features);
    if (s < rows && !(running[h].second > running[h].best + 2 * bound)) {
      list[1 + atomicAdd(list, 1)] = s;
    }
  }
}

template <int width>
__global__ void __launch_bounds__(threads) narrow_kernel(NarrowTask task) {
  extern __shared__ __align__(16) float memory[];
  const int neurons = static_cast<int>(task.codebook.neurons);
  const int features = static_cast<int>(task.codebook.features);
  const int cells = neurons * features;
  const Layout at = layout(neurons, features);
  float* const weights = memory + at.weights;
  float* const values = memory + at.samples;
  auto* const low = reinterpret_cast<unsigned*>(memory + at.low);
  auto* const high = reinterpret_cast<int*>(memory + at.high);
  auto* const sums = reinterpret_cast<long long*>(memory + at.sums);
  auto* const counts = reinterpret_cast<int*>(memory + at.counts);
  auto* const best = reinterpret_cast<int*>(memory + at.best);
  auto* const list = reinterpret_cast<int*>(memory + at.list);
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < neurons * width; i += threads) {
    const int j = i % width;
    weights[i] = j < features ? -2 * task.codebook.weights[i / width * features + j] : 0.0f;
  }
  for (int i = thread; i < cells; i += threads) low[i] = 0, high[i] = 0, sums[i] = 0;
  for (int i = thread; i < neurons; i += threads) {
    memory[at.squares + i] = task.codebook.squares[i];
    counts[i] = 0;
  }
  const double largest = task.codebook.largest[task.iteration];
  const std::int64_t tiles = (task.samples.rows + tile - 1) / tile;
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t first = t * tile;
    const int rows = static_cast<int>(min(std::int64_t{tile}, task.samples.rows - first));
    const float* const from = task.samples.values + first * task.samples.stride;
    if (thread == 0) list[0] = 0;
    if (task.samples.stride == features) {
      for (int i = thread; i < rows * features; i += threads) values[i] = from[i];
    } else {
      for (int i = thread; i < rows * features; i += threads) {
        values[i] = from[i / features * task.samples.stride + i % features];
      }
    }
    __syncthreads();
    search_tile<width>(
        values, weights, memory + at.squares, neurons, features, rows, largest, best, list);
    __syncthreads();
    const int open = list[0];
    for (int i = thread / 32; i < open; i += threads / 32) {
      const int s = list[1 + i];
      const int neuron = decide(values + s * features, task.codebook.weights, neurons, features);
      if (thread % 32 == 0) best[s] = neuron;
    }
    if (open > 0) __syncthreads();
    for (int s = thread; s < rows; s += threads) atomicAdd(counts + best[s], 1);
    const int rows_a_step = threads / features, rest = threads % features;
    int s = thread / features, j = thread % features;
    while (s < rows) {
      const long long value = fixed(values[s * features + j], task.sums.scale[j]);
      const int cell = best[s] * features + j;
      atomicAdd(low + cell, static_cast<unsigned>(value & ((1 << low_bits) - 1)));
      atomicAdd(high + cell, static_cast<int>(value >> low_bits));
      s += rows_a_step, j += rest;
      if (j >= features) j -= features, ++s;
    }
    __syncthreads();
    for (int i = thread; i < cells; i += threads) {
      sums[i] += (static_cast<long long>(high[i]) << low_bits) + low[i];
      low[i] = 0, high[i] = 0;
    }
  }
  __syncthreads();
  for (int i = thread; i < cells; i += threads) {
    if (sums[i] != 0) atomicAdd(task.sums.sums + i, static_cast<unsigned long long>(sums[i]));
  }
  for (int i = thread; i < neurons; i += threads) {
    if (counts[i] != 0) atomicAdd(task.sums.counts + i, static_cast<unsigned long long>(counts[i]));
  }
}

template <int width>
void launch(const NarrowTask& task, cudaStream_t stream) {
  const auto kernel = narrow_kernel<width>;
  const int bytes =
      layout(static_cast<int>(task.codebook.neurons), static_cast<int>(task.codebook.features))
          .total *
      static_cast<int>(sizeof(float));
  yupana::cuda::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
      "search a map");
  int device = 0, multiprocessors = 0, blocks = 0;
  yupana::cuda::check(cudaGetDevice(&device), "ask for the device");
  yupana::cuda::check(
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "ask");
  yupana::cuda::check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes), "ask");
  const std::int64_t grid =
      std::min(divide_up(task.samples.rows, tile), std::int64_t{multiprocessors} * blocks);
  kernel<<<static_cast<unsigned>(grid), threads, static_cast<std::size_t>(bytes), stream>>>(task);
  yupana::cuda::check_launch("search a map");
}

}  // namespace

bool is_narrow(std::int64_t neurons, std::int64_t features) {
  return features <= most_features && neurons * features <= 1 << 14 &&
         layout(static_cast<int>(neurons), static_cast<int>(features)).total *
                 std::int64_t{sizeof(float)} <=
             most_memory;
}

void launch_narrow(const DeviceSamples& samples,
                   const DeviceCodebook& codebook,
                   std::int64_t iteration,
                   const DeviceSums& sums,
                   cudaStream_t stream) {
  const NarrowTask task{samples, codebook, sums, iteration};
  switch (padded(static_cast<int>(codebook.features))) {
    case 4:
      return launch<4>(task, stream);
    case 8:
      return launch<8>(task, stream);
    case 12:
      return launch<12>(task, stream);
    case 16:
      return launch<16>(task, stream);
    case 20:
      return launch<20>(task, stream);
    case 24:
      return launch<24>(task, stream);
    case 28:
      return launch<28>(task, stream);
    default:
      return launch<32>(task, stream);
  }
}

}  // namespace yupana::som::cuda
