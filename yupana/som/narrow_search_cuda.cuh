#pragma once

#include <cuda_bf16.h>

#include <cmath>

#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

/// The first step of the narrow kernel: what a block holds in shared memory, and scores by tensor
/// cores. Only narrow_cuda.cu includes this.
namespace yupana::som::cuda::narrow {

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

__host__ __device__ inline Layout layout(int neurons, int features) {
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
__device__ inline float right_place(
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

}  // namespace yupana::som::cuda::narrow
