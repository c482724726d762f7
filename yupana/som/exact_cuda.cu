#include <algorithm>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {
namespace {

// The exact search: 64 samples by 64 neurons a block, 4 x 4 values of D a thread, every one summed
// in order of the features.
constexpr int edge = 64;
constexpr int depth = 16;
constexpr int cells = 4;
constexpr int exact_threads = 256;

struct ExactTask {
  DeviceSamples samples;
  DeviceCodebook codebook;
  const std::int32_t* list;
  const std::int64_t* count;
  ExactOutput output;
};

struct Two {
  double near = INFINITY, next = INFINITY;
  int best = 0x7fffffff, second = 0x7fffffff;

  __device__ void take(double d, int neuron) {
    if (d < near || (d == near && neuron < best)) {
      next = near, second = best;
      near = d, best = neuron;
    } else if (d < next || (d == next && neuron < second)) {
      next = d, second = neuron;
    }
  }
};

struct Tile {
  float left[depth][edge + 1], right[depth][edge + 1];
};

/// D of samples from `first` and neurons from `base`: each sum in order of the features.
template <class SampleAt>
__device__ __forceinline__ void add_squares(const DeviceSamples& samples,
                                            const DeviceCodebook& codebook,
                                            std::int64_t base,
                                            std::int64_t first,
                                            std::int64_t count,
                                            const SampleAt& sample_at,
                                            Tile& tile,
                                            double (&sums)[cells][cells]) {
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / 16, along = thread % 16;
  const auto features = static_cast<int>(samples.features);
  for (int j = 0; j < features; j += depth) {
    __syncthreads();
    for (int i = thread; i < edge * depth; i += exact_threads) {
      const int k = i % depth, r = i / depth;
      const bool inside = j + k < features;
      tile.left[k][r] = inside && first + r < count
                            ? samples.values[sample_at(first + r) * samples.stride + j + k]
                            : 0.0f;
      tile.right[k][r] = inside && base + r < codebook.neurons
                             ? codebook.weights[(base + r) * features + j + k]
                             : 0.0f;
    }
    __syncthreads();
    // Zeros after the last feature add 0 to a sum, which changes no bit of it.
#pragma unroll 4
    for (int k = 0; k < depth; ++k) {
#pragma unroll
      for (int p = 0; p < cells; ++p) {
#pragma unroll
        for (int q = 0; q < cells; ++q) {
          sums[p][q] = with_square(
              sums[p][q], tile.left[k][down * cells + p], tile.right[k][along * cells + q]);
        }
      }
    }
  }
}

__global__ void __launch_bounds__(exact_threads) exact_kernel(ExactTask task) {
  __shared__ Tile tile;
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / 16, along = thread % 16;
  const std::int64_t count = task.list != nullptr ? *task.count : task.samples.rows;
  const auto sample_at = [&](std::int64_t i) { return task.list != nullptr ? task.list[i] : i; };
  for (std::int64_t first = std::int64_t{blockIdx.x} * edge; first < count;
       first += std::int64_t{gridDim.x} * edge) {
    Two two[cells];
    for (std::int64_t base = 0; base < task.codebook.neurons; base += edge) {
      double sums[cells][cells] = {};
      add_squares(task.samples, task.codebook, base, first, count, sample_at, tile, sums);
#pragma unroll
      for (int q = 0; q < cells; ++q) {
        const std::int64_t neuron = base + along * cells + q;
        if (neuron >= task.codebook.neurons) continue;
#pragma unroll
        for (int p = 0; p < cells; ++p) two[p].take(sums[p][q], static_cast<int>(neuron));
      }
    }
#pragma unroll
    for (int p = 0; p < cells; ++p) {
      for (int step = 8; step > 0; step /= 2) {
        const double near = __shfl_xor_sync(0xffffffffu, two[p].near, step);
        const double next = __shfl_xor_sync(0xffffffffu, two[p].next, step);
        const int best = __shfl_xor_sync(0xffffffffu, two[p].best, step);
        const int second = __shfl_xor_sync(0xffffffffu, two[p].second, step);
        two[p].take(near, best);
        two[p].take(next, second);
      }
      const std::int64_t i = first + down * cells + p;
      if (along != 0 || i >= count) continue;
      const std::int64_t s = sample_at(i);
      const bool alone = task.codebook.neurons == 1;
      task.output.best[s] = two[p].best;
      if (task.output.second != nullptr) task.output.second[s] = alone ? -1 : two[p].second;
      if (task.output.best_distance != nullptr) task.output.best_distance[s] = sqrt(two[p].near);
      if (task.output.second_distance != nullptr)
        task.output.second_distance[s] = sqrt(two[p].next);
    }
  }
}

/// counts[i]: samples of which D to neuron i is at most `most`.
__global__ void __launch_bounds__(exact_threads) within_kernel(DeviceSamples samples,
                                                               DeviceCodebook codebook,
                                                               double most,
                                                               unsigned long long* counts) {
  __shared__ Tile tile;
  __shared__ unsigned found[edge];
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / 16, along = thread % 16;
  for (std::int64_t first = std::int64_t{blockIdx.x} * edge; first < samples.rows;
       first += std::int64_t{gridDim.x} * edge) {
    for (std::int64_t base = 0; base < codebook.neurons; base += edge) {
      double sums[cells][cells] = {};
      add_squares(
          samples,
          codebook,
          base,
          first,
          samples.rows,
          [](std::int64_t i) { return i; },
          tile,
          sums);
      if (thread < edge) found[thread] = 0;
      __syncthreads();
#pragma unroll
      for (int q = 0; q < cells; ++q) {
        unsigned count = 0;
#pragma unroll
        for (int p = 0; p < cells; ++p) {
          count += first + down * cells + p < samples.rows && sums[p][q] <= most;
        }
        if (count > 0) atomicAdd(found + along * cells + q, count);
      }
      __syncthreads();
      if (thread < edge && base + thread < codebook.neurons && found[thread] > 0) {
        atomicAdd(counts + base + thread, static_cast<unsigned long long>(found[thread]));
      }
    }
  }
}

/// All distances, a tile after the other.
__global__ void __launch_bounds__(exact_threads)
    distances_kernel(DeviceSamples samples, DeviceCodebook codebook, double* distances) {
  __shared__ Tile tile;
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / 16, along = thread % 16;
  for (std::int64_t first = std::int64_t{blockIdx.x} * edge; first < samples.rows;
       first += std::int64_t{gridDim.x} * edge) {
    for (std::int64_t base = 0; base < codebook.neurons; base += edge) {
      double sums[cells][cells] = {};
      add_squares(
          samples,
          codebook,
          base,
          first,
          samples.rows,
          [](std::int64_t i) { return i; },
          tile,
          sums);
#pragma unroll
      for (int p = 0; p < cells; ++p) {
        const std::int64_t i = first + down * cells + p;
        if (i >= samples.rows) continue;
#pragma unroll
        for (int q = 0; q < cells; ++q) {
          const std::int64_t k = base + along * cells + q;
          if (k < codebook.neurons) distances[i * codebook.neurons + k] = sqrt(sums[p][q]);
        }
      }
    }
  }
}

unsigned blocks_of(std::int64_t rows) {
  return static_cast<unsigned>(std::min<std::int64_t>(divide_up(rows, edge), 2048));
}

}  // namespace

void launch_exact(const DeviceSamples& samples,
                  const DeviceCodebook& codebook,
                  const std::int32_t* list,
                  const std::int64_t* count,
                  const ExactOutput& output,
                  cudaStream_t stream) {
  if (samples.rows == 0) return;
  exact_kernel<<<blocks_of(samples.rows), exact_threads, 0, stream>>>(
      {samples, codebook, list, count, output});
  yupana::cuda::check_launch("search a map exactly");
}

void launch_within(const DeviceSamples& samples,
                   const DeviceCodebook& codebook,
                   double most,
                   unsigned long long* counts,
                   cudaStream_t stream) {
  if (samples.rows == 0) return;
  within_kernel<<<blocks_of(samples.rows), exact_threads, 0, stream>>>(
      samples, codebook, most, counts);
  yupana::cuda::check_launch("count samples near neurons");
}

void launch_distances(const DeviceSamples& samples,
                      const DeviceCodebook& codebook,
                      double* distances,
                      cudaStream_t stream) {
  if (samples.rows == 0) return;
  distances_kernel<<<blocks_of(samples.rows), exact_threads, 0, stream>>>(
      samples, codebook, distances);
  yupana::cuda::check_launch("measure distances to neurons");
}

}  // namespace yupana::som::cuda
