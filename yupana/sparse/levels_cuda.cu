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

/// A strip's word of a row: 0 at first, its level at the end; before, this bit and the turn of a
/// row it waits for, so that looking again is one load, not all of the row.
constexpr std::uint32_t waiting = 0x80000000u;

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
    if (at >= strip) {
      const std::uint32_t word = peek_shared(shared + 4 * (at - strip), std::uint32_t{});
      return word & waiting ? 0 : word;
    }
    return peek(to.level + (to.upper ? to.rows - 1 - at : at));
  }
  /// Takes entry after entry of a row: raises `level` above those known before the group and notes
  /// those within it in `inside`. False if a level is not known yet and `wait` is not: that of turn
  /// `blocker`.
  template <bool wait, class Index>
  __device__ bool take(const Index* columns,
                       std::int64_t begin,
                       std::int64_t end,
                       int step,
                       std::uint32_t& level,
                       unsigned& inside,
                       std::int32_t& blocker) const {
    constexpr int batch = 4;  // loads on their way at once
    for (std::int64_t at = begin; at < end; at += batch * step) {
      std::int32_t from[batch];
      std::uint32_t found[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        const std::int64_t e = at + k * step;
        from[k] = e < end ? turn(__ldg(columns + e)) : -1;
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (from[k] >= first) inside |= 1u << (from[k] - first);
        found[k] = from[k] < 0 || from[k] >= first ? 0 : peek_level(from[k]);
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (from[k] < 0 || from[k] >= first) continue;
        if constexpr (wait) {
          while (found[k] == 0) found[k] = peek_level(from[k]);
        }
        if (found[k] == 0) {
          blocker = from[k];
          return false;
        }
        level = max(level, found[k] + 1);
      }
    }
    return true;
  }
};

/// Levels of rows that need each other: bit j of `inside` is set where a lane needs lane j. `ready`
/// tells whether all else that a lane needs is in its level, on return whether the level is final.
__device__ inline void settle(std::uint32_t& level, bool& ready, unsigned inside, int lane) {
  const unsigned all = __reduce_or_sync(everyone, inside);
  if (all == 0) return;
  const unsigned before = lane == 0 ? 0 : 1u << (lane - 1);
  if (__all_sync(everyone, (inside & ~before) == 0)) {
    // Chains of neighbours: level(i) = max over j <= i of level(j) + i - j, by doubling. The
    // lowest bit carries "not final" along.
    int linked = inside != 0;
    std::uint32_t waits = ready ? 0 : 1;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t left = __shfl_up_sync(everyone, level << 1 | waits, step);
      const int left_linked = __shfl_up_sync(everyone, linked, step);
      if (linked) {
        level = max(level, (left >> 1) + step);
        waits |= left & 1;
        linked = left_linked;
      }
    }
    ready = waits == 0;
    return;
  }
  for (unsigned rest = all; rest != 0; rest &= rest - 1) {
    const int j = __ffs(static_cast<int>(rest)) - 1;
    const std::uint32_t there = __shfl_sync(everyone, level, j);
    const bool there_ready = __shfl_sync(everyone, ready, j);
    if (inside >> j & 1) {
      level = max(level, there + 1);
      ready = ready && there_ready;
    }
  }
}

__device__ inline int device_class(std::int64_t count) {
  if (count == 0) return 6;
  if (count > 16) return 5;
  return 32 - __clz(static_cast<int>(count) - 1);
}

/// The rows of one lane.
template <class Value, class Index>
struct Rows {
  const DeviceCsr<Value, Index>& matrix;
  const Levels& to;

  __device__ std::int32_t row(std::int32_t turn) const {
    return to.upper ? to.rows - 1 - turn : turn;
  }
  __device__ void range(std::int32_t turn, std::int64_t& from, std::int64_t& until) const {
    const int inner = matrix.diagonal == nullptr ? 1 : 0;
    from = __ldg(matrix.begin + row(turn)) + (to.upper ? inner : 0);
    until = __ldg(matrix.begin + row(turn) + 1) - (to.upper ? 0 : inner);
  }
};

/// Raises `level` to that of the lane's row, whose entries are [from, until), and tells whether it
/// is final; it waits for `blocker` otherwise. All lanes of the warp call it; those with nothing to
/// do have no entries.
template <bool wait, class Value, class Index>
__device__ inline bool find_level(const DeviceCsr<Value, Index>& matrix,
                                  const Group& group,
                                  std::int64_t from,
                                  std::int64_t until,
                                  int lane,
                                  std::uint32_t& level,
                                  std::int32_t& blocker) {
  unsigned inside = 0;
  blocker = -1;
  const bool is_long = until - from > LevelTuning::long_row;
  bool ready = is_long || group.take<wait>(matrix.columns, from, until, 1, level, inside, blocker);
  __syncwarp();
  for (unsigned rest = __ballot_sync(everyone, is_long); rest != 0; rest &= rest - 1) {
    const int owner = __ffs(static_cast<int>(rest)) - 1;
    std::uint32_t part_level = 1;
    unsigned part_inside = 0;
    const std::int64_t begin = __shfl_sync(everyone, from, owner);
    const std::int64_t end = __shfl_sync(everyone, until, owner);
    std::int32_t part_blocker = -1;
    const bool known = group.take<wait>(
        matrix.columns, begin + lane, end, 32, part_level, part_inside, part_blocker);
    const bool all_known = __all_sync(everyone, known);
    part_level = __reduce_max_sync(everyone, part_level);
    part_inside = __reduce_or_sync(everyone, part_inside);
    if (lane == owner) {
      level = part_level;
      inside = part_inside;
      ready = all_known;
    }
  }
  if (!ready) inside = 0;  // what is left of it may be cut short
  settle(level, ready, inside, lane);
  if (!ready && blocker < 0) blocker = group.first + 31 - __clz(static_cast<int>(inside));
  return ready;
}

// One strip of rows a block, one part of it a warp, 32 rows at a time: every warp in flight is on
// another part of the matrix, so that a wave of levels passes through all of them at once. A warp
// goes round its groups and settles the rows whose needs are met. (In order, or group by group, the
// beginning of a grid's line would wait for the end of the line before it: 50 times slower.)
// A group whose every row needs the row before it is not looked at before that of its first row is
// done, and one with long rows only when all before it are: it is then waited for.
// Blocks take strips in ascending order and all blocks run (cooperative launch); the first row
// without a level never waits for one that nobody works on.
template <class Value, class Index>
__global__ void __launch_bounds__(LevelTuning::threads)
    levels_kernel(DeviceCsr<Value, Index> matrix, Levels to) {
  extern __shared__ std::uint32_t known[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int32_t part = to.strip_rows / LevelTuning::warps;
  const Rows<Value, Index> rows{matrix, to};
  std::uint32_t deepest = 0;
  for (std::int32_t s = blockIdx.x; s < to.strips; s += gridDim.x) {
    const std::int32_t strip = s * to.strip_rows;
    for (int i = threadIdx.x; i < to.strip_rows; i += LevelTuning::threads) known[i] = 0;
    __syncthreads();
    const std::int32_t begin = strip + warp * part;
    const std::int32_t end = min(to.rows, begin + part);
    const int groups = end > begin ? (end - begin + 31) / 32 : 0;
    std::uint64_t pending = groups == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << groups) - 1;
    std::uint64_t linked = 0, slow = 0, last_known = 0;
    for (int g = 0; g < groups; ++g) {
      const std::int32_t i = begin + 32 * g + lane;
      std::int64_t from = 0, until = 0;
      bool link = i >= end;
      if (i < end) {
        rows.range(i, from, until);
        to.key[rows.row(i)] = device_class(until - from);
        to.rows_in_order[rows.row(i)] = rows.row(i);
        if (until > from) {
          const std::int64_t nearest = __ldg(matrix.columns + (to.upper ? from : until - 1));
          link = (to.upper ? to.rows - 1 - nearest : nearest) == i - 1;
        }
      }
      if (g > 0 && __all_sync(everyone, link)) linked |= std::uint64_t{1} << g;
      if (__any_sync(everyone, until - from > LevelTuning::long_row)) slow |= std::uint64_t{1} << g;
    }
    while (pending != 0) {
      const std::uint64_t lowest = pending & (~pending + 1);
      std::uint64_t heads = pending & ~(linked & ~(last_known << 1)) & ~(slow & ~lowest);
      for (; heads != 0; heads &= heads - 1) {
        const int g = __ffsll(static_cast<long long>(heads)) - 1;
        const Group group{to, address_in_shared(known), strip, begin + 32 * g};
        const std::int32_t i = group.first + lane;
        const std::uint32_t word = i < end ? known[i - strip] : 1;
        const bool open = word == 0 || (word & waiting) != 0;
        if (!__any_sync(everyone,
                        open && (word == 0 || group.peek_level(static_cast<std::int32_t>(
                                                  word & ~waiting)) != 0))) {
          continue;
        }
        std::int64_t from = 0, until = 0;
        if (open) rows.range(i, from, until);
        std::uint32_t level = open ? 1 : word;
        std::int32_t blocker = -1;
        const bool ready =
            slow >> g & 1 ? find_level<true>(matrix, group, from, until, lane, level, blocker)
                          : find_level<false>(matrix, group, from, until, lane, level, blocker);
        if (open) {
          if (ready) leave(to.level + rows.row(i), level);
          leave_shared(group.shared + 4 * (i - strip),
                       ready ? level : waiting | static_cast<std::uint32_t>(blocker));
          deepest = max(deepest, ready ? level : 0);
        }
        __syncwarp();
        const unsigned done = __ballot_sync(everyone, ready);
        if (done == everyone) pending &= ~(std::uint64_t{1} << g);
        if (done >> 31 != 0) last_known |= std::uint64_t{1} << g;
      }
    }
    __syncthreads();
    for (std::int32_t i = strip + threadIdx.x; i < min(to.rows, strip + to.strip_rows);
         i += LevelTuning::threads) {
      to.key[rows.row(i)] += (known[i - strip] - 1) * 7;
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
