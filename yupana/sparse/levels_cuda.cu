#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/level_chains_cuda.cuh"

namespace yupana::sparse::cuda {
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
        follow_chain(to, known, strip, strip + chains[chain], strip + stop, lane, deepest);
      }
      if (chain_count > 0) pending = 0;
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
                   const DeviceTuning& tuning,
                   cudaStream_t stream) {
  using yupana::cuda::check;
  const yupana::cuda::DeviceFacts device = yupana::cuda::device_facts();
  const auto n = static_cast<std::int32_t>(matrix.rows);
  const std::int32_t room = device.max_shared_bytes - LevelTuning::other_shared_bytes;
  const std::int32_t most = std::min(LevelTuning::max_strip_rows, room * 8 / 33) /
                            LevelTuning::threads * LevelTuning::threads;
  const std::int32_t share = n / (device.multiprocessors * tuning.level_blocks) + 1;
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
