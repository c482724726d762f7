#include <cuda_pipeline.h>

#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/narrow_tile_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {

using namespace narrow;

namespace {

// Search and sums in one pass over the samples. A block takes tiles of 256 samples, the next one on
// its way while it works one:
//   1. scores of 16 samples a warp by tensor cores;
//   2. samples that their rounding leaves open, by distances in float and then in double;
//   3. the tile in order of its neurons (counting sort), so that a thread adds up one feature of a
//      run of samples in a register and are added to shared memory once a neuron.

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int tile = 256;

/// Parts of a block's memory, in 4-byte words from its start.
struct Layout {
  int fragments, tiles, turned, low, high, squares, counts, bins, starts, order, best, list, total;
};

__host__ __device__ inline Layout layout(int neurons, int features) {
  Layout at{};
  at.fragments = 0;
  at.tiles = fragment_words(neurons, features);
  at.turned = at.tiles + 2 * tile * features;
  at.low = at.turned + neurons * features;
  at.high = at.low + neurons * features;
  at.squares = at.high + neurons * features;
  at.counts = at.squares + neurons;
  at.bins = at.counts + neurons;
  at.starts = at.bins + neurons;
  at.order = at.starts + neurons;
  at.best = at.order + tile;
  at.list = at.best + tile;
  at.total = at.list + tile + 2;
  return at;
}

/// The smallest score of a sample so far and its neuron, -1 where others are too near to decide.
struct Found {
  float score = INFINITY;
  int neuron = -1;

  /// Of the next chunk: the smallest score, the limit of those near it, and its only neuron or -1.
  __device__ __forceinline__ void take(
      float least, float limit, float margin, int base, int other) {
    const bool alone = other >= 0 && score > limit;
    if (!(least > score + margin)) neuron = alone ? base + other : -1;
    score = fminf(score, least);
  }
};

/// Step 1 for 16 samples from `first`.
template <int held>
__device__ void search_group(const NarrowTask& task,
                             const Layout& at,
                             float* memory,
                             const float* values,
                             int first,
                             int rows,
                             const Margin& margin,
                             const float (&center)[held]) {
  const auto features = static_cast<int>(task.codebook.features);
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane % 4;
  std::uint32_t left[operands_of(held)][4];
  float margins[2];
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    float a[held];
    const int sample = first + lane / 4 + 8 * h;
#pragma unroll
    for (int i = 0; i < held; ++i) {
      const int j = q + 4 * i;
      const bool inside = j < features && sample < rows;
      a[i] = inside ? __fsub_rn(values[sample * features + j], center[i]) : 0.0f;
    }
    margins[h] = margin.at(norm_of(split<held>(a, h, left)));
  }
  Found found[2];
  const auto* right = reinterpret_cast<const uint2*>(memory + at.fragments) + lane;
  for (int base = 0; base < neurons; base += chunk, right += columns * operands_of(held) * 32) {
    float scores[2][2 * columns];
    score<held>(left, right, scores);
    const Nearest nearest = nearest_of(scores, margins);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      found[h].take(nearest.least[h],
                    nearest.limits[h],
                    margins[h],
                    base,
                    neuron_of(nearest.codes >> 16 * h & 0xffff));
    }
  }
  // Two lanes of four write a sample each.
  const int neuron = q == 0 ? found[0].neuron : found[1].neuron;
  const int s = first + 8 * q + lane / 4;
  if (q > 1 || s >= rows) return;
  auto* const best = reinterpret_cast<unsigned*>(memory + at.best);
  auto* const bins = reinterpret_cast<int*>(memory + at.bins);
  auto* const list = reinterpret_cast<int*>(memory + at.list);
  if (neuron < 0) {
    list[1 + atomicAdd(list, 1)] = s;
  } else {
    best[s] = static_cast<unsigned>(neuron) << 16 | atomicAdd(bins + neuron, 1);
  }
}

/// Brings a tile into shared memory without waiting for it.
__device__ void bring(const NarrowTask& task, std::int64_t number, float* to) {
  const auto features = static_cast<int>(task.codebook.features);
  const std::int64_t first = number * tile;
  if (first < task.samples.rows) {
    const int floats =
        static_cast<int>(min(std::int64_t{tile}, task.samples.rows - first)) * features;
    const float* const from = task.samples.values + first * features;
    const int fours = reinterpret_cast<std::uintptr_t>(from) % 16 == 0 ? floats / 4 : 0;
    for (int i = static_cast<int>(threadIdx.x); i < fours; i += threads) {
      __pipeline_memcpy_async(to + 4 * i, from + 4 * i, 16);
    }
    for (int i = 4 * fours + static_cast<int>(threadIdx.x); i < floats; i += threads) {
      __pipeline_memcpy_async(to + i, from + i, 4);
    }
  }
  __pipeline_commit();
}

/// starts[k]: samples of the tile before those of neuron k. By one warp.
__device__ void scan_bins(const int* bins, int* starts, int neurons) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int before = 0;
  for (int base = 0; base < neurons; base += 32) {
    const int mine = base + lane < neurons ? bins[base + lane] : 0;
    int sum = mine;
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(0xffffffffu, sum, step);
      if (lane >= step) sum += other;
    }
    if (base + lane < neurons) starts[base + lane] = before + sum - mine;
    before += __shfl_sync(0xffffffffu, sum, 31);
  }
}

/// A 64-bit sum as two of 32, which shared memory adds at full speed: the lower one's carry goes up
/// whoever adds first.
__device__ __forceinline__ void add_shared(unsigned* low, unsigned* high, long long value) {
  const auto lower = static_cast<unsigned>(value);
  const unsigned before = atomicAdd(low, lower);
  const unsigned upper = static_cast<unsigned>(value >> 32) + (before + lower < before ? 1u : 0u);
  if (upper != 0) atomicAdd(high, upper);
}

/// Adds up the tile: a thread takes one feature of a piece of the sorted samples.
__device__ void add_tile(const NarrowTask& task,
                         const Layout& at,
                         float* memory,
                         const float* values,
                         int rows,
                         double scale) {
  // 1.5 x 2^52: added to a number below 2^51, it leaves the nearest integer in the lower bits, ties
  // to even, which is how fixed() rounds; x times a power of two is exact.
  constexpr double shift = 6755399441055744.0;
  constexpr int ahead = 8;  // samples in flight from shared memory at once
  const auto features = static_cast<int>(task.codebook.features);
  const auto* const order = reinterpret_cast<const unsigned*>(memory + at.order);
  auto* const low = reinterpret_cast<unsigned*>(memory + at.low);
  auto* const high = reinterpret_cast<unsigned*>(memory + at.high);
  const int pieces = threads / features, piece = static_cast<int>(threadIdx.x) / features;
  const int j = static_cast<int>(threadIdx.x) % features;
  if (piece >= pieces) return;
  const int length = (rows + pieces - 1) / pieces;
  const int end = min(rows, (piece + 1) * length);
  unsigned neuron = 0;
  long long sum = 0;
  for (int p = piece * length; p < end; p += ahead) {
    unsigned entries[ahead];
    float loaded[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) entries[i] = order[min(p + i, end - 1)];
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      loaded[i] = values[static_cast<int>(entries[i] & 0xffff) * features + j];
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
      if (p + i >= end) break;
      const long long value =
          __double_as_longlong(__fma_rn(static_cast<double>(loaded[i]), scale, shift)) -
          __double_as_longlong(shift);
      if (entries[i] >> 16 != neuron) {
        const auto cell = static_cast<int>(neuron) * features + j;
        if (sum != 0) add_shared(low + cell, high + cell, sum);
        neuron = entries[i] >> 16;
        sum = 0;
      }
      sum += value;
    }
  }
  const auto cell = static_cast<int>(neuron) * features + j;
  if (sum != 0) add_shared(low + cell, high + cell, sum);
}

/// Steps 2 and 3 for a tile whose samples search_group() has searched.
__device__ void refine_tile(const NarrowTask& task,
                            const Layout& at,
                            float* memory,
                            const float* values,
                            int rows,
                            double scale) {
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const int thread = static_cast<int>(threadIdx.x);
  auto* const best = reinterpret_cast<unsigned*>(memory + at.best);
  auto* const bins = reinterpret_cast<int*>(memory + at.bins);
  auto* const starts = reinterpret_cast<int*>(memory + at.starts);
  auto* const counts = reinterpret_cast<int*>(memory + at.counts);
  auto* const order = reinterpret_cast<unsigned*>(memory + at.order);
  auto* const list = reinterpret_cast<int*>(memory + at.list);
  const int open = list[0];
  for (int i = thread / 32; i < open; i += warps) {
    const int s = list[1 + i];
    const int neuron = decide(values + s * features, memory + at.turned, neurons, features);
    if (thread % 32 == 0) {
      best[s] = static_cast<unsigned>(neuron) << 16 | atomicAdd(bins + neuron, 1);
    }
  }
  if (open > 0) __syncthreads();
  if (thread < 32) scan_bins(bins, starts, neurons);
  __syncthreads();
  for (int s = thread; s < rows; s += threads) {
    const unsigned entry = best[s], neuron = entry >> 16;
    order[starts[neuron] + static_cast<int>(entry & 0xffff)] =
        neuron << 16 | static_cast<unsigned>(s);
  }
  for (int k = thread; k < neurons; k += threads) counts[k] += bins[k], bins[k] = 0;
  if (thread == 0) list[0] = 0;
  __syncthreads();
  add_tile(task, at, memory, values, rows, scale);
}

template <int held>
__global__ void __launch_bounds__(threads, 3)
    narrow_kernel(const __grid_constant__ NarrowTask task) {
  extern __shared__ __align__(16) float memory[];
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const Layout at = layout(neurons, features);
  const int thread = static_cast<int>(threadIdx.x);
  float* const tiles = memory + at.tiles;
  bring(task, blockIdx.x, tiles);
  for (int i = at.low + thread; i < at.total; i += threads) memory[i] = 0;
  turn(task, memory + at.turned);
  const Margin margin = prepare<held>(task,
                                      {memory + at.turned,
                                       task.codebook.center,
                                       memory + at.squares,
                                       reinterpret_cast<uint2*>(memory + at.fragments)});
  const double scale = task.sums.scale[thread % features];
  float center[held];
#pragma unroll
  for (int i = 0; i < held; ++i) {
    const int j = thread % 4 + 4 * i;
    center[i] = j < features ? task.codebook.center[j] : 0.0f;
  }
  int side = 0;
  for (std::int64_t t = blockIdx.x; t * tile < task.samples.rows; t += gridDim.x) {
    const int rows = static_cast<int>(min(std::int64_t{tile}, task.samples.rows - t * tile));
    const float* const values = tiles + side * tile * features;
    __pipeline_wait_prior(0);
    __syncthreads();  // also: the other side's samples have been added up
    side ^= 1;
    bring(task, t + gridDim.x, tiles + side * tile * features);
    for (int first = thread / 32 * 16; first < rows; first += warps * 16) {
      search_group<held>(task, at, memory, values, first, rows, margin, center);
    }
    __syncthreads();
    refine_tile(task, at, memory, values, rows, scale);
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  const auto* const low = reinterpret_cast<const unsigned*>(memory + at.low);
  const auto* const high = reinterpret_cast<const unsigned*>(memory + at.high);
  for (int i = thread; i < neurons * features; i += threads) {
    const auto sum = static_cast<unsigned long long>(high[i]) << 32 | low[i];
    if (sum != 0) atomicAdd(task.sums.sums + i, sum);
  }
  const auto* const counts = reinterpret_cast<const int*>(memory + at.counts);
  for (int i = thread; i < neurons; i += threads) {
    if (counts[i] != 0) atomicAdd(task.sums.counts + i, static_cast<unsigned long long>(counts[i]));
  }
}

template <int held>
void launch(const NarrowTask& task, cudaStream_t stream) {
  const auto kernel = narrow_kernel<held>;
  const int bytes =
      layout(static_cast<int>(task.codebook.neurons), static_cast<int>(task.codebook.features))
          .total *
      static_cast<int>(sizeof(float));
  const std::int64_t most = std::int64_t{yupana::cuda::device_facts().multiprocessors} *
                            yupana::cuda::resident_blocks(kernel, threads, bytes);
  yupana::cuda::launch("search a map",
                       kernel,
                       {std::min(divide_up(task.samples.rows, tile), most), threads, bytes},
                       stream,
                       task);
}

}  // namespace

bool is_narrow(std::int64_t neurons, std::int64_t features) {
  return features <= most_features && neurons * features <= 1 << 14 &&
         layout(static_cast<int>(neurons), static_cast<int>(features)).total *
                 std::int64_t{sizeof(float)} <=
             std::min<std::int64_t>(most_memory, yupana::cuda::device_facts().max_shared_bytes);
}

void launch_narrow(const DeviceSamples& samples,
                   const DeviceCodebook& codebook,
                   const DeviceSums& sums,
                   cudaStream_t stream) {
  if (samples.rows == 0) return;
  if (has_product_sums(codebook.neurons, codebook.features)) {
    launch_product_sums(samples, codebook, sums, stream);
    return;
  }
  const NarrowTask task{samples, codebook, sums};
  switch (held_by_lane(static_cast<int>(codebook.features))) {
    case 1:
      return launch<1>(task, stream);
    case 2:
      return launch<2>(task, stream);
    case 3:
      return launch<3>(task, stream);
    case 4:
      return launch<4>(task, stream);
    case 5:
      return launch<5>(task, stream);
    case 6:
      return launch<6>(task, stream);
    case 7:
      return launch<7>(task, stream);
    default:
      return launch<8>(task, stream);
  }
}

}  // namespace yupana::som::cuda
