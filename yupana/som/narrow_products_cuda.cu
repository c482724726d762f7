#include <cuda_pipeline.h>

#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/narrow_tile_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {

using namespace narrow;

namespace {

// As narrow_cuda.cu, for at most 64 neurons: the sums are a product too, of the matrix that has a 1
// where a sample's neuron is and of the samples as integers, exact on tensor cores. A sample's
// value is v + 2^39, v its integer of FixedPoint, |v| < 2^39: five bytes, a column each, five
// columns a feature; a column of ones counts. Sums of bytes stay below 2^32 for 2^24 samples.
//   1. a warp takes 32 samples: their bytes, their scores, a 1 in the left operand for each;
//   2. samples left open as in narrow_cuda.cu;
//   3. a warp multiplies 16 neurons by all samples, and wipes the left operand.
// Operands lie in memory as lanes read them. Of 32 samples, sample g + 8 i is byte i of word g; of
// the 32 places that an instruction sums over, lane q has words 2 q and 2 q + 1.
constexpr int threads = 128;
constexpr int warps = threads / 32;
constexpr int tile = 128;
constexpr int neuron_tiles = 4;
constexpr int most_neurons = 16 * neuron_tiles;
constexpr int bytes_of_value = 5;
constexpr int most_columns = 96;
constexpr int groups = tile / 32;
constexpr int ones_words = groups * neuron_tiles * 32 * 4;
constexpr std::int64_t most_tiles = 1 << 17;  // of a block
constexpr double bias = 549755813888.0;       // 2^39
constexpr int blocks_wanted = 4;              // on a multiprocessor

__host__ __device__ constexpr int columns_of(int features) { return bytes_of_value * features + 1; }
/// Tiles of eight columns for d <= 4 held.
__host__ __device__ constexpr int column_tiles(int held) {
  const int all = (columns_of(4 * held) + 7) / 8;
  return all * 8 < most_columns ? all : most_columns / 8;
}

/// Parts of a block's memory, in 4-byte words from its start.
struct ProductLayout {
  int fragments, ones, bytes, scale, tiles, turned, squares, center, list, total;
};

__host__ __device__ inline ProductLayout product_layout(int neurons, int features) {
  const int held = held_by_lane(features);
  ProductLayout at{};
  at.fragments = 0;
  at.ones = fragment_words(neurons, features);
  at.bytes = at.ones + ones_words;
  at.scale = at.bytes + groups * column_tiles(held) * 64;
  at.tiles = at.scale + 2 * 4 * held;
  at.turned = at.tiles + 2 * tile * features;
  at.squares = at.turned + neurons * features;
  at.center = at.squares + neurons;
  at.list = at.center + 4 * held;
  at.total = at.list + tile + 1;
  return at;
}

__device__ __forceinline__ void multiply_bytes(unsigned (&c)[4], const uint4& a, const uint2& b) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

/// The byte of the left operand for sample g + 8 i of a group.
__device__ __forceinline__ int place_of(int group, int g, int i, int neuron) {
  return (group * neuron_tiles + neuron / 16) * 512 + (neuron % 8) * 64 + (g / 2) * 16 +
         (neuron / 8 % 2) * 4 + (g % 2) * 8 + i;
}

/// The bytes of four samples' values: words[b] has those of place b.
__device__ __forceinline__ void bytes_of(const float (&x)[4],
                                         double scale,
                                         unsigned (&words)[bytes_of_value]) {
  // 1.5 x 2^52: added to a number below 2^51, it leaves the nearest integer in the lower bits, ties
  // to even, which is how fixed() rounds; x times a power of two is exact.
  constexpr double shift = 6755399441055744.0 + bias;
  unsigned low[4], high[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const long long bits = __double_as_longlong(__fma_rn(static_cast<double>(x[i]), scale, shift));
    low[i] = static_cast<unsigned>(bits);
    high[i] = static_cast<unsigned>(bits >> 32);
  }
  const unsigned first = __byte_perm(low[0], low[1], 0x5140);
  const unsigned second = __byte_perm(low[2], low[3], 0x5140);
  const unsigned third = __byte_perm(low[0], low[1], 0x7362);
  const unsigned fourth = __byte_perm(low[2], low[3], 0x7362);
  words[0] = __byte_perm(first, second, 0x5410);
  words[1] = __byte_perm(first, second, 0x7632);
  words[2] = __byte_perm(third, fourth, 0x5410);
  words[3] = __byte_perm(third, fourth, 0x7632);
  words[4] = __byte_perm(
      __byte_perm(high[0], high[1], 0x0040), __byte_perm(high[2], high[3], 0x0040), 0x5410);
}

/// Brings `floats` of a tile, at most `held` times 16 bytes a thread, without waiting for them.
template <int held>
__device__ __forceinline__ void bring(const float* from, int floats, bool aligned, float* to) {
  static_assert(tile == threads);
  const int thread = static_cast<int>(threadIdx.x);
  const int fours = aligned ? floats / 4 : 0;
#pragma unroll
  for (int i = 0; i < held; ++i) {
    const int at = thread + i * threads;
    if (at < fours) __pipeline_memcpy_async(to + 4 * at, from + 4 * at, 16);
  }
  if (4 * fours < floats) {
    for (int i = 4 * fours + thread; i < floats; i += threads) {
      __pipeline_memcpy_async(to + i, from + i, 4);
    }
  }
}

/// The bytes of 32 samples from `values` on.
template <int held>
__device__ __forceinline__ void make_bytes(int features,
                                           const float* values,
                                           const double* scales,
                                           unsigned* bytes) {
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
  const float* const mine = values + g * features + q;
  bytes += 8 * bytes_of_value * q + g;
#pragma unroll
  for (int i = 0; i < held; ++i) {
    if (i + 1 == held && q + 4 * i >= features) break;
    float x[4];
    unsigned words[bytes_of_value];
#pragma unroll
    for (int r = 0; r < 4; ++r) x[r] = mine[8 * r * features + 4 * i];
    bytes_of(x, scales[q + 4 * i], words);
#pragma unroll
    for (int b = 0; b < bytes_of_value; ++b) bytes[8 * (bytes_of_value * 4 * i + b)] = words[b];
  }
}

/// Step 1 for 32 samples.
template <int held>
__device__ __forceinline__ void search_samples(const NarrowTask& task,
                                               const ProductLayout& at,
                                               float* memory,
                                               const float* values,
                                               int group,
                                               int rows,
                                               const Margin& margin) {
  const auto features = static_cast<int>(task.codebook.features);
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const int lane = static_cast<int>(threadIdx.x) % 32, g = lane / 4, q = lane % 4;
  values += 32 * group * features;
  make_bytes<held>(
      features,
      values,
      reinterpret_cast<const double*>(memory + at.scale),
      reinterpret_cast<unsigned*>(memory + at.bytes) + group * column_tiles(held) * 64);
  const float* const center = memory + at.center + q;
  const auto* const fragments = reinterpret_cast<const uint2*>(memory + at.fragments);
  const float* mine = values + g * features + q;
  int neuron = 0;
#pragma unroll
  for (int half = 0; half < 2; ++half, mine += 16 * features) {
    std::uint32_t left[operands_of(held)][4];
    float margins[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float a[held];
#pragma unroll
      for (int i = 0; i < held; ++i) {
        // Behind the last feature are other values, or, behind the last sample, other parts of the
        // memory: none that may be in the products.
        const float x = mine[8 * h * features + 4 * i];
        a[i] = i + 1 < held || q + 4 * i < features ? __fsub_rn(x, center[4 * i]) : 0.0f;
      }
      margins[h] = margin.at(norm_of(split<held>(a, h, left)));
    }
    Found found[2];
    nearest_of_group<held>(left, margins, fragments, neurons, found);
    if (q / 2 == half) neuron = q % 2 == 0 ? found[0].neuron : found[1].neuron;
  }
  const int s = 32 * group + g + 8 * q;
  if (s >= rows) return;
  auto* const list = reinterpret_cast<int*>(memory + at.list);
  if (neuron < 0) {
    list[1 + atomicAdd(list, 1)] = s;
  } else {
    reinterpret_cast<unsigned char*>(memory + at.ones)[place_of(group, g, q, neuron)] = 1;
  }
}

/// Step 2.
__device__ void settle(
    const NarrowTask& task, const ProductLayout& at, float* memory, const float* values, int open) {
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const int thread = static_cast<int>(threadIdx.x);
  const auto* const list = reinterpret_cast<const int*>(memory + at.list);
  for (int i = thread / 32; i < open; i += warps) {
    const int s = list[1 + i];
    const int neuron = decide(values + s * features, memory + at.turned, neurons, features);
    if (thread % 32 == 0) {
      reinterpret_cast<unsigned char*>(memory +
                                       at.ones)[place_of(s / 32, s % 8, s % 32 / 8, neuron)] = 1;
    }
  }
  __syncthreads();
  if (thread == 0) *reinterpret_cast<int*>(memory + at.list) = 0;
}

/// Step 3.
template <int tiles>
__device__ __forceinline__ void add_products(const ProductLayout& at,
                                             float* memory,
                                             int rows,
                                             unsigned (&sums)[tiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  auto* const ones = reinterpret_cast<uint4*>(memory + at.ones) + warp % neuron_tiles * 32 + lane;
  const auto* const bytes = reinterpret_cast<const uint2*>(memory + at.bytes) + lane;
  for (int group = warp / neuron_tiles; group * 32 < rows; group += warps / neuron_tiles) {
    const uint4 left = ones[group * neuron_tiles * 32];
    ones[group * neuron_tiles * 32] = {0, 0, 0, 0};
#pragma unroll
    for (int t = 0; t < tiles; ++t) {
      multiply_bytes(sums[t], left, bytes[(group * tiles + t) * 32]);
    }
  }
}

/// The block's sums to those of all, by way of the memory of the right operand.
template <int tiles>
__device__ void deliver(const NarrowTask& task,
                        const ProductLayout& at,
                        float* memory,
                        const unsigned (&sums)[tiles][4]) {
  constexpr int width = 8 * tiles;
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const auto features = static_cast<int>(task.codebook.features);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  auto* const totals = reinterpret_cast<unsigned*>(memory + at.ones);
  __syncthreads();
  for (int i = thread; i < most_neurons * width; i += threads) totals[i] = 0;
  __syncthreads();
  unsigned* const mine =
      totals + (thread / 32 % neuron_tiles * 16 + lane / 4) * width + lane % 4 * 2;
#pragma unroll
  for (int t = 0; t < tiles; ++t) {
#pragma unroll
    for (int i = 0; i < 4; ++i) atomicAdd(mine + i / 2 * 8 * width + 8 * t + i % 2, sums[t][i]);
  }
  __syncthreads();
  for (int i = thread; i < neurons * features; i += threads) {
    const unsigned* const row = totals + i / features * width;
    const unsigned* const bytes = row + i % features * bytes_of_value;
    const unsigned long long count = row[bytes_of_value * features];
    if (count == 0) continue;
    unsigned long long sum = 0 - (count << 39);
    for (int b = 0; b < bytes_of_value; ++b)
      sum += static_cast<unsigned long long>(bytes[b]) << 8 * b;
    atomicAdd(task.sums.sums + i, sum);
  }
  for (int i = thread; i < neurons; i += threads) {
    const unsigned count = totals[i * width + bytes_of_value * features];
    if (count != 0) atomicAdd(task.sums.counts + i, static_cast<unsigned long long>(count));
  }
}

template <int held>
__global__ void __launch_bounds__(threads, blocks_wanted)
    product_kernel(const __grid_constant__ NarrowTask task) {
  extern __shared__ __align__(16) float memory[];
  constexpr int tiles = column_tiles(held);
  const auto features = static_cast<int>(task.codebook.features);
  const ProductLayout at = product_layout(static_cast<int>(task.codebook.neurons), features);
  const int thread = static_cast<int>(threadIdx.x);
  // This block's tiles: every gridDim.x-th, the last of all perhaps not whole.
  const std::int64_t tiles_of_all = (task.samples.rows + tile - 1) / tile;
  const auto count = static_cast<int>((tiles_of_all - blockIdx.x + gridDim.x - 1) / gridDim.x);
  const std::int64_t stride = std::int64_t{tile} * gridDim.x;
  const float* from = task.samples.values + std::int64_t{tile} * blockIdx.x * features;
  const auto last_rows = static_cast<int>(
      min(std::int64_t{tile},
          task.samples.rows - std::int64_t{tile} * blockIdx.x - (count - 1) * stride));
  const bool aligned = reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
  float* now = memory + at.tiles;
  float* next = memory + at.tiles;
  bring<held>(from, (count > 1 ? tile : last_rows) * features, aligned, next);
  __pipeline_commit();
  next += tile * features;
  turn(task, memory + at.turned);
  for (int i = at.ones + thread; i < at.scale; i += threads) memory[i] = 0;
  if (thread < 4 * held) {
    const bool inside = thread < features;
    reinterpret_cast<double*>(memory + at.scale)[thread] = inside ? task.sums.scale[thread] : 0;
    memory[at.center + thread] = inside ? task.codebook.center[thread] : 0;
  }
  if (thread == 0) *reinterpret_cast<int*>(memory + at.list) = 0;
  __syncthreads();
  for (int i = thread; i < groups * 8; i += threads) {
    reinterpret_cast<unsigned*>(
        memory + at.bytes)[i / 8 * tiles * 64 + 8 * bytes_of_value * features + i % 8] =
        0x01010101u;
  }
  const Margin margin = prepare<held>(
      task,
      {memory + at.turned, memory + at.squares, reinterpret_cast<uint2*>(memory + at.fragments)});
  unsigned sums[tiles][4] = {};
  for (int left = count; left > 0; --left) {
    const int rows = left > 1 ? tile : last_rows;
    __pipeline_wait_prior(0);
    __syncthreads();  // also: the operands have been multiplied
    from += stride * features;
    if (left > 1) bring<held>(from, (left > 2 ? tile : last_rows) * features, aligned, next);
    __pipeline_commit();
    if (thread / 32 * 32 < rows) {
      search_samples<held>(task, at, memory, now, thread / 32, rows, margin);
    }
    __syncthreads();
    const int open = *reinterpret_cast<const int*>(memory + at.list);
    if (open > 0) settle(task, at, memory, now, open);
    add_products<tiles>(at, memory, rows, sums);
    std::swap(now, next);
  }
  __pipeline_wait_prior(0);
  deliver<tiles>(task, at, memory, sums);
}

std::int64_t bytes_wanted(std::int64_t neurons, std::int64_t features) {
  return product_layout(static_cast<int>(neurons), static_cast<int>(features)).total *
         std::int64_t{sizeof(float)};
}

template <int held>
void launch(const NarrowTask& task, cudaStream_t stream) {
  const auto kernel = product_kernel<held>;
  const std::int64_t bytes = bytes_wanted(task.codebook.neurons, task.codebook.features);
  yupana::cuda::check(
      cudaFuncSetAttribute(
          kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
      "search a map");
  int device = 0, multiprocessors = 0, blocks = 0;
  yupana::cuda::check(cudaGetDevice(&device), "ask for the device");
  yupana::cuda::check(
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "ask");
  yupana::cuda::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                          &blocks, kernel, threads, static_cast<std::size_t>(bytes)),
                      "ask");
  const std::int64_t tiles = divide_up(task.samples.rows, tile);
  const std::int64_t most = std::int64_t{multiprocessors} * blocks;
  // A block must not take more tiles than its sums have room for.
  for (std::int64_t first = 0; first < tiles; first += most * most_tiles) {
    NarrowTask part = task;
    part.samples.values += first * tile * task.samples.features;
    part.samples.rows =
        std::min(task.samples.rows - first * tile, most * most_tiles * std::int64_t{tile});
    const auto grid = static_cast<unsigned>(std::min(divide_up(part.samples.rows, tile), most));
    kernel<<<grid, threads, static_cast<std::size_t>(bytes), stream>>>(part);
  }
  yupana::cuda::check_launch("search a map");
}

}  // namespace

bool has_product_sums(std::int64_t neurons, std::int64_t features) {
  return neurons <= most_neurons && columns_of(static_cast<int>(features)) <= most_columns &&
         bytes_wanted(neurons, features) <= most_memory;
}

void launch_product_sums(const DeviceSamples& samples,
                         const DeviceCodebook& codebook,
                         const DeviceSums& sums,
                         cudaStream_t stream) {
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
    default:
      return launch<5>(task, stream);
  }
}

}  // namespace yupana::som::cuda
