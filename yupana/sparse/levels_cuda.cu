#include <algorithm>
#include <cstdint>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/level_groups_cuda.cuh"

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
                                    std::uint32_t shared,
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
      store_relaxed_shared(shared + 4 * (i - strip), level);
      store_relaxed(to.level + (to.upper ? to.rows - 1 - i : i), level);
      deepest = max(deepest, level);
    }
    __syncwarp();
    entries = next;
    next = third;
  }
}
namespace {

// One strip of rows a block, one part of it a warp, 32 rows at a time: every warp in flight is on
// another part of the matrix, so that a wave of levels passes through all of them at once. A warp
// goes round its groups and settles the rows whose needs are met. (In order, or group by group, the
// beginning of a grid's line would wait for the end of the line before it: 50 times slower.)
// A group whose every row needs the row before it is not looked at before that of its first row is
// done, and one with long rows only when all before it are: it is then waited for.
// Blocks take strips in ascending order and all blocks run (cooperative launch); the first row
// without a level never waits for one that nobody works on.
// Where a strip is some long chains of rows that each need the one before, warps take chains
// instead, in ascending order, and stay with one to its end: groups then begin where chains begin,
// so that a group needs one group of the chain before, not two, and what comes next is known.
template <class Value, class Index>
__global__ void __launch_bounds__(LevelTuning::threads)
    levels_kernel(DeviceCsr<Value, Index> matrix, Levels to) {
  extern __shared__ std::uint32_t known[];
  __shared__ std::int32_t chains[LevelTuning::max_chains];
  __shared__ int chain_count, taken;
  std::uint32_t* const links = known + to.strip_rows;
  const std::uint32_t shared = address_in_shared(known);
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
    const GroupMasks own = read_groups(rows, begin, end, links + (begin - strip) / 32, lane);
    const std::uint64_t linked = own.linked, slow = own.slow;
    std::uint64_t last_known = 0;
    if (__syncthreads_and(own.brief)) {
      const std::int32_t count = min(to.strip_rows, to.rows - strip);
      if (warp == 0) {
        const int found = find_chains(links, count, chains, lane);
        if (lane == 0) {
          chain_count = found;
          taken = 0;
        }
      }
      __syncthreads();
      while (chain_count > 0) {
        int chain = lane == 0 ? atomicAdd(&taken, 1) : 0;
        chain = __shfl_sync(everyone, chain, 0);
        if (chain >= chain_count) break;
        const std::int32_t stop = chain + 1 < chain_count ? chains[chain + 1] : count;
        follow_chain(to, known, shared, strip, strip + chains[chain], strip + stop, lane, deepest);
      }
      if (chain_count > 0) pending = 0;
    }
    while (pending != 0) {
      const std::uint64_t lowest = pending & (~pending + 1);
      std::uint64_t heads = pending & ~(linked & ~(last_known << 1)) & ~(slow & ~lowest);
      for (; heads != 0; heads &= heads - 1) {
        const int g = __ffsll(static_cast<long long>(heads)) - 1;
        const Group group{to, shared, strip, begin + 32 * g};
        const std::int32_t i = group.first + lane;
        const std::uint32_t word = i < end ? known[i - strip] : 1;
        const bool open = word == 0 || (word & waiting) != 0;
        if (!__any_sync(everyone,
                        open && (word == 0 || group.load_level(static_cast<std::int32_t>(
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
          if (ready) store_relaxed(to.level + rows.row(i), level);
          store_relaxed_shared(group.shared + 4 * (i - strip),
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
                   RowEntries* entries,
                   std::int32_t* deepest,
                   cudaStream_t stream) {
  using yupana::cuda::check;
  const yupana::cuda::DeviceFacts device = yupana::cuda::device_facts();
  const auto n = static_cast<std::int32_t>(matrix.rows);
  const std::int32_t room = device.max_shared_bytes - LevelTuning::other_shared_bytes;
  const std::int32_t most = std::min(LevelTuning::max_strip_rows, room * 8 / 33) /
                            LevelTuning::threads * LevelTuning::threads;
  const std::int32_t share = n / device.multiprocessors + 1;
  const std::int32_t strip_rows = std::min(
      most, (share + LevelTuning::threads - 1) / LevelTuning::threads * LevelTuning::threads);
  Levels to{reinterpret_cast<std::uint32_t*>(levels),
            keys,
            rows,
            entries,
            deepest,
            n,
            strip_rows,
            (n + strip_rows - 1) / strip_rows,
            matrix.triangle == Triangle::upper};
  const auto kernel = levels_kernel<Value, Index>;
  // Levels, and a bit a row: 33 bytes for 8 rows.
  const std::size_t bytes =
      sizeof(std::uint32_t) * static_cast<std::size_t>(strip_rows + strip_rows / 32);
  const int resident = yupana::cuda::resident_blocks(kernel, LevelTuning::threads, bytes);
  const int blocks = std::min(to.strips, resident * device.multiprocessors);
  check(cudaMemsetAsync(levels, 0, sizeof(std::int32_t) * static_cast<std::size_t>(n), stream),
        "clear the levels");
  check(cudaMemsetAsync(deepest, 0, sizeof(std::int32_t), stream), "clear the depth");
  yupana::cuda::launch_cooperative("find levels",
                                   kernel,
                                   {blocks, LevelTuning::threads, static_cast<std::int64_t>(bytes)},
                                   stream,
                                   matrix,
                                   to);
}

YUPANA_FUNCTIONS(YUPANA_SPARSE, launch_levels)

}  // namespace yupana::sparse::cuda
