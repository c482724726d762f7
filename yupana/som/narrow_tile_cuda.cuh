#pragma once

#include <cuda_bf16.h>

#include <cmath>

#include "yupana/som/search_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

/// Scores of a few neurons by tensor cores, three products of bfloat16 halves a value, and what
/// else the narrow kernels, which alone include this, do with a tile.
namespace yupana::som::cuda::narrow {

// A warp takes the scores of 16 samples at once.
constexpr int columns = 7;  // groups of 8 neurons whose scores are in registers: 56 of them
constexpr int chunk = 8 * columns;
constexpr int most_features = 32;
constexpr std::int64_t most_memory = 112 * 1024;  // two blocks on a multiprocessor
constexpr float beyond = 3e38f;                   // |b|^2 past the last neuron

struct NarrowTask {
  DeviceSamples samples;
  DeviceCodebook codebook;
  DeviceSums sums;
};

__host__ __device__ constexpr int held_by_lane(int features) { return (features + 3) / 4; }

// Every lane of four holds `held` features of a sample, q, q + 4, ..., and an operand has four
// places a lane. Features by four, held / 4 times: an operand of high halves and one of low ones,
// which make three products. What is left over, and the three parts of |b|^2, share operands: three
// places a feature and one.
__host__ __device__ constexpr int shared_operands(int held) { return (3 * (held % 4) + 1 + 3) / 4; }
__host__ __device__ constexpr int operands_of(int held) {
  return 2 * (held / 4) + shared_operands(held);
}
__host__ __device__ constexpr int products_of(int held) {
  return 3 * (held / 4) + shared_operands(held);
}

/// Words of the right operand: lanes of all operands, for chunks of neurons.
__host__ __device__ constexpr int fragment_words(int neurons, int features) {
  return (neurons + chunk - 1) / chunk * columns * operands_of(held_by_lane(features)) * 64;
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
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
}

__device__ __forceinline__ float low_value(std::uint32_t pair) {
  return __uint_as_float(pair << 16);
}
__device__ __forceinline__ float high_value(std::uint32_t pair) {
  return __uint_as_float(pair & 0xffff0000u);
}

/// A codebook in a block's memory.
struct Prepared {
  const float* turned;  ///< weights, feature by feature: d x K
  const float* center;  ///< any point near the neurons, by feature
  float* squares;       ///< |b|^2, b = w - center
  uint2* fragments;     ///< the right operand as lanes read it
};

/// What a lane holds of the right operand at one place: parts of -2 b, or of |b|^2.
template <int held>
__device__ float right_place(
    const NarrowTask& task, const Prepared& prepared, int k, int q, int operand, int place) {
  constexpr int whole = held / 4, rest = held % 4;
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const bool real = k < neurons, shared = operand >= 2 * whole;
  const int at = shared ? 4 * (operand - 2 * whole) + place : 0;
  if (shared && at == 3 * rest) {
    const float square = real ? prepared.squares[k] : beyond;
    const float first = rounded(square), second = rounded(square - first);
    return q == 0 ? first : q == 1 ? second : q == 2 ? square - first - second : 0.0f;
  }
  const int j = q + 4 * (shared ? 4 * whole + at / 3 : 4 * (operand / 2) + place);
  if (!real || j >= features || at > 3 * rest) return 0;
  const float b = -2 * __fsub_rn(prepared.turned[j * neurons + k], prepared.center[j]);
  const bool high = shared ? at % 3 < 2 : operand % 2 == 0;
  return high ? rounded(b) : b - rounded(b);
}

/// Twice a bound of |score - (D - |a|^2)| as a polynomial of |a|, a = x - center; up to `most`.
struct Margin {
  float constant = 0, linear = 0, square = 0, most = 0;

  __device__ __forceinline__ float at(float a) const {
    return a < most ? fmaf(fmaf(square, a, linear), a, constant) : INFINITY;
  }
};

/// For neurons with |b| <= b, b = w - center, and `low` the norm of b's low halves; D as
/// with_square() sums it. With h = bfloat16(v), l = bfloat16(v - h), |v - h| <= 2^-9 |v| and |v - h
/// - l| <= 2^-8 |v - h|: ah bh + al bh + ah bl misses a b by al bl, a's rest times b and the
/// reverse (Cauchy). What tensor cores lose in a sum is not specified; taken is that each of the 17
/// terms of an instruction is cut at 2^-23 of the largest. |b|^2 is summed in float, carried in
/// three parts.
__device__ inline Margin margin_of(float b, float low, int features, int products) {
  const auto d = static_cast<float>(features);
  const float sums = 18.0f * static_cast<float>(products) * 0x1p-23f;
  const float tiny = (d + 2) * 0x1p-50f;
  Margin margin;
  margin.constant =
      2.02f * (sums * b * b + (d + 8) * 0x1p-23f * b * b + tiny * b * b + d * FLT_MIN * (32 + b));
  margin.linear = 2.02f * (2.05f * (0x1.01p-9f * low + 0x1.1p-17f * b + 0x1p-8f * low) +
                           2.1f * sums * b + 2 * tiny * b + d * FLT_MIN);
  margin.square = 2.02f * tiny;
  margin.most = b < 0x1p61f ? 0x1p61f : 0.0f;  // scores stay below FLT_MAX / 4
  return margin;
}

/// Makes what the search reads of a codebook whose weights are in memory already.
template <int held>
__device__ Margin prepare(const NarrowTask& task, const Prepared& prepared) {
  __shared__ unsigned largest, largest_low;
  constexpr int operands = operands_of(held);
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) largest = largest_low = 0;
  __syncthreads();
  for (int k = thread; k < neurons; k += static_cast<int>(blockDim.x)) {
    float square = 0, low = 0;
    for (int j = 0; j < features; ++j) {
      const float b = __fsub_rn(prepared.turned[j * neurons + k], prepared.center[j]);
      const float rest = b - rounded(b);
      square = fmaf(b, b, square);
      low = fmaf(rest, rest, low);
    }
    prepared.squares[k] = fminf(square, beyond);
    atomicMax(&largest, __float_as_uint(square));
    atomicMax(&largest_low, __float_as_uint(low));
  }
  __syncthreads();
  const int groups = (neurons + chunk - 1) / chunk * columns;
  for (int i = thread; i < groups * operands * 32; i += static_cast<int>(blockDim.x)) {
    const int lane = i % 32, operand = i / 32 % operands, k = i / (32 * operands) * 8 + lane / 4;
    float values[4];
    for (int p = 0; p < 4; ++p) {
      values[p] = right_place<held>(task, prepared, k, lane % 4, operand, p);
    }
    prepared.fragments[i] = {packed(values[0], values[1]), packed(values[2], values[3])};
  }
  return margin_of(sqrtf(__uint_as_float(largest)) * 1.0001f + 0x1p-62f,
                   sqrtf(__uint_as_float(largest_low)) * 1.0001f + 0x1p-62f,
                   features,
                   products_of(held));
}

/// Row g + 8 h of the left operand from a sample's features less the center, q + 4 i in a[i], zero
/// past the last. Returns |a|^2, the lane's part of it.
template <int held>
__device__ __forceinline__ float split(const float (&a)[held],
                                       int h,
                                       std::uint32_t (&left)[operands_of(held)][4]) {
  constexpr int whole = held / 4, shared = shared_operands(held);
#pragma unroll
  for (int i = 0; i < 2 * whole; ++i) {
    const std::uint32_t high = packed(a[2 * i], a[2 * i + 1]);
    left[i / 2 * 2][h + i % 2 * 2] = high;
    left[i / 2 * 2 + 1][h + i % 2 * 2] =
        packed(a[2 * i] - low_value(high), a[2 * i + 1] - high_value(high));
  }
  float places[4 * shared] = {};
#pragma unroll
  for (int i = 0; i < held % 4; ++i) {
    const float value = a[4 * whole + i];
    places[3 * i] = places[3 * i + 2] = value;  // packed() rounds them
    places[3 * i + 1] = value - low_value(packed(value, 1));
  }
  places[3 * (held % 4)] = 1;
#pragma unroll
  for (int i = 0; i < shared; ++i) {
    left[2 * whole + i][h] = packed(places[4 * i], places[4 * i + 1]);
    left[2 * whole + i][h + 2] = packed(places[4 * i + 2], places[4 * i + 3]);
  }
  float square = 0;
#pragma unroll
  for (int i = 0; i < held; ++i) square = fmaf(a[i], a[i], square);
  return square;
}

/// |a|, rounded up, from its lanes' parts of |a|^2; what underflows is below the summand.
__device__ __forceinline__ float norm_of(float square) {
  square += __shfl_xor_sync(0xffffffffu, square, 1);
  square += __shfl_xor_sync(0xffffffffu, square, 2);
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
  return fmaf(root, 1.0001f, 0x1p-62f);
}

/// The smallest of one sample's scores of a chunk: `scores[2 t]`, `[2 t + 1]` of neurons base + 8 t
/// + 2 q and the next, over the four lanes.
__device__ __forceinline__ float least_of(const float (&scores)[2 * columns]) {
  float least = fminf(scores[0], scores[1]), other = fminf(scores[2], scores[3]);
#pragma unroll
  for (int i = 4; i < 2 * columns; i += 2) {
    least = fminf(least, scores[i]);
    other = fminf(other, scores[i + 1]);
  }
  least = fminf(least, other);
  least = fminf(least, __shfl_xor_sync(0xffffffffu, least, 1));
  return fminf(least, __shfl_xor_sync(0xffffffffu, least, 2));
}

// A code says which scores are not above a limit: their number times `one`, and the sum of their
// places in the chunk, which is used if it exists. Codes of lanes add up.
constexpr unsigned one = 1024;

/// sum += `code` unless the score is above the limit. Two instructions; compilers make it three.
template <unsigned code>
__device__ __forceinline__ void count_near(unsigned& sum, float score, float limit) {
  asm("{\n .reg .pred above;\n setp.gt.f32 above, %1, %2;\n @!above add.u32 %0, %0, %3;\n}"
      : "+r"(sum)
      : "f"(score), "f"(limit), "n"(code));
}

template <int t = 0>
__device__ __forceinline__ void count_all(unsigned (&sums)[2],
                                          const float (&scores)[2 * columns],
                                          float limit) {
  if constexpr (t < columns) {
    count_near<one + 8 * t>(sums[0], scores[2 * t], limit);
    count_near<one + 8 * t + 1>(sums[1], scores[2 * t + 1], limit);
    count_all<t + 1>(sums, scores, limit);
  }
}

/// Of the samples g and g + 8: the smallest score, and the code of those within the margin of it in
/// the lower and the upper half of `codes`.
struct Nearest {
  float least[2], limits[2];
  unsigned codes;
};

__device__ __forceinline__ Nearest nearest_of(const float (&scores)[2][2 * columns],
                                              const float (&margins)[2]) {
  Nearest found{};
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    found.least[h] = least_of(scores[h]);
    found.limits[h] = found.least[h] + margins[h];
    unsigned sums[2] = {};
    count_all(sums, scores[h], found.limits[h]);
    unsigned code = sums[0] + sums[1];
    code += code / one * (2 * (threadIdx.x % 4));
    found.codes += code << 16 * h;
  }
  found.codes += __shfl_xor_sync(0xffffffffu, found.codes, 1);
  found.codes += __shfl_xor_sync(0xffffffffu, found.codes, 2);
  return found;
}

/// The neuron of a code, of the chunk; -1 for several. A limit of infinity and scores
/// that are no numbers make several: all places count.
__device__ __forceinline__ int neuron_of(unsigned code) {
  return code < 2 * one ? static_cast<int>(code - one) : -1;
}

/// Scores of a chunk of neurons for the samples g and g + 8 of 16; `right` is the lane's.
template <int held>
__device__ __forceinline__ void score(const std::uint32_t (&left)[operands_of(held)][4],
                                      const uint2* right,
                                      float (&scores)[2][2 * columns]) {
  constexpr int whole = held / 4, operands = operands_of(held);
  float sums[columns][4] = {};
  // Operand after operand, so that an instruction need not wait for the one before.
#pragma unroll
  for (int i = 0; i < operands; ++i) {
#pragma unroll
    for (int t = 0; t < columns; ++t) {
      const uint2 b = right[(t * operands + i) * 32];
      multiply(sums[t], left[i < 2 * whole ? i / 2 * 2 : i], b);
      if (i < 2 * whole && i % 2 == 0) multiply(sums[t], left[i + 1], b);
    }
  }
#pragma unroll
  for (int t = 0; t < columns; ++t) {
#pragma unroll
    for (int i = 0; i < 4; ++i) scores[i / 2][2 * t + i % 2] = sums[t][i];
  }
}

__device__ __forceinline__ float smallest_of_warp(float value) {
  for (int step = 16; step > 0; step /= 2) {
    value = fminf(value, __shfl_xor_sync(0xffffffffu, value, step));
  }
  return value;
}

/// The neuron nearest to a sample by D, found by a warp: distances in float, from weights that are
/// stored feature by feature in shared memory, say which may be it.
__device__ inline int decide(const float* sample, const float* turned, int neurons, int features) {
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

/// The codebook's weights, feature by feature.
__device__ inline void turn(const NarrowTask& task, float* turned) {
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  for (int i = static_cast<int>(threadIdx.x); i < neurons * features;
       i += static_cast<int>(blockDim.x)) {
    turned[i % features * neurons + i / features] = task.codebook.weights[i];
  }
}

}  // namespace yupana::som::cuda::narrow
