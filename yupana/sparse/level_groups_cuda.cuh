#pragma once

#include <cstdint>

#include "yupana/sparse/mailbox.cuh"
#include "yupana/sparse/triangular_cuda.hpp"

/// Private to the family: the levels of 32 rows at a time, by one warp.
namespace yupana::sparse::cuda {

struct LevelTuning {
  static constexpr int threads = 1024;
  static constexpr int warps = threads / 32;
  /// Rows with more entries are read by their warp together.
  static constexpr int long_row = 64;
  static constexpr int max_strip_rows = 48 << 10;  // 192 KiB of levels in shared memory
  /// Strips of at most so many chains are solved chain by chain. With many more than warps the
  /// wave of levels would wait for warps that are at the far end of their chains.
  static constexpr int max_chains = 64;
  static constexpr int other_shared_bytes = 1 << 10;  ///< at least what the chains take
};

inline constexpr unsigned everyone = 0xffffffffu;

/// A strip's word of a row: 0 at first, its level at the end; before, this bit and the turn of a
/// row it waits for, so that looking again is one load, not all of the row.
inline constexpr std::uint32_t waiting = 0x80000000u;

/// Where a row has no entry.
inline constexpr std::uint32_t no_turn = 0xffffffffu;

struct Levels {
  std::uint32_t* level;
  std::uint32_t* key;
  std::int32_t* rows_in_order;
  RowEntries* entries;
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
  __device__ std::uint32_t load_level(std::int32_t at) const {
    if (at >= strip) {
      const std::uint32_t word = load_relaxed_shared(shared + 4 * (at - strip), std::uint32_t{});
      return word & waiting ? 0 : word;
    }
    return load_relaxed(to.level + (to.upper ? to.rows - 1 - at : at));
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
    constexpr int batch = 4;  // loads in flight
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
        found[k] = from[k] < 0 || from[k] >= first ? 0 : load_level(from[k]);
      }
#pragma unroll
      for (int k = 0; k < batch; ++k) {
        if (from[k] < 0 || from[k] >= first) continue;
        if constexpr (wait) {
          while (found[k] == 0) found[k] = load_level(from[k]);
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
/// says whether all else that a lane needs is in its level, on return whether the level is final.
__device__ inline void propagate_levels(std::uint32_t& level,
                                        bool& ready,
                                        unsigned inside,
                                        int lane) {
  const unsigned linked = __ballot_sync(everyone, inside != 0);
  if (linked == 0) return;
  const unsigned before = lane == 0 ? 0 : 1u << (lane - 1);
  if (__all_sync(everyone, (inside & ~before) == 0)) {
    // Chains of neighbours: level(i) = max over j <= i of level(j) + i - j, by doubling.
    const unsigned open = __ballot_sync(everyone, !ready);
    const unsigned own = ~0u >> (31 - lane);
    const int first = 31 - __clz(static_cast<int>(~linked & own));  // (lane 0 is not linked)
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
      const std::uint32_t left = __shfl_up_sync(everyone, level, step);
      if (lane - step >= first) level = max(level, left + step);
    }
    ready = (open & own & (~0u << first)) == 0;
    return;
  }
  for (unsigned rest = __reduce_or_sync(everyone, inside); rest != 0; rest &= rest - 1) {
    const int j = __ffs(static_cast<int>(rest)) - 1;
    const std::uint32_t other = __shfl_sync(everyone, level, j);
    const bool other_ready = __shfl_sync(everyone, ready, j);
    if (inside >> j & 1) {
      level = max(level, other + 1);
      ready = ready && other_ready;
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
  __device__ std::int32_t turn(std::int64_t column) const {
    return static_cast<std::int32_t>(to.upper ? to.rows - 1 - column : column);
  }
  __device__ void range(std::int32_t turn, std::int64_t& from, std::int64_t& until) const {
    const int inner = matrix.diagonal == nullptr ? 1 : 0;
    from = __ldg(matrix.begin + row(turn)) + (to.upper ? inner : 0);
    until = __ldg(matrix.begin + row(turn) + 1) - (to.upper ? 0 : inner);
  }
};

/// Raises `level` to that of the lane's row, whose entries are [from, until), and returns whether
/// it is final; it waits for `blocker` otherwise. All lanes of the warp call it; those with nothing
/// to do have no entries.
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
  propagate_levels(level, ready, inside, lane);
  if (!ready && blocker < 0) blocker = group.first + 31 - __clz(static_cast<int>(inside));
  return ready;
}

}  // namespace yupana::sparse::cuda
