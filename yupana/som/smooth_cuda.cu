#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/schedule.hpp"
#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {
namespace {

constexpr int threads = 128;
constexpr int chunk = 128;  // neurons whose weights of the rule are in shared memory at once

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
  NeuronRange range;
  DeviceSums sums, next;
  DeviceNeighborhood neighborhood;
};

/// A block makes one neuron, a feature a thread: sums over all neurons in their order.
__global__ void __launch_bounds__(threads) smooth_kernel(SmoothTask task) {
  __shared__ double weights[chunk];
  __shared__ double counts[chunk];
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const int thread = static_cast<int>(threadIdx.x);
  const auto i = static_cast<int>(blockIdx.x);
  for (int base_j = 0; base_j < features; base_j += threads) {
    const int j = base_j + thread;
    const bool inside = j < features;
    const double inverse = inside ? 1 / task.sums.scale[j] : 1;  // a power of two: exact
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
        const double value = __dmul_rn(static_cast<double>(sum), inverse);
        numerator = __dadd_rn(numerator, __dmul_rn(weights[b], value));
      }
    }
    if (!inside) continue;
    float& w = task.codebook.weights[static_cast<std::int64_t>(i) * features + j];
    if (denominator >= negligible) w = __double2float_rn(__ddiv_rn(numerator, denominator));
    task.next.sums[static_cast<std::int64_t>(i) * features + j] = 0;
  }
  if (thread == 0) task.next.counts[i] = 0;
}

// Wide maps: a product of the matrix of weights h, made tile by tile, and that of the values next
// to their counts, K x (d + 1). Every cell is summed in order of the neurons, 64 x 64 cells a
// block, 4 x 4 a thread; 16 neurons whose weights or counts are all zero are skipped, which changes
// no bit.
constexpr int edge = smooth_edge;
constexpr int depth = 16;
constexpr int cells = 4;
constexpr int wide_threads = 256;

__global__ void values_kernel(SmoothTask task, double* values) {
  const std::int64_t features = task.codebook.features, columns = features + 1;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
       i < task.codebook.neurons * columns;
       i += step) {
    const std::int64_t k = i / columns, j = i % columns;
    values[i] = j == features ? static_cast<double>(task.sums.counts[k])
                              : __dmul_rn(static_cast<double>(static_cast<long long>(
                                              task.sums.sums[k * features + j])),
                                          1 / task.sums.scale[j]);
  }
}

__global__ void __launch_bounds__(wide_threads)
    product_kernel(SmoothTask task, const double* values, double* products) {
  __shared__ double left[depth][edge + 2], right[depth][edge + 2];
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / 16, along = thread % 16;
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const std::int64_t columns = task.codebook.features + 1;
  const int first = static_cast<int>(task.range.first) + static_cast<int>(blockIdx.x) * edge;
  const std::int64_t column = std::int64_t{blockIdx.y} * edge;
  double sums[cells][cells] = {};
  for (int base = 0; base < neurons; base += depth) {
    bool some = false;
    for (int i = thread; i < depth * edge; i += wide_threads) {
      const int b = base + i / edge, r = i % edge;
      const bool inside = b < neurons && first + r < neurons && task.sums.counts[b] != 0;
      const double weight = inside ? weight_of(task.neighborhood, b, first + r) : 0;
      left[i / edge][r] = weight;
      some = some || weight != 0;
    }
    if (__syncthreads_or(some) != 0) {
      for (int i = thread; i < depth * edge; i += wide_threads) {
        const int b = base + i / edge, c = i % edge;
        right[i / edge][c] =
            b < neurons && column + c < columns ? values[b * columns + column + c] : 0.0;
      }
      __syncthreads();
#pragma unroll 4
      for (int k = 0; k < depth; ++k) {
        double weights[cells], value[cells];
#pragma unroll
        for (int i = 0; i < cells; ++i) {
          weights[i] = left[k][down * cells + i];
          value[i] = right[k][along + 16 * i];
        }
#pragma unroll
        for (int p = 0; p < cells; ++p) {
#pragma unroll
          for (int q = 0; q < cells; ++q) {
            sums[p][q] = __dadd_rn(sums[p][q], __dmul_rn(weights[p], value[q]));
          }
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < cells; ++p) {
#pragma unroll
    for (int q = 0; q < cells; ++q) {
      const std::int64_t k = first + down * cells + p, j = column + along + 16 * q;
      if (k < task.range.end && j < columns) products[k * columns + j] = sums[p][q];
    }
  }
}

/// The new weights of a neuron, a block each.
__global__ void __launch_bounds__(threads)
    quotient_kernel(SmoothTask task, const double* products) {
  const std::int64_t features = task.codebook.features;
  const std::int64_t i = task.range.first + blockIdx.x;
  const double* const row = products + i * (features + 1);
  const double denominator = row[features];
  for (std::int64_t j = threadIdx.x; j < features; j += threads) {
    float& w = task.codebook.weights[i * features + j];
    if (denominator >= negligible) w = __double2float_rn(__ddiv_rn(row[j], denominator));
    task.next.sums[i * features + j] = 0;
  }
  if (threadIdx.x == 0) task.next.counts[i] = 0;
}

}  // namespace

void launch_smooth(const DeviceCodebook& codebook,
                   NeuronRange neurons,
                   const DeviceSums& sums,
                   const DeviceSums& next,
                   const DeviceNeighborhood& neighborhood,
                   const SmoothScratch& scratch,
                   cudaStream_t stream) {
  if (neurons.first == neurons.end) return;
  const SmoothTask task{codebook, neurons, sums, next, neighborhood};
  const auto count = static_cast<unsigned>(neurons.end - neurons.first);
  if (scratch.values == nullptr) {
    smooth_kernel<<<count, threads, 0, stream>>>(task);
  } else {
    values_kernel<<<2048, wide_threads, 0, stream>>>(task, scratch.values);
    const dim3 blocks(static_cast<unsigned>(divide_up(std::int64_t{count}, edge)),
                      static_cast<unsigned>(divide_up(codebook.features + 1, edge)));
    product_kernel<<<blocks, wide_threads, 0, stream>>>(task, scratch.values, scratch.products);
    quotient_kernel<<<count, threads, 0, stream>>>(task, scratch.products);
  }
  yupana::cuda::check_launch("smooth a map");
}

}  // namespace yupana::som::cuda
