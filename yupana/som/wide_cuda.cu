#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {
namespace {

// A matrix product whose result is never written: a block holds 128 samples and passes all neurons,
// 128 at a time, 8 x 8 scores a thread; eight features stand in shared memory while the next eight
// are on their way.
constexpr int threads = 256;
constexpr int edge = 128;
constexpr int depth = 8;
constexpr int cells = 8;
constexpr int across = 16;  // threads a row of the block
constexpr int pitch = edge + 4;

struct WideTask {
  DeviceSamples samples;
  DeviceCodebook codebook;
  std::int64_t iteration;
  WideScratch scratch;
};

/// Four features of a row of `matrix`, zeros outside of it.
__device__ __forceinline__ float4 load_four(const float* matrix,
                                            std::int64_t stride,
                                            std::int64_t row,
                                            std::int64_t rows,
                                            int j,
                                            int features) {
  float4 four = {0, 0, 0, 0};
  if (row >= rows) return four;
  const float* const at = matrix + row * stride + j;
  if (stride % 4 == 0 && j + 4 <= features && reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0) {
    return *reinterpret_cast<const float4*>(at);
  }
  if (j < features) four.x = at[0];
  if (j + 1 < features) four.y = at[1];
  if (j + 2 < features) four.z = at[2];
  if (j + 3 < features) four.w = at[3];
  return four;
}

struct Stage {
  float left[depth][pitch];
  float right[depth][pitch];
};

__device__ __forceinline__ void store_four(float (&to)[depth][pitch], int row, int j, float4 four) {
  to[j][row] = four.x;
  to[j + 1][row] = four.y;
  to[j + 2][row] = four.z;
  to[j + 3][row] = four.w;
}

/// Row or column number of a thread's i-th cell: two runs of four, so that loads do not collide.
__device__ __forceinline__ int cell_at(int thread, int i) {
  return (i / 4) * (edge / 2) + thread * 4 + i % 4;
}

__global__ void __launch_bounds__(threads, 2) wide_kernel(WideTask task) {
  __shared__ Stage stages[2];
  const int thread = static_cast<int>(threadIdx.x);
  const int down = thread / across, along = thread % across;
  const int row = thread / 2, quarter = thread % 2 * 4;  // what this thread brings
  const auto features = static_cast<int>(task.samples.features);
  const std::int64_t first = std::int64_t{blockIdx.x} * edge;
  const float* const x = task.samples.values;
  const float* const w = task.codebook.weights;
  Running running[cells];
  for (std::int64_t base = 0; base < task.codebook.neurons; base += edge) {
    float sums[cells][cells] = {};
    const auto bring = [&](int j, float4& a, float4& b) {
      a = load_four(x, task.samples.stride, first + row, task.samples.rows, j + quarter, features);
      b = load_four(w, features, base + row, task.codebook.neurons, j + quarter, features);
    };
    float4 a, b;
    bring(0, a, b);
    int stage = 0;
    __syncthreads();
    store_four(stages[0].left, row, quarter, a);
    store_four(stages[0].right, row, quarter, b);
    __syncthreads();
    for (int j = 0; j < features; j += depth) {
      const bool more = j + depth < features;
      if (more) bring(j + depth, a, b);
#pragma unroll
      for (int k = 0; k < depth; ++k) {
        float left[cells], right[cells];
#pragma unroll
        for (int i = 0; i < cells; i += 4) {
          const float4 l =
              *reinterpret_cast<const float4*>(&stages[stage].left[k][cell_at(down, i)]);
          const float4 r =
              *reinterpret_cast<const float4*>(&stages[stage].right[k][cell_at(along, i)]);
          left[i] = l.x, left[i + 1] = l.y, left[i + 2] = l.z, left[i + 3] = l.w;
          right[i] = r.x, right[i + 1] = r.y, right[i + 2] = r.z, right[i + 3] = r.w;
        }
#pragma unroll
        for (int p = 0; p < cells; ++p) {
#pragma unroll
          for (int q = 0; q < cells; ++q) sums[p][q] = fmaf(left[p], right[q], sums[p][q]);
        }
      }
      if (more) {
        stage ^= 1;
        store_four(stages[stage].left, row, quarter, a);
        store_four(stages[stage].right, row, quarter, b);
        __syncthreads();
      }
    }
#pragma unroll
    for (int q = 0; q < cells; ++q) {
      const std::int64_t k = base + cell_at(along, q);
      if (k >= task.codebook.neurons) continue;
      const float square = task.codebook.squares[k];
#pragma unroll
      for (int p = 0; p < cells; ++p) {
        running[p].take(fmaf(-2.0f, sums[p][q], square), static_cast<int>(k));
      }
    }
  }
  const double largest = task.codebook.largest[task.iteration];
#pragma unroll
  for (int p = 0; p < cells; ++p) {
    for (int step = across / 2; step > 0; step /= 2) {
      const float best = __shfl_xor_sync(0xffffffffu, running[p].best, step);
      const float second = __shfl_xor_sync(0xffffffffu, running[p].second, step);
      const int neuron = __shfl_xor_sync(0xffffffffu, running[p].neuron, step);
      running[p].join(best, second, neuron);
    }
    const std::int64_t s = first + cell_at(down, p);
    if (along != 0 || s >= task.samples.rows) continue;
    task.scratch.best[s] = running[p].neuron;
    const float bound = error_bound(largest, task.scratch.norms[s], features);
    if (running[p].second > running[p].best + 2 * bound) continue;
    const auto at = atomicAdd(reinterpret_cast<unsigned long long*>(task.scratch.opened), 1ull);
    task.scratch.open[at] = static_cast<std::int32_t>(s);
  }
}

__global__ void norms_kernel(DeviceSamples samples, float* norms) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * (blockDim.x / 32);
  for (std::int64_t s = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
       s < samples.rows;
       s += warps) {
    double square = 0;
    for (std::int64_t j = lane; j < samples.features; j += 32) {
      const double value = samples.values[s * samples.stride + j];
      square += value * value;
    }
    for (int step = 16; step > 0; step /= 2) {
      square += __shfl_xor_sync(0xffffffffu, square, step);
    }
    if (lane == 0) norms[s] = static_cast<float>(sqrt(square)) * 1.00001f;
  }
}

}  // namespace

void launch_norms(const DeviceSamples& samples, float* norms, cudaStream_t stream) {
  if (samples.rows == 0) return;
  norms_kernel<<<1024, 256, 0, stream>>>(samples, norms);
  yupana::cuda::check_launch("measure samples");
}

void launch_wide(const DeviceSamples& samples,
                 const DeviceCodebook& codebook,
                 std::int64_t iteration,
                 const WideScratch& scratch,
                 cudaStream_t stream) {
  if (samples.rows == 0) return;
  yupana::cuda::check(cudaMemsetAsync(scratch.opened, 0, sizeof(std::int64_t), stream),
                      "search a map");
  const auto blocks = static_cast<unsigned>(divide_up(samples.rows, edge));
  wide_kernel<<<blocks, threads, 0, stream>>>({samples, codebook, iteration, scratch});
  yupana::cuda::check_launch("search a map");
}

}  // namespace yupana::som::cuda
