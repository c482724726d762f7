#pragma once

#include <cstdint>

#include "yupana/sparse/level_groups_cuda.cuh"

/// Private to the family: what a warp reads of its part of a strip before it finds levels, and the
/// levels of chains of rows, each of which needs the row before it.
namespace yupana::sparse::cuda {

/// Groups of a warp's part, a bit each.
struct GroupMasks {
  std::uint64_t linked = 0;  ///< every row needs the row before it
  std::uint64_t slow = 0;    ///< with long rows
  bool brief = true;         ///< all rows have at most four entries
};

/// Keys but for their levels; the entries of rows of at most four, as turns; a bit of `links` a row
/// that needs the row before it.
template <class Value, class Index>
__device__ inline GroupMasks read_groups(const Rows<Value, Index>& rows,
                                         std::int32_t begin,
                                         std::int32_t end,
                                         std::uint32_t* links,
                                         int lane) {
  const Levels& to = rows.to;
  GroupMasks part;
  for (int g = 0; begin + 32 * g < end; ++g) {
    const std::int32_t i = begin + 32 * g + lane;
    std::int64_t from = 0, until = 0;
    bool link = i >= end;
    if (i < end) {
      rows.range(i, from, until);
      to.key[rows.row(i)] = device_class(until - from);
      to.rows_in_order[rows.row(i)] = rows.row(i);
      if (until > from) {
        link = rows.turn(__ldg(rows.matrix.columns + (to.upper ? from : until - 1))) == i - 1;
      }
      RowEntries entries{{no_turn, no_turn, no_turn, no_turn}};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (from + k < until) {
          entries.entry[k] =
              static_cast<std::uint32_t>(rows.turn(__ldg(rows.matrix.columns + from + k)));
        }
      }
      to.entries[i] = entries;
    }
    const std::uint64_t bit = std::uint64_t{1} << g;
    const unsigned linked = __ballot_sync(everyone, link);
    if (lane == 0) links[g] = linked;
    if (g > 0 && linked == everyone) part.linked |= bit;
    if (__any_sync(everyone, until - from > LevelTuning::long_row)) part.slow |= bit;
    if (__any_sync(everyone, until - from > 4)) part.brief = false;
  }
  return part;
}

/// Where a strip's chains begin: rows that do not need the row before them, and the strip's first.
/// A warp calls it. Returns how many there are; 0: too many.
__device__ inline int find_chains(const std::uint32_t* links,
                                  std::int32_t count,
                                  std::int32_t* chains,
                                  int lane) {
  int found = 0;
  for (std::int32_t base = 0; base < count; base += 32 * 32) {
    const std::int32_t first = base + 32 * lane;
    unsigned starts = first < count ? ~links[first / 32] : 0;
    if (first == 0) starts |= 1;
    if (count - first < 32 && first < count) starts &= (1u << (count - first)) - 1;
    const int here = __popc(starts);
    int through = here;
    for (int step = 1; step < 32; step *= 2) {
      const int left = __shfl_up_sync(everyone, through, step);
      if (lane >= step) through += left;
    }
    const int all = found + __shfl_sync(everyone, through, 31);
    if (all > LevelTuning::max_chains) return 0;
    for (int at = found + through - here; starts != 0; starts &= starts - 1) {
      chains[at++] = first + __ffs(static_cast<int>(starts)) - 1;
    }
    found = all;
  }
  return found;
}

/// The levels of turns [first, stop) of a chain, 32 at a time, by one warp.
__device__ inline void follow_chain(const Levels& to,
                                    std::uint32_t* known,
                                    std::int32_t strip,
                                    std::int32_t first,
                                    std::int32_t stop,
                                    int lane,
                                    std::uint32_t& deepest) {
  const auto entries_at = [&](std::int32_t i) {
    return i < stop ? *reinterpret_cast<const uint4*>(to.entries + i)
                    : uint4{no_turn, no_turn, no_turn, no_turn};
  };
  // Entries are loaded two groups ahead of their use.
  uint4 entries = entries_at(first + lane), next = entries_at(first + 32 + lane);
  for (; first < stop; first += 32) {
    const uint4 third = entries_at(first + 64 + lane);
    const std::int32_t i = first + lane;
    const std::uint32_t entry[4] = {entries.x, entries.y, entries.z, entries.w};
    const std::uint32_t* place[4];
    bool open[4];
    unsigned inside = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const auto turn = static_cast<std::int32_t>(entry[k]);
      open[k] = entry[k] < static_cast<std::uint32_t>(first);
      place[k] = turn >= strip ? known + (turn - strip)
                               : to.level + (to.upper ? to.rows - 1 - turn : turn);
      if (!open[k] && entry[k] != no_turn) inside |= 1u << (turn - first);
    }
    std::uint32_t level = 1;
    do {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (!open[k]) continue;
        const std::uint32_t found = load_relaxed_generic(place[k]);
        if (found != 0) {
          level = max(level, found + 1);
          open[k] = false;
        }
      }
    } while (__any_sync(everyone, open[0] || open[1] || open[2] || open[3]));
    bool ready = true;
    propagate_levels(level, ready, inside, lane);
    if (i < stop) {
      store_relaxed_shared(address_in_shared(known + (i - strip)), level);
      store_relaxed(to.level + (to.upper ? to.rows - 1 - i : i), level);
      deepest = max(deepest, level);
    }
    __syncwarp();
    entries = next;
    next = third;
  }
}

}  // namespace yupana::sparse::cuda
