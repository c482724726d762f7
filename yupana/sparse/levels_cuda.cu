#include <algorithm>

#include "yupana/sparse/mailbox.cuh"
#include "yupana/sparse/triangular_cuda.hpp"

namespace yupana::sparse::cuda {
namespace {

struct LevelTuning {
  static constexpr int threads = 1024;
  static constexpr int warps = threads / 32;
  /// Rows with more entries are read by their warp together.
  static constexpr int long_row = 64;
  static constexpr int most_strip_rows = 56 << 10;  // 224 KiB of levels in shared memory
};

constexpr unsigned everyone = 0xffffffffu;

struct Levels {
  std::uint32_t* level;
  std::uint32_t* key;
  std::int32_t* rows_in_order;
  std::int32_t* deepest;
  std::int32_t rows;
  std::int32_t strip_rows;
  std::int32_t strips;
  bool upper;
};

/// What a warp knows while it finds the levels of a group of 32 rows. Rows are counted in the order
/// in which they can be solved: turn i is row i, or rows - 1 - i of an upper triangle.
struct Group {
  const Levels& to;
  std::uint32_t shared;  ///< levels of the strip; 0: not known yet
  std::int32_t strip;    ///< first turn of the strip
  std::int32_t first;    ///< first turn of the group

  __device__ std::int32_t turn(std::int64_t column) const {
    return static_cast<std::int32_t>(to.upper ? to.rows - 1 - column : column);
  }
  __device__ std::uint32_t peek_level(std::int32_t at) const {
    if (at >= strip) return peek_shared(shared + 4 * (at - strip), std::uint32_t{});
    return peek(to.level + (to.upper ? to.rows - 1 - at : at));
  }
  /// Takes entry after entry of a row: raises `level` above those known before the group, waiting
  /// for them, and notes those within it in `inside`.
  template <class Index>
  __device__ void take(const Index* columns,
                       std::int64_t begin,
                       std::int64_t end,
                       int step,
                       std::uint32_t& level,
                       unsigned& inside) const {
    constexpr int batch = 4;  // loads on their way at once
    for (std::int64_t at = begin; at < end; at += batch * step) {
      std::int32_t from[batch];
      std::uint32_t found[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const std::int64_t e = at + k * step;
        from[k] = e < end ? turn(columns[e]) : -1;
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (from[k] >= first) inside |= 1u << (from[k] - first);
        found[k] = from[k] < 0 || from[k] >= first ? 0 : peek_level(from[k]);
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (from[k] < 0 || from[k] >= first) continue;
        while (found[k] == 0) found[k] = peek_level(from[k]);
        level = max(level, found[k] + 1);
      }
    }
  }
};

/// Levels of rows that need each other: bit j of `inside` is set where a lane needs lane j.
__device__ inline std::uint32_t settle(std::uint32_t level, unsigned inside, int lane) {
  const unsigned all = __reduce_or_sync(everyone, inside);
  if (all == 0) return level;
  const unsigned before = lane == 0 ? 0 : 1u << (lane - 1);
  if (__all_sync(everyone, (inside & ~before) == 0)) {
    // Chains of neighbours: level(i) = max over j <= i of level(j) + i - j, by doubling.
    int linked = inside != 0;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t left = __shfl_up_sync(everyone, level, step);
      const int left_linked = __shfl_up_sync(everyone, linked, step);
      if (linked) {
        level = max(level, left + step);
        linked = left_linked;
      }
    }
    return level;
  }
  for (unsigned rest = all; rest != 0; rest &= rest - 1) {
    const int j = __ffs(static_cast<int>(rest)) - 1;
    const std::uint32_t there = __shfl_sync(everyone, level, j);
    if (inside >> j & 1) level = max(level, there + 1);
  }
  return level;
}

__device__ inline int device_class(std::int64_t count) {
  if (count == 0) return 6;
  if (count > 16) return 5;
  return 32 - __clz(static_cast<int>(count) - 1);
}

// One strip of rows a block, one part of it a warp, 32 rows at a time. Every warp in flight is on
// another part of the matrix, so that a wave of levels passes through all of them at once. Blocks
// take strips in ascending order and all blocks run (cooperative launch): the first row without a
// level never waits for one that nobody works on.
template <class Value, class Index>
__global__ void __launch_bounds__(LevelTuning::threads)
    levels_kernel(DeviceCsr<Value, Index> matrix, Levels to) {
  extern __shared__ std::uint32_t known[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int32_t part = to.strip_rows / LevelTuning::warps;
  std::uint32_t deepest = 0;
  for (std::int32_t s = blockIdx.x; s < to.strips; s += gridDim.x) {
    const std::int32_t strip = s * to.strip_rows;
    for (int i = threadIdx.x; i < to.strip_rows; i += LevelTuning::threads) known[i] = 0;
    __syncthreads();
    const std::int32_t begin = strip + warp * part;
    const std::int32_t end = min(to.rows, begin + part);
    for (std::int32_t first = begin; first < end; first += 32) {
      const Group group{to, address_in_shared(known), strip, first};
      const std::int32_t i = first + lane;
      const bool here = i < end;
      const std::int32_t row = here ? (to.upper ? to.rows - 1 - i : i) : 0;
      std::int64_t from = 0, until = 0;
      if (here) {
        const int inner = matrix.diagonal == nullptr ? 1 : 0;
        from = matrix.begin[row] + (to.upper ? inner : 0);
        until = matrix.begin[row + 1] - (to.upper ? 0 : inner);
      }
      std::uint32_t level = 1;
      unsigned inside = 0;
      const bool is_long = until - from > LevelTuning::long_row;
      if (!is_long) group.take(matrix.columns, from, until, 1, level, inside);
      for (unsigned rest = __ballot_sync(everyone, is_long); rest != 0; rest &= rest - 1) {
        const int owner = __ffs(static_cast<int>(rest)) - 1;
        std::uint32_t part_level = 1;
        unsigned part_inside = 0;
        group.take(matrix.columns,
                   __shfl_sync(everyone, from, owner) + lane,
                   __shfl_sync(everyone, until, owner),
                   32,
                   part_level,
                   part_inside);
        part_level = __reduce_max_sync(everyone, part_level);
        part_inside = __reduce_or_sync(everyone, part_inside);
        if (lane == owner) {
          level = part_level;
          inside = part_inside;
        }
      }
      __syncwarp();
      level = settle(level, inside, lane);
      if (here) {
        leave_shared(group.shared + 4 * (i - strip), level);
        leave(to.level + row, level);
        to.key[row] = (level - 1) * 7 + device_class(until - from);
        to.rows_in_order[row] = row;
        deepest = max(deepest, level);
      }
      __syncwarp();
    }
    __syncthreads();
  }
  deepest = __reduce_max_sync(everyone, deepest);
  if (lane == 0 && deepest > 0) atomicMax(to.deepest, static_cast<std::int32_t>(deepest));
}

}  // namespace

template <class Value, class Index>
void launch_levels(const DeviceCsr<Value, Index>& matrix,
                   std::int32_t* levels,
                   std::uint32_t* keys,
                   std::int32_t* rows,
                   std::int32_t* deepest,
                   const DeviceTuning& tuning,
                   cudaStream_t stream) {
  using yupana::cuda::check;
  int device = 0, multiprocessors = 0, room = 0;
  check(cudaGetDevice(&device), "ask for the device");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "ask");
  check(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "ask");
  const auto n = static_cast<std::int32_t>(matrix.rows);
  const std::int32_t most = std::min(LevelTuning::most_strip_rows, room / 4) /
                            LevelTuning::threads * LevelTuning::threads;
  const std::int32_t share = n / (multiprocessors * tuning.level_blocks) + 1;
  const std::int32_t strip_rows = std::min(
      most, (share + LevelTuning::threads - 1) / LevelTuning::threads * LevelTuning::threads);
  Levels to{reinterpret_cast<std::uint32_t*>(levels),
            keys,
            rows,
            deepest,
            n,
            strip_rows,
            (n + strip_rows - 1) / strip_rows,
            matrix.triangle == Triangle::upper};
  const auto kernel = levels_kernel<Value, Index>;
  const std::size_t bytes = sizeof(std::uint32_t) * static_cast<std::size_t>(strip_rows);
  check(cudaFuncSetAttribute(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "ask for shared memory");
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, LevelTuning::threads, bytes),
        "ask for room");
  blocks = std::min(to.strips, blocks * multiprocessors);
  check(cudaMemsetAsync(levels, 0, sizeof(std::int32_t) * static_cast<std::size_t>(n), stream),
        "clear the levels");
  check(cudaMemsetAsync(deepest, 0, sizeof(std::int32_t), stream), "clear the depth");
  DeviceCsr<Value, Index> source = matrix;
  void* arguments[] = {&source, &to};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(kernel),
                                    dim3(static_cast<unsigned>(blocks)),
                                    dim3(LevelTuning::threads),
                                    arguments,
                                    bytes,
                                    stream),
        "levels_kernel");
}

#define YUPANA_LEVELS(Value, Index)                           \
  template void launch_levels(const DeviceCsr<Value, Index>&, \
                              std::int32_t*,                  \
                              std::uint32_t*,                 \
                              std::int32_t*,                  \
                              std::int32_t*,                  \
                              const DeviceTuning&,            \
                              cudaStream_t);
YUPANA_LEVELS(float, std::int32_t)
YUPANA_LEVELS(float, std::int64_t)
YUPANA_LEVELS(double, std::int32_t)
YUPANA_LEVELS(double, std::int64_t)
#undef YUPANA_LEVELS

}  // namespace yupana::sparse::cuda
