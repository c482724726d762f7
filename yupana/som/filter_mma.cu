// The scores of a wide map on the tensor instructions of compute capability 8.0. A block has 128
// samples and passes all neurons, 256 at a time; copies bring 32 features of both into a ring of
// four stages, 97.5 KiB with what is known of the samples. Each of 16 warps holds 32 x 64 scores,
// which are never written: of those, the neurons within the samples' error bound of the smallest.
#include <algorithm>
#include <cmath>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/som/filter_cuda.cuh"

namespace yupana::som::cuda {
namespace {

using namespace yupana::cuda;

constexpr int threads = 512;
constexpr int warps_across = neuron_block / 64;
constexpr int stages = 4;
constexpr int steps = 2;          // of 16 features, a stage
constexpr int units = 2 * steps;  // of 16 bytes, a row of a stage
constexpr int row_bytes = 16 * units;
constexpr int part_bytes = tile_rows * row_bytes;  // of a tile: the features of a stage
constexpr int stage_bytes = 3 * part_bytes;        // samples, neurons, neurons
constexpr int row_capacity = 4 * list_capacity;    // candidates of a sample, one list here
static_assert(threads == tile_rows * units);

/// Position of a unit in its row: no two of eight rows share a bank.
__device__ __forceinline__ int unit_place(int row, int unit) {
  return (unit ^ row / 2 % units) * 16;
}

__device__ __forceinline__ void copy_16(std::uint32_t to, const unsigned char* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/// What a thread copies, stage after stage: a unit of each of three tiles. After the last stage
/// those of the block's first samples again, so that copies need no condition.
struct Source {
  const FilterTask& task;
  int item, block = 0, product = 0, part = 0;
  int step = 0;  // bytes to the other half of a tile's features, or to the next tile's first
  const unsigned char *samples, *neurons;

  __device__ explicit Source(const FilterTask& task_)
      : task(task_), item(static_cast<int>(blockIdx.x)) {
    begin();
  }
  /// At the first features of a row.
  __device__ __forceinline__ void begin() {
    const int row = static_cast<int>(threadIdx.x) / units;
    const int unit = static_cast<int>(threadIdx.x) % units ^ row % 8;
    const int place = row * 128 + unit * 16;
    samples = task.samples.tile(product == 1, item, 0) + place;
    neurons = task.codebook.tiles.tile(product == 2, std::int64_t{2} * block, 0) + place;
    step = unit < units ? row_bytes : -row_bytes;
  }
  __device__ __forceinline__ void bring(std::uint32_t to) const {
    copy_16(to, samples);
    copy_16(to + part_bytes, neurons);
    copy_16(to + 2 * part_bytes, neurons + std::int64_t{task.samples.chunks} * tile_bytes);
  }
  __device__ __forceinline__ void next() {
    samples += step;
    neurons += step;
    step = tile_bytes - step;
    if (++part < 2 * task.samples.chunks) return;
    part = 0;
    if (++product == task.products) {
      product = 0;
      if (++block == task.neuron_blocks) {
        block = 0;
        item += static_cast<int>(gridDim.x);
        if (item >= task.samples.rows / tile_rows) item = static_cast<int>(blockIdx.x);
      }
    }
    begin();
  }
};

__device__ __forceinline__ void load_matrices(std::uint32_t (&words)[4], std::uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(at)
               : "memory");
}

/// Both operands of a warp's scores, 16 features of them.
struct Operands {
  std::uint32_t samples[2][4], neurons[4][4];

  __device__ __forceinline__ void load(std::uint32_t stage, int step) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int sample = warp / warps_across * 32 + lane % 16;
    const int neuron = warp % warps_across * 64 + lane / 16 * 8 + lane % 8;
    const std::uint32_t left =
        stage + sample * row_bytes + unit_place(sample, 2 * step + lane / 16);
    const std::uint32_t right =
        stage + part_bytes + neuron * row_bytes + unit_place(neuron, 2 * step + lane / 8 % 2);
#pragma unroll
    for (int i = 0; i < 2; ++i) load_matrices(samples[i], left + i * 16 * row_bytes);
#pragma unroll
    for (int i = 0; i < 4; ++i) load_matrices(neurons[i], right + i * 16 * row_bytes);
  }
};

/// Scores of a warp: 2 x 8 fragments; element i of one is sample l / 4 + 8 (i / 2), neuron 2 (l %
/// 4) + i % 2.
using Scores = float[2][8][4];

__device__ __forceinline__ void multiply(float (&scores)[8][4],
                                         const std::uint32_t (&a)[4],
                                         const std::uint32_t (&neurons)[4][4]) {
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    float(&c)[4] = scores[n];
    const std::uint32_t* const b = neurons[n / 2] + n % 2 * 2;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
}

/// The ring, and where this thread is in it.
struct Ring {
  std::uint32_t tiles;  // shared address of stage 0
  std::uint32_t place;  // of the units that the thread copies
  int stage = 0;        // that is read
  int free = 0;         // that is brought next

  __device__ explicit Ring(const unsigned char* shared)
      : tiles(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared))) {
    const int row = static_cast<int>(threadIdx.x) / units;
    place = tiles + row * row_bytes + unit_place(row, static_cast<int>(threadIdx.x) % units);
  }
  __device__ __forceinline__ std::uint32_t read() const { return tiles + stage * stage_bytes; }
  __device__ __forceinline__ void bring(Source& source) {
    source.bring(place + free * stage_bytes);
    asm volatile("cp.async.commit_group;" ::: "memory");
    source.next();
    if (++free == stages) free = 0;
  }
  /// Waits until the stage after the one being read has arrived for all threads.
  __device__ __forceinline__ void wait() const {
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2) : "memory");
    __syncthreads();
  }
};

/// Adds the products of a stage. `operands[0]` are those of its first step, and of the next stage's
/// afterwards.
__device__ __forceinline__ void add_stage(Scores& scores,
                                          Operands (&operands)[2],
                                          Ring& ring,
                                          Source& source) {
  operands[1].load(ring.read(), 1);
  multiply(scores[0], operands[0].samples[0], operands[0].neurons);
  multiply(scores[1], operands[0].samples[1], operands[0].neurons);
  ring.bring(source);
  if (++ring.stage == stages) ring.stage = 0;
  ring.wait();
  operands[0].load(ring.read(), 0);
  multiply(scores[0], operands[1].samples[0], operands[1].neurons);
  multiply(scores[1], operands[1].samples[1], operands[1].neurons);
}

/// Floats order as these integers do.
__device__ __forceinline__ int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits ^ (bits >> 31 & 0x7fffffff);
}
__device__ __forceinline__ float unordered(int bits) {
  return __int_as_float(bits ^ (bits >> 31 & 0x7fffffff));
}

/// What a block knows of its samples.
struct Found {
  int least[tile_rows];     ///< the smallest score, ordered()
  int counts[tile_rows];    ///< of candidates; above row_capacity: the list is incomplete
  float limits[tile_rows];  ///< scores above are none; -infinity: the row needs no more
};
constexpr int shared_bytes = stages * stage_bytes + static_cast<int>(sizeof(Found));

/// Writes down the neurons within the margin of the smallest score of each sample. `margin` is that
/// of sample threadIdx.x, `neuron` the lane's first, `lists` the block's.
__device__ __forceinline__ void take(
    const Scores& scores, int neuron, float margin, Candidate* lists, Found& found) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int first_row = warp / warps_across * 32 + lane / 4;
  float least[2][2];
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float all = scores[m][0][2 * h];
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        all = fminf(all, fminf(scores[m][n][2 * h], scores[m][n][2 * h + 1]));
      }
      all = fminf(all, __shfl_xor_sync(0xffffffffu, all, 1));
      all = fminf(all, __shfl_xor_sync(0xffffffffu, all, 2));
      least[m][h] = all;
      if (lane % 4 == 0) atomicMin(found.least + first_row + 16 * m + 8 * h, ordered(all));
    }
  }
  __syncthreads();
  if (threadIdx.x < tile_rows) {
    const int row = static_cast<int>(threadIdx.x), count = found.counts[row];
    const float limit = unordered(found.least[row]) + margin;
    if (count > row_capacity / 2 && count <= row_capacity) {
      found.counts[row] = compacted(lists + row * row_capacity, count, limit);
    }
    found.limits[row] = count <= row_capacity && limit < INFINITY ? limit : -INFINITY;
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = first_row + 16 * m + 8 * h;
      const float limit = found.limits[row];
      if (!(least[m][h] <= limit)) continue;
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const float score = scores[m][i / 2][2 * h + i % 2];
        if (!(score <= limit)) continue;
        const int at = atomicAdd(found.counts + row, 1);
        if (at < row_capacity) lists[row * row_capacity + at] = {neuron + i / 2 * 8 + i % 2, score};
      }
    }
  }
}

/// How many of a sample's candidates are in one of its four lists; the last has what is too many.
__device__ __forceinline__ int in_list(int count, int list) {
  const int rest = max(count - list * list_capacity, 0);
  return list == 3 ? rest : min(rest, list_capacity);
}

__global__ void __launch_bounds__(threads, 1)
    filter_kernel(const __grid_constant__ FilterTask task) {
  extern __shared__ __align__(128) unsigned char shared[];
  Found& found = *reinterpret_cast<Found*>(shared + stages * stage_bytes);
  const int thread = static_cast<int>(threadIdx.x);
  const int column = thread / 32 % warps_across * 64 + 2 * (thread % 4);
  const float3 largest = {
      task.codebook.largest[0], task.codebook.largest[1], task.codebook.largest[2]};
  Source source(task);
  Ring ring(shared);
  for (int s = 0; s + 1 < stages; ++s) ring.bring(source);
  ring.wait();
  Operands operands[2];
  operands[0].load(ring.read(), 0);
  const int stages_of_block = task.products * task.samples.chunks * (tile_features / 16 / steps);
  for (std::int64_t item = blockIdx.x; item * tile_rows < task.samples.rows; item += gridDim.x) {
    const std::int64_t row = item * tile_rows + thread;
    float margin_of_row = 0;
    if (thread < tile_rows) {
      margin_of_row = margin(task, task.samples.bounds[row], largest);
      found.least[thread] = ordered(INFINITY);
      found.counts[thread] = 0;
    }
    for (int block = 0; block < task.neuron_blocks; ++block) {
      Scores scores;
      const float* const squares =
          task.codebook.squares + std::int64_t{block} * neuron_block + column;
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        const float2 two = __ldg(reinterpret_cast<const float2*>(squares + 8 * n));
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          scores[m][n][0] = scores[m][n][2] = two.x;
          scores[m][n][1] = scores[m][n][3] = two.y;
        }
      }
      for (int s = 0; s < stages_of_block; ++s) add_stage(scores, operands, ring, source);
      take(scores,
           block * neuron_block + column,
           margin_of_row,
           task.output.lists + item * tile_rows * row_capacity,
           found);
    }
    __syncthreads();
    if (thread < tile_rows) {
      const int count = found.counts[thread];
      task.output.counts[row] = {
          in_list(count, 0), in_list(count, 1), in_list(count, 2), in_list(count, 3)};
      task.output.limits[row] = unordered(found.least[thread]) + margin_of_row;
    }
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}

}  // namespace

void launch_mma(const FilterTask& task, cudaStream_t stream) {
  if (task.samples.rows == 0) return;
  const std::int64_t blocks =
      std::min<std::int64_t>(task.samples.rows / tile_rows, device_facts().multiprocessors);
  launch("search a map", filter_kernel, LaunchShape(blocks, threads, shared_bytes), stream, task);
}

}  // namespace yupana::som::cuda
