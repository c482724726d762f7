#include <algorithm>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/schedule.hpp"
#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {
namespace {

constexpr int threads = 128;
constexpr int chunk = 128;  // neurons whose weights of the rule stand in shared memory at once

/// offset_between() and the table.
__device__ double weight_of(const DeviceNeighborhood& h, int a, int b) {
  const int shift = h.hexagonal ? 1 : 0;
  const int row_a = a / h.cols, row_b = b / h.cols;
  int rows = abs(row_a - row_b);
  int half = abs(2 * (a % h.cols) + shift * (row_a % 2) - 2 * (b % h.cols) - shift * (row_b % 2));
  if (h.toroidal) rows = min(rows, h.rows - rows), half = min(half, 2 * h.cols - half);
  return h.table[static_cast<std::int64_t>(rows) * 2 * h.cols + half];
}

struct SmoothTask {
  DeviceCodebook codebook;
  std::int64_t iteration;
  DeviceSums sums, next;
  DeviceNeighborhood neighborhood;
};

__device__ void raise(double* largest, double square) {
  // Non-negative doubles order as their bits do.
  atomicMax(reinterpret_cast<unsigned long long*>(largest),
            static_cast<unsigned long long>(__double_as_longlong(square)));
}

/// A block makes one neuron, a feature a thread: sums over all neurons in their order.
__global__ void __launch_bounds__(threads) smooth_kernel(SmoothTask task) {
  __shared__ double weights[chunk];
  __shared__ double counts[chunk];
  __shared__ double square;
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const int thread = static_cast<int>(threadIdx.x);
  const auto i = static_cast<int>(blockIdx.x);
  if (thread == 0) square = 0;
  double mine = 0;
  for (int base_j = 0; base_j < features; base_j += threads) {
    const int j = base_j + thread;
    const bool inside = j < features;
    const double scale = inside ? task.sums.scale[j] : 1;
    double numerator = 0, denominator = 0;
    for (int base = 0; base < neurons; base += chunk) {
      __syncthreads();
      for (int b = base + thread; b < min(neurons, base + chunk); b += threads) {
        weights[b - base] = weight_of(task.neighborhood, b, i);
        counts[b - base] = static_cast<double>(task.sums.counts[b]);
      }
      __syncthreads();
      const int end = min(neurons - base, chunk);
#pragma unroll 4
      for (int b = 0; b < end; ++b) {
        denominator = __dadd_rn(denominator, __dmul_rn(weights[b], counts[b]));
        if (!inside) continue;
        const auto sum = static_cast<long long>(
            task.sums.sums[static_cast<std::int64_t>(base + b) * features + j]);
        // The scale is a power of two.
        const double value = __ddiv_rn(static_cast<double>(sum), scale);
        numerator = __dadd_rn(numerator, __dmul_rn(weights[b], value));
      }
    }
    if (!inside) continue;
    float& w = task.codebook.weights[static_cast<std::int64_t>(i) * features + j];
    if (denominator >= negligible) w = __double2float_rn(__ddiv_rn(numerator, denominator));
    mine += static_cast<double>(w) * static_cast<double>(w);
    task.next.sums[static_cast<std::int64_t>(i) * features + j] = 0;
  }
  __syncthreads();
  atomicAdd(&square, mine);
  __syncthreads();
  if (thread == 0) {
    task.codebook.squares[i] = static_cast<float>(square);
    task.next.counts[i] = 0;
    raise(task.codebook.largest + task.iteration + 1, square);
  }
}

__global__ void __launch_bounds__(threads) squares_kernel(DeviceCodebook codebook) {
  __shared__ double square;
  if (threadIdx.x == 0) square = 0;
  __syncthreads();
  double mine = 0;
  for (std::int64_t j = threadIdx.x; j < codebook.features; j += threads) {
    const double w = codebook.weights[std::int64_t{blockIdx.x} * codebook.features + j];
    mine += w * w;
  }
  atomicAdd(&square, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    codebook.squares[blockIdx.x] = static_cast<float>(square);
    raise(codebook.largest, square);
  }
}

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

__global__ void __launch_bounds__(exact_threads) exact_kernel(ExactTask task) {
  __shared__ float left[depth][edge + 1], right[depth][edge + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / 16, along = thread % 16;
  const auto features = static_cast<int>(task.samples.features);
  const std::int64_t count = task.list != nullptr ? *task.count : task.samples.rows;
  const auto sample_at = [&](std::int64_t i) { return task.list != nullptr ? task.list[i] : i; };
  for (std::int64_t first = std::int64_t{blockIdx.x} * edge; first < count;
       first += std::int64_t{gridDim.x} * edge) {
    Two two[cells];
    for (std::int64_t base = 0; base < task.codebook.neurons; base += edge) {
      double sums[cells][cells] = {};
      for (int j = 0; j < features; j += depth) {
        __syncthreads();
        for (int i = thread; i < edge * depth; i += exact_threads) {
          const int k = i % depth, r = i / depth;
          const bool inside = j + k < features;
          left[k][r] = inside && first + r < count
                           ? task.samples.values[sample_at(first + r) * task.samples.stride + j + k]
                           : 0.0f;
          right[k][r] = inside && base + r < task.codebook.neurons
                            ? task.codebook.weights[(base + r) * features + j + k]
                            : 0.0f;
        }
        __syncthreads();
        // Zeros behind the last feature add 0 to a sum, which changes no bit of it.
#pragma unroll 4
        for (int k = 0; k < depth; ++k) {
#pragma unroll
          for (int p = 0; p < cells; ++p) {
#pragma unroll
            for (int q = 0; q < cells; ++q) {
              sums[p][q] =
                  with_square(sums[p][q], left[k][down * cells + p], right[k][along * cells + q]);
            }
          }
        }
      }
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

}  // namespace

void launch_squares(const DeviceCodebook& codebook, cudaStream_t stream) {
  squares_kernel<<<static_cast<unsigned>(codebook.neurons), threads, 0, stream>>>(codebook);
  yupana::cuda::check_launch("measure a codebook");
}

void launch_smooth(const DeviceCodebook& codebook,
                   std::int64_t iteration,
                   const DeviceSums& sums,
                   const DeviceSums& next,
                   const DeviceNeighborhood& neighborhood,
                   cudaStream_t stream) {
  smooth_kernel<<<static_cast<unsigned>(codebook.neurons), threads, 0, stream>>>(
      {codebook, iteration, sums, next, neighborhood});
  yupana::cuda::check_launch("smooth a map");
}

void launch_exact(const DeviceSamples& samples,
                  const DeviceCodebook& codebook,
                  const std::int32_t* list,
                  const std::int64_t* count,
                  const ExactOutput& output,
                  cudaStream_t stream) {
  if (samples.rows == 0) return;
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>(divide_up(samples.rows, edge), 2048));
  exact_kernel<<<blocks, exact_threads, 0, stream>>>({samples, codebook, list, count, output});
  yupana::cuda::check_launch("search a map exactly");
}

}  // namespace yupana::som::cuda
