#include <cuda_bf16.h>
#include <cuda_pipeline.h>

#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {
namespace {

// Search and sums in one pass over the samples. A block takes tiles of 256 samples, the next one on
// its way while it works one:
//   1. scores of 16 samples a warp by tensor cores, three products of bfloat16 halves a value;
//   2. samples that their rounding leaves open, by distances in float and then in double;
//   3. the tile in order of its neurons (counting sort), so that a thread adds up one feature of a
//      run of samples in a register and shared memory hears of it once a neuron.
constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int tile = 256;
constexpr int columns = 7;  // groups of 8 neurons whose scores stand in registers: 56 of them
constexpr int chunk = 8 * columns;
constexpr int most_features = 32;
constexpr std::int64_t most_memory = 112 * 1024;  // two blocks on a multiprocessor
constexpr float beyond = 3e38f;                   // |b|^2 of places behind the last neuron

struct NarrowTask {
  DeviceSamples samples;
  DeviceCodebook codebook;
  DeviceSums sums;
};

/// Parts of a block's memory, in 4-byte words from its start.
struct Layout {
  int fragments, tiles, turned, low, high, squares, counts, bins, starts, order, best, list, total;
};

__host__ __device__ constexpr int held_by_lane(int features) { return (features + 3) / 4; }

/// Instructions over k: every lane of four holds ceil(d / 4) features, three places each, and one
/// place of |b|^2; an instruction takes four places a lane.
__host__ __device__ constexpr int steps_of(int features) {
  return (3 * held_by_lane(features) + 1 + 3) / 4;
}

__host__ __device__ Layout layout(int neurons, int features) {
  Layout at{};
  const int chunks = (neurons + chunk - 1) / chunk;
  at.fragments = 0;
  at.tiles = chunks * columns * steps_of(features) * 64;
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

__device__ __forceinline__ float rounded(float value) {
  return __bfloat162float(__float2bfloat16_rn(value));
}
__device__ __forceinline__ std::uint32_t packed(float low, float high) {
  const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&both);
}

__device__ __forceinline__ void multiply(float (&c)[4],
                                         const std::uint32_t (&a)[4],
                                         const uint2& b) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
}

/// What a lane holds of the right operand at one place: parts of -2 b, or of |b|^2 in the last.
__device__ float right_place(
    const NarrowTask& task, const float* squares, int k, int q, int place) {
  const auto features = static_cast<int>(task.codebook.features);
  const bool real = k < static_cast<int>(task.codebook.neurons);
  if (place == 3 * held_by_lane(features)) {
    const float square = real ? squares[k] : beyond;
    const float first = rounded(square), second = rounded(square - first);
    return q == 0 ? first : q == 1 ? second : q == 2 ? square - first - second : 0.0f;
  }
  const int j = q + 4 * (place / 3);
  if (!real || j >= features || place > 3 * held_by_lane(features)) return 0;
  const float b = -2 * __fsub_rn(task.codebook.weights[k * features + j], task.codebook.center[j]);
  return place % 3 < 2 ? rounded(b) : b - rounded(b);
}

/// |b|^2 of every neuron, the right operand as lanes read it, and the largest |b| and norm of low
/// halves.
template <int steps>
__device__ float2 prepare(const NarrowTask& task, const Layout& at, float* memory) {
  __shared__ unsigned largest, largest_low;
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const int thread = static_cast<int>(threadIdx.x);
  float* const squares = memory + at.squares;
  auto* const fragments = reinterpret_cast<uint2*>(memory + at.fragments);
  if (thread == 0) largest = largest_low = 0;
  __syncthreads();
  for (int k = thread; k < neurons; k += threads) {
    float square = 0, low = 0;
    for (int j = 0; j < features; ++j) {
      const float b = __fsub_rn(task.codebook.weights[k * features + j], task.codebook.center[j]);
      const float rest = b - rounded(b);
      square = fmaf(b, b, square);
      low = fmaf(rest, rest, low);
    }
    squares[k] = fminf(square, beyond);
    atomicMax(&largest, __float_as_uint(square));
    atomicMax(&largest_low, __float_as_uint(low));
  }
  __syncthreads();
  const int groups = (neurons + chunk - 1) / chunk * columns;
  for (int i = thread; i < groups * steps * 32; i += threads) {
    const int lane = i % 32, step = i / 32 % steps, k = i / (32 * steps) * 8 + lane / 4;
    float values[4];
    for (int p = 0; p < 4; ++p) {
      values[p] = right_place(task, squares, k, lane % 4, 4 * step + p);
    }
    fragments[i] = {packed(values[0], values[1]), packed(values[2], values[3])};
  }
  return {sqrtf(__uint_as_float(largest)) * 1.0001f,
          sqrtf(__uint_as_float(largest_low)) * 1.0001f + FLT_MIN};
}

/// Twice a bound of |score - (D - |a|^2)|, a = x - center, b = w - center, D as with_square() sums
/// it; `al` and `bl` are norms of the low halves. With h = bfloat16(v), l = bfloat16(v - h), |v - h
/// - l| <= 2^-8 |v - h|: ah bh + al bh + ah bl misses a b by al bl, a's rest times b and the
/// reverse (Cauchy). What tensor cores lose in a sum is not specified; taken is that each of the 17
/// terms of an instruction is cut at 2^-23 of the largest. |b|^2 is summed in float, carried in
/// three parts.
__device__ __forceinline__ float margin(
    float a, float al, float b, float bl, int features, int steps) {
  const float scores = b * (b + 2.1f * a);
  if (!(scores < 0.25f * FLT_MAX)) return INFINITY;
  const auto d = static_cast<float>(features);
  const float products = 2.05f * (al * bl + 0x1p-8f * (al * b + a * bl) + 0x1p-22f * a * b);
  const float sums =
      18.0f * static_cast<float>(steps) * 0x1p-23f * scores + (d + 8) * 0x1p-23f * b * b;
  return 2.01f *
         (products + sums + (d + 2) * 0x1p-50f * (a + b) * (a + b) + d * FLT_MIN * (16 + a + b));
}

/// The left operand of 16 samples: lane 4 g + q holds features q, q + 4, ... of samples g, g + 8.
/// norm: |a| and that of its low halves, rounded up.
template <int held, int steps>
__device__ void load_left(const float* values,
                          int first,
                          int rows,
                          int features,
                          const float* center,
                          std::uint32_t (&left)[steps][4],
                          float (&norm)[2],
                          float (&low_norm)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane % 4;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int s = first + lane / 4 + 8 * h;
    float places[4 * steps];
    float square = 0, low = 0;
#pragma unroll
    for (int i = 0; i < held; ++i) {
      const int j = q + 4 * i;
      const bool inside = j < features && s < rows;
      const float a = inside ? __fsub_rn(values[s * features + j], center[i]) : 0.0f;
      square = fmaf(a, a, square);
      places[3 * i] = places[3 * i + 2] = rounded(a);
      places[3 * i + 1] = a - places[3 * i];
      low = fmaf(places[3 * i + 1], places[3 * i + 1], low);
    }
#pragma unroll
    for (int p = 3 * held; p < 4 * steps; ++p) places[p] = p == 3 * held ? 1.0f : 0.0f;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      left[step][h] = packed(places[4 * step], places[4 * step + 1]);
      left[step][h + 2] = packed(places[4 * step + 2], places[4 * step + 3]);
    }
    square += __shfl_xor_sync(0xffffffffu, square, 1);
    square += __shfl_xor_sync(0xffffffffu, square, 2);
    low += __shfl_xor_sync(0xffffffffu, low, 1);
    low += __shfl_xor_sync(0xffffffffu, low, 2);
    norm[h] = sqrtf(square) * 1.0001f;
    low_norm[h] = sqrtf(low) * 1.0001f + FLT_MIN;
  }
}

/// The smallest score of a sample so far and its neuron, -1 where others are too near to tell.
struct Found {
  float score = INFINITY;
  int neuron = -1;
};

/// Takes in one sample's scores of a chunk: `scores[2 t]`, `[2 t + 1]` of neurons base + 8 t + 2 q
/// and the next.
__device__ __forceinline__ void take(const float (&scores)[2 * columns],
                                     int base,
                                     float margin,
                                     Found& found) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float least = scores[0];
#pragma unroll
  for (int i = 1; i < 2 * columns; ++i) least = fminf(least, scores[i]);
  least = fminf(least, __shfl_xor_sync(0xffffffffu, least, 1));
  least = fminf(least, __shfl_xor_sync(0xffffffffu, least, 2));
  const float limit = least + margin;
  unsigned above = 0;  // signs of limit - score, the last one lowest
#pragma unroll
  for (int i = 0; i < 2 * columns; ++i) {
    above = __funnelshift_l(__float_as_uint(limit - scores[i]), above, 1);
  }
  const unsigned near = ~above & ((1u << 2 * columns) - 1);
  // How many are near, and which one if it is one: both add up over the four lanes.
  const int i = 2 * columns - 32 + __clz(static_cast<int>(near));
  const int neuron = base + 8 * (i >> 1) + 2 * (lane % 4) + (i & 1);
  int code = near == 0 ? 0 : (__popc(near) << 20) + neuron;
  code += __shfl_xor_sync(0xffffffffu, code, 1);
  code += __shfl_xor_sync(0xffffffffu, code, 2);
  const bool alone = code >> 20 == 1 && limit < INFINITY && found.score > limit;
  const bool reached = !(least > found.score + margin);
  found.neuron = reached ? (alone ? code & 0xfffff : -1) : found.neuron;
  found.score = fminf(found.score, least);
}

template <int held, int steps>
__device__ void search_group(const NarrowTask& task,
                             const Layout& at,
                             float* memory,
                             const float* values,
                             int first,
                             int rows,
                             float2 largest,
                             const float* center) {
  const auto features = static_cast<int>(task.codebook.features);
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const int lane = static_cast<int>(threadIdx.x) % 32, q = lane % 4;
  std::uint32_t left[steps][4];
  float norms[2], low_norms[2], margins[2];
  load_left<held, steps>(values, first, rows, features, center, left, norms, low_norms);
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    margins[h] = margin(norms[h], low_norms[h], largest.x, largest.y, features, steps);
  }
  Found found[2];
  const auto* const right = reinterpret_cast<const uint2*>(memory + at.fragments) + lane;
  for (int base = 0; base < neurons; base += chunk) {
    float scores[2][2 * columns];
#pragma unroll
    for (int t = 0; t < columns; ++t) {
      float sums[4] = {};
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        multiply(sums, left[step], right[((base / 8 + t) * steps + step) * 32]);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) scores[i / 2][2 * t + i % 2] = sums[i];
    }
    take(scores[0], base, margins[0], found[0]);
    take(scores[1], base, margins[1], found[1]);
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

__device__ __forceinline__ float smallest_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) {
    value = fminf(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  return value;
}

/// The neuron nearest to a sample by D, found by a warp: distances in float, from weights that lie
/// feature by feature in shared memory, say which may be it.
__device__ int decide(const float* sample, const float* turned, int neurons, int features) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float least = INFINITY, next = INFINITY;
  int first = 0;
  for (int k = lane; k < neurons; k += 32) {
    float sum = 0;
    for (int j = 0; j < features; ++j) {
      const float difference = sample[j] - turned[j * neurons + k];
      sum = fmaf(difference, difference, sum);
    }
    next = fminf(next, fmaxf(least, sum));
    if (sum < least) least = sum, first = k;
  }
  const float limit = distance_limit(smallest_of_warp(least), features, features);
  // Written so that distances of infinity leave their neurons possible.
  const unsigned some = __ballot_sync(0xffffffffu, !(least > limit) && lane < neurons);
  const unsigned several = __ballot_sync(0xffffffffu, !(next > limit) && lane + 32 < neurons);
  if ((some & (some - 1)) == 0 && several == 0) {
    return __shfl_sync(0xffffffffu, first, __ffs(static_cast<int>(some)) - 1);
  }
  double nearest = INFINITY;
  int best = 0x7fffffff;
  for (int k = lane; k < neurons && !(least > limit); k += 32) {
    double sum = 0;
    for (int j = 0; j < features; ++j) sum = with_square(sum, sample[j], turned[j * neurons + k]);
    if (sum < nearest || best == 0x7fffffff) nearest = sum, best = k;
  }
  for (int step = 16; step > 0; step /= 2) {
    const double other = __shfl_xor_sync(0xffffffffu, nearest, step);
    const int neuron = __shfl_xor_sync(0xffffffffu, best, step);
    if (other < nearest || (other == nearest && neuron < best)) nearest = other, best = neuron;
  }
  return best;
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
  constexpr int ahead = 8;  // samples on their way from shared memory at once
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
__device__ void settle_tile(const NarrowTask& task,
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
  constexpr int steps = steps_of(4 * held);
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const Layout at = layout(neurons, features);
  const int thread = static_cast<int>(threadIdx.x);
  float* const tiles = memory + at.tiles;
  bring(task, blockIdx.x, tiles);
  for (int i = at.low + thread; i < at.total; i += threads) memory[i] = 0;
  for (int i = thread; i < neurons * features; i += threads) {
    memory[at.turned + i] = task.codebook.weights[i % neurons * features + i / neurons];
  }
  const float2 largest = prepare<steps>(task, at, memory);
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
      search_group<held, steps>(task, at, memory, values, first, rows, largest, center);
    }
    __syncthreads();
    settle_tile(task, at, memory, values, rows, scale);
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
                   const DeviceSums& sums,
                   cudaStream_t stream) {
  if (samples.rows == 0) return;
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
