#include <cuda_pipeline.h>

#include <algorithm>
#include <array>
#include <utility>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/som/narrow_tile_cuda.cuh"
#include "yupana/som/search_cuda.hpp"

namespace yupana::som::cuda {

using namespace narrow;

namespace {

// As narrow_cuda.cu, for at most 56 neurons and 19 features: the sums are a product too, of the
// matrix that has a 1 where a sample's neuron is and of the samples as integers, exact on tensor
// cores. A sample's value is v + 2^39, v its integer of FixedPoint, |v| < 2^39: five bytes, a
// column each, five columns a feature; a column of ones counts. Sums of bytes stay below 2^32 for
// 2^24 samples. A block takes tiles of 128 samples:
//   1. a warp takes 32 samples: their bytes, their scores, a 1 in the left operand for each;
//   2. samples left open as in narrow_cuda.cu;
//   3. a warp multiplies 16 neurons by all samples, and wipes the left operand.
// Operands are stored in the order in which lanes read them. Of 32 samples, sample g + 8 i is byte
// i of word g; of the 32 places that an instruction sums over, lane q has words 2 q and 2 q + 1.
constexpr int threads = 128;
constexpr int warps = threads / 32;
constexpr int tile = 128;
constexpr int groups = tile / 32;
constexpr int most_neurons = chunk;
constexpr int neuron_tiles = 4;
static_assert(neuron_tiles == warps && groups == warps && 16 * neuron_tiles >= most_neurons);
constexpr int bytes_of_value = 5;
constexpr int widest = 19;                    // features: 96 columns
constexpr std::int64_t most_tiles = 1 << 17;  // of a block
constexpr double bias = 549755813888.0;       // 2^39
constexpr int blocks_wanted = 3;              // on a multiprocessor: four spill registers

/// Parts of a block's memory, in 4-byte words from its start: constants, so that addresses cost no
/// instruction.
template <int d>
struct Places {
  static constexpr int held = held_by_lane(d);
  static constexpr int column_tiles = (bytes_of_value * d + 1 + 7) / 8;
  static constexpr int ones = 0;
  static constexpr int bytes = ones + groups * neuron_tiles * 32 * 4;
  static constexpr int scale = bytes + groups * column_tiles * 64;
  static constexpr int tiles = scale + 2 * 4 * held;
  static constexpr int fragments = tiles + 2 * tile * d;
  static constexpr int turned = fragments + fragment_words(most_neurons, d);
  static constexpr int squares = turned + most_neurons * d;
  static constexpr int center = squares + most_neurons;
  static constexpr int list = center + 4 * held;
  static constexpr int total = list + tile + 1;
};

__device__ __forceinline__ void multiply_bytes(unsigned (&c)[4], const uint4& a, const uint2& b) {
  asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

/// The byte of the left operand for sample g + 8 i of a group.
__device__ __forceinline__ unsigned place_of(unsigned group,
                                             unsigned g,
                                             unsigned i,
                                             unsigned neuron) {
  return group * (neuron_tiles * 512) + g / 2 * 16 + g % 2 * 8 + i + neuron / 16 * 512 +
         neuron % 8 * 64 + neuron / 8 % 2 * 4;
}

/// Brings tile `t` of all without waiting for it; those before `whole` have 128 samples and are
/// stored at multiples of 16 bytes.
template <int d>
__device__ __forceinline__ void bring(const NarrowTask& task, int t, int whole, float* to) {
  static_assert(tile == threads);
  const int thread = static_cast<int>(threadIdx.x);
  const float* from = task.samples.values + std::int64_t{t} * (tile * d);
  if (t < whole) {
    from += 4 * thread;
    to += 4 * thread;
#pragma unroll
    for (int i = 0; i < d / 4; ++i) {
      __pipeline_memcpy_async(to + 4 * threads * i, from + 4 * threads * i, 16);
    }
    if (thread < d % 4 * (threads / 4)) {
      __pipeline_memcpy_async(to + d / 4 * (4 * threads), from + d / 4 * (4 * threads), 16);
    }
  } else {
    const std::int64_t rows = task.samples.rows - std::int64_t{t} * tile;
    const int floats = static_cast<int>(max(std::int64_t{0}, min(rows, std::int64_t{tile}))) * d;
#pragma unroll 1
    for (int i = thread; i < floats; i += threads) __pipeline_memcpy_async(to + i, from + i, 4);
  }
  __pipeline_commit();
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

/// The bytes of a group; `mine` is the lane's first value, of sample g and feature q.
template <int d>
__device__ __forceinline__ void make_bytes(float* memory, const float* mine) {
  using At = Places<d>;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int g = lane / 4, q = lane % 4;
  const auto* const scales = reinterpret_cast<const double*>(memory + At::scale) + q;
  auto* const bytes = reinterpret_cast<unsigned*>(memory + At::bytes) +
                      warp * At::column_tiles * 64 + 8 * bytes_of_value * q + g;
#pragma unroll
  for (int i = 0; i < At::held; ++i) {
    float x[4];
    unsigned words[bytes_of_value];
#pragma unroll
    for (int r = 0; r < 4; ++r) x[r] = mine[8 * r * d + 4 * i];
    bytes_of(x, scales[4 * i], words);
    if (4 * i + 3 < d || q + 4 * i < d) {
#pragma unroll
      for (int b = 0; b < bytes_of_value; ++b) bytes[8 * (bytes_of_value * 4 * i + b)] = words[b];
    }
  }
}

/// Step 1 for a warp's 32 samples.
template <int d>
__device__ __forceinline__ void search_samples(float* memory,
                                               const float* values,
                                               int rows,
                                               const Margin& margin) {
  using At = Places<d>;
  constexpr int held = At::held;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
  const float* mine = values + (32 * warp + g) * d + q;
  make_bytes<d>(memory, mine);
  const float* const center = memory + At::center + q;
  const auto* const right = reinterpret_cast<const uint2*>(memory + At::fragments) + lane;
  unsigned codes[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    std::uint32_t left[operands_of(held)][4];
    float margins[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float a[held];
#pragma unroll
      for (int i = 0; i < held; ++i) {
        // After the last feature and the last sample are other parts of the memory, which must not
        // be in the products.
        const float x = mine[(16 * half + 8 * h) * d + 4 * i];
        a[i] = 4 * i + 3 < d || q + 4 * i < d ? __fsub_rn(x, center[4 * i]) : 0.0f;
      }
      margins[h] = margin.at(norm_of(split<held>(a, h, left)));
    }
    float scores[2][2 * columns];
    score<held>(left, right, scores);
    codes[half] = nearest_of(scores, margins).codes;
  }
  // Lane q writes sample g + 8 q.
  const unsigned both = q < 2 ? codes[0] : codes[1];
  const int neuron = neuron_of(q % 2 == 0 ? both & 0xffff : both >> 16);
  const int s = static_cast<int>(32 * warp + g + 8 * q);
  if (s >= rows) return;
  if (neuron < 0) {
    auto* const list = reinterpret_cast<int*>(memory + At::list);
    list[1 + atomicAdd(list, 1)] = s;
  } else {
    reinterpret_cast<unsigned char*>(
        memory + At::ones)[place_of(warp, g, q, static_cast<unsigned>(neuron))] = 1;
  }
}

/// Step 2.
template <int d>
__device__ __noinline__ void refine(int neurons, float* memory, const float* values) {
  using At = Places<d>;
  const int thread = static_cast<int>(threadIdx.x);
  auto* const list = reinterpret_cast<int*>(memory + At::list);
  const int open = list[0];
  for (int i = thread / 32; i < open; i += warps) {
    const int s = list[1 + i];
    const int neuron = decide(values + s * d, memory + At::turned, neurons, d);
    if (thread % 32 == 0) {
      reinterpret_cast<unsigned char*>(memory +
                                       At::ones)[place_of(s / 32, s % 8, s % 32 / 8, neuron)] = 1;
    }
  }
  __syncthreads();
  if (thread == 0) list[0] = 0;
}

/// Step 3.
template <int d>
__device__ __forceinline__ void add_products(float* memory,
                                             unsigned (&sums)[Places<d>::column_tiles][4]) {
  using At = Places<d>;
  auto* const ones = reinterpret_cast<uint4*>(memory + At::ones) + threadIdx.x;
  const auto* const bytes = reinterpret_cast<const uint2*>(memory + At::bytes) + threadIdx.x % 32;
#pragma unroll
  for (int group = 0; group < groups; ++group) {
    const uint4 left = ones[group * neuron_tiles * 32];
    ones[group * neuron_tiles * 32] = {0, 0, 0, 0};
#pragma unroll
    for (int t = 0; t < At::column_tiles; ++t) {
      multiply_bytes(sums[t], left, bytes[(group * At::column_tiles + t) * 32]);
    }
  }
}

/// The block's sums to those of all, by way of the memory of operands and tiles.
template <int d>
__device__ __forceinline__ void deliver(const NarrowTask& task,
                                        float* memory,
                                        const unsigned (&sums)[Places<d>::column_tiles][4]) {
  constexpr int column_tiles = Places<d>::column_tiles, width = 8 * column_tiles;
  static_assert(16 * neuron_tiles * width <= Places<d>::total);
  const auto neurons = static_cast<int>(task.codebook.neurons);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  auto* const totals = reinterpret_cast<unsigned*>(memory);
  __syncthreads();
  unsigned* const mine = totals + (thread / 32 * 16 + lane / 4) * width + lane % 4 * 2;
#pragma unroll
  for (int t = 0; t < column_tiles; ++t) {
#pragma unroll
    for (int i = 0; i < 4; ++i) mine[i / 2 * 8 * width + 8 * t + i % 2] = sums[t][i];
  }
  __syncthreads();
  for (int i = thread; i < neurons * d; i += threads) {
    const unsigned* const row = totals + i / d * width;
    const unsigned* const bytes = row + i % d * bytes_of_value;
    const unsigned long long count = row[bytes_of_value * d];
    if (count == 0) continue;
    unsigned long long sum = 0 - (count << 39);
    for (int b = 0; b < bytes_of_value; ++b) {
      sum += static_cast<unsigned long long>(bytes[b]) << 8 * b;
    }
    atomicAdd(task.sums.sums + i, sum);
  }
  for (int i = thread; i < neurons; i += threads) {
    const unsigned count = totals[i * width + bytes_of_value * d];
    if (count != 0) atomicAdd(task.sums.counts + i, static_cast<unsigned long long>(count));
  }
}

/// All that a block's memory holds before its first tile.
template <int d>
__device__ __forceinline__ Margin begin(const NarrowTask& task, float* memory) {
  using At = Places<d>;
  const int thread = static_cast<int>(threadIdx.x);
  turn(task, memory + At::turned);
  for (int i = At::ones + thread; i < At::scale; i += threads) memory[i] = 0;
  __syncthreads();
  if (thread < 4 * At::held) {
    const bool inside = thread < d;
    // The mean of the neurons: neurons of early maps are close together, and what is open depends
    // on |b|.
    float sum = 0;
    const auto neurons = static_cast<int>(task.codebook.neurons);
    for (int k = 0; inside && k < neurons; ++k) sum += memory[At::turned + thread * neurons + k];
    memory[At::center + thread] = sum / static_cast<float>(neurons);
    reinterpret_cast<double*>(memory + At::scale)[thread] = inside ? task.sums.scale[thread] : 0;
  }
  if (thread == 0) *reinterpret_cast<int*>(memory + At::list) = 0;
  __syncthreads();
  for (int i = thread; i < groups * 8; i += threads) {
    reinterpret_cast<unsigned*>(
        memory + At::bytes)[i / 8 * At::column_tiles * 64 + 8 * bytes_of_value * d + i % 8] =
        0x01010101u;
  }
  return prepare<At::held>(task,
                           {memory + At::turned,
                            memory + At::center,
                            memory + At::squares,
                            reinterpret_cast<uint2*>(memory + At::fragments)});
}

template <int d>
__global__ void __launch_bounds__(threads, blocks_wanted)
    product_kernel(const __grid_constant__ NarrowTask task) {
  using At = Places<d>;
  extern __shared__ __align__(16) float memory[];
  float* const tiles = memory + At::tiles;
  const bool aligned = reinterpret_cast<std::uintptr_t>(task.samples.values) % 16 == 0;
  const auto last = static_cast<int>((task.samples.rows - 1) / tile);
  const auto last_rows = static_cast<int>(task.samples.rows - std::int64_t{last} * tile);
  const int whole = aligned ? last + (last_rows == tile ? 1 : 0) : 0;
  bring<d>(task, static_cast<int>(blockIdx.x), whole, tiles);
  const Margin margin = begin<d>(task, memory);
  unsigned sums[At::column_tiles][4] = {};
  int side = 0;
  for (auto t = static_cast<int>(blockIdx.x); t <= last; t += static_cast<int>(gridDim.x)) {
    const float* const values = tiles + side;
    side = tile * d - side;
    __pipeline_wait_prior(0);
    __syncthreads();  // also: the operands have been multiplied
    bring<d>(task, t + static_cast<int>(gridDim.x), whole, tiles + side);
    search_samples<d>(memory, values, t < last ? tile : last_rows, margin);
    __syncthreads();
    if (*reinterpret_cast<const int*>(memory + At::list) > 0) {
      refine<d>(static_cast<int>(task.codebook.neurons), memory, values);
    }
    add_products<d>(memory, sums);
  }
  __pipeline_wait_prior(0);
  deliver<d>(task, memory, sums);
}

template <int d>
void launch(const NarrowTask& task, cudaStream_t stream) {
  const auto kernel = product_kernel<d>;
  constexpr int bytes = Places<d>::total * static_cast<int>(sizeof(float));
  static_assert(bytes <= yupana::cuda::shared_bytes_everywhere);
  const std::int64_t most = std::int64_t{yupana::cuda::device_facts().multiprocessors} *
                            yupana::cuda::resident_blocks(kernel, threads, bytes);
  // A block must not take more tiles than its sums have room for.
  const std::int64_t step = most * most_tiles * tile;
  for (std::int64_t first = 0; first < task.samples.rows; first += step) {
    NarrowTask part = task;
    part.samples.values += first * d;
    part.samples.rows = std::min(task.samples.rows - first, step);
    const std::int64_t blocks = std::min(divide_up(part.samples.rows, std::int64_t{tile}), most);
    yupana::cuda::launch("search a map", kernel, {blocks, threads, bytes}, stream, part);
  }
}

using Launch = void (*)(const NarrowTask&, cudaStream_t);

template <int... d>
constexpr std::array<Launch, sizeof...(d)> launches(std::integer_sequence<int, d...>) {
  return {launch<d + 1>...};
}

}  // namespace

bool has_product_sums(std::int64_t neurons, std::int64_t features) {
  return neurons <= most_neurons && features <= widest;
}

void launch_product_sums(const DeviceSamples& samples,
                         const DeviceCodebook& codebook,
                         const DeviceSums& sums,
                         cudaStream_t stream) {
  static constexpr auto by_features = launches(std::make_integer_sequence<int, widest>());
  by_features[static_cast<std::size_t>(codebook.features - 1)]({samples, codebook, sums}, stream);
}

}  // namespace yupana::som::cuda
