#pragma once

#include <algorithm>
#include <cstdint>

#include "yupana/arrays/async_copy_cuda.cuh"
#include "yupana/arrays/scan_task_cuda.cuh"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/pipeline.cuh"

/// Scans of device memory: one launch, each value read once and written once.
///
/// Blocks stay on their multiprocessor and take every P-th tile. In a block one warp has tiles
/// copied into a ring in shared memory; four fold them as they arrive and publish the fold
/// to all blocks; one collects the folds of all tiles before; eight scan. Folds run ahead of scans
/// by the length of the ring, which hides the wait for all tiles before its own: no
/// chain from tile to tile, as decoupled look-back has it, and no order that depends on time.
namespace yupana::arrays::cuda {

/// A tile is 8 slices, one a scanning warp; a slice is rows of 32 vectors of 16 bytes. Of wide
/// values it is one slice, so that two tiles fit the 99 KiB of shared memory that every GPU grants
/// a block.
template <class T>
struct ScanShape {
  static constexpr int scanners = sizeof(T) <= 128 ? 8 : 1;
  static constexpr int folders = scanners > 1 ? 4 : 1;
  static constexpr int threads = 32 * (scanners + folders + 2);
  static constexpr int rows = std::max(1, 8 * 16 / std::max<int>(16, sizeof(T)));
  static constexpr int row = 32 * vector_of<T>;
  static constexpr int slice = rows * row;
  static constexpr int tile = scanners * slice;
  static constexpr int bytes = tile * static_cast<int>(sizeof(T));
  static constexpr int max_stages = 6;
  static_assert(!has_prefix_order<T, Plus> ||
                (slice == PrefixOrder<T>::slice && tile == PrefixOrder<T>::tile));
};

/// Shared memory before the tiles of the ring; as many stages as the device grants a block.
template <class T>
struct alignas(128) ScanShared {
  using Shape = ScanShape<T>;
  Words<T> slice_total[Shape::max_stages][Shape::scanners];
  Words<T> slice_before[Shape::max_stages][Shape::scanners];  // of this tile, before the slice
  Words<T> before[Shape::max_stages];                         // all tiles before
  std::uint64_t full[Shape::max_stages], free[Shape::max_stages];
  std::uint64_t folded[Shape::max_stages], known[Shape::max_stages];

  __device__ T* data(int stage) {
    return reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(this + 1) + stage * Shape::bytes);
  }
  static constexpr std::int64_t bytes(int stages) {
    return static_cast<std::int64_t>(sizeof(ScanShared)) + std::int64_t{stages} * Shape::bytes;
  }
  static int stages_within(std::int64_t available) {
    static_assert(sizeof(T) <= 768 && bytes(2) <= 99 << 10, "scan: a type of at most 768 bytes");
    int stages = 2;
    while (stages < Shape::max_stages && bytes(stages + 1) <= available) ++stages;
    return stages;
  }
};

/// A block's way through its tiles: the stage of the ring and how often it was used before.
struct Turn {
  const int stages;
  std::int64_t tile = blockIdx.x;
  int stage = 0;
  std::uint32_t parity = 0;
  __device__ void next() {
    tile += gridDim.x;
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <class T, class Op>
__device__ void load_tiles(ScanShared<T>& shared, const ScanTask<T, Op>& task, int lane) {
  using Shape = ScanShape<T>;
  using namespace yupana::cuda;
  const bool aligned = reinterpret_cast<std::uintptr_t>(task.in) % 16 == 0;
  int used = 0;
  for (Turn turn{task.stages}; turn.tile < task.tiles; turn.next(), ++used) {
    const int s = turn.stage;
    // The others need the barriers only once the first tiles are on their way.
    if (used == task.stages) __syncthreads();
    if (used >= task.stages) barrier_wait(shared_address(&shared.free[s]), turn.parity ^ 1);
    const std::int64_t first = turn.tile * Shape::tile;
    const std::uint32_t full = shared_address(&shared.full[s]);
    if (aligned && first + Shape::tile <= task.n) {
      copy_by_warp(shared.data(s), task.in + first, Shape::bytes, full, lane);
    } else {
      // Past the end the last value again: its results are not written.
      T* to = shared.data(s);
#pragma unroll 8
      for (int i = lane; i < Shape::tile; i += 32) {
        to[i] = task.in[std::min(first + i, task.n - 1)];
      }
      __syncwarp();
      if (lane < copy_arrivals) barrier_arrive(full);
    }
  }
  if (used <= task.stages) __syncthreads();
}

template <class T, class Op>
__device__ T fold_slice(const T* slice, const Op& op, int lane) {
  using Shape = ScanShape<T>;
  constexpr int vector = vector_of<T>;
  T x[Shape::rows][vector];
#pragma unroll
  for (int r = 0; r < Shape::rows; ++r) load_vector(slice + r * Shape::row + lane * vector, x[r]);
  if constexpr (commutes<T, Op>) {
#pragma unroll
    for (int r = 1; r < Shape::rows; ++r) {
#pragma unroll
      for (int j = 0; j < vector; ++j) x[0][j] = op(x[0][j], x[r][j]);
    }
#pragma unroll
    for (int j = 1; j < vector; ++j) x[0][0] = op(x[0][0], x[0][j]);
    return fold_lanes(x[0][0], op, lane);
  } else {
#pragma unroll
    for (int r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (int j = 1; j < vector; ++j) x[r][0] = op(x[r][0], x[r][j]);
      x[r][0] = fold_lanes(x[r][0], op, lane);
      if (r > 0) x[0][0] = op(x[0][0], x[r][0]);
    }
    return x[0][0];
  }
}

template <class T, class Op>
__device__ void fold_tiles(ScanShared<T>& shared,
                           const ScanTask<T, Op>& task,
                           int folder,
                           int lane) {
  using Shape = ScanShape<T>;
  using namespace yupana::cuda;
  for (Turn turn{task.stages}; turn.tile < task.tiles; turn.next()) {
    const int s = turn.stage;
    barrier_wait(shared_address(&shared.full[s]), turn.parity);
    const T* data = shared.data(s);
#pragma unroll
    for (int slice = folder; slice < Shape::scanners; slice += Shape::folders) {
      const T total = fold_slice(data + slice * Shape::slice, task.op, lane);
      if (lane == 0) shared.slice_total[s][slice] = to_words(total);
    }
    asm volatile("bar.sync 1, %0;" ::"n"(32 * Shape::folders) : "memory");
    if (folder == 0) {
      const T own = from_words<T>(shared.slice_total[s][lane % Shape::scanners]);
      const T through = scan_lanes(own, task.op, lane);
      if (lane < Shape::scanners - 1) shared.slice_before[s][lane + 1] = to_words(through);
      if (lane == Shape::scanners - 1 && turn.tile + 1 < task.tiles) {
        task.totals.publish(turn.tile, through);
      }
      // Each lane for what it wrote.
      if (lane < Shape::scanners) barrier_arrive(shared_address(&shared.folded[s]));
    }
  }
}

/// Folds of 32 tiles at a time go into the base, so that floats meet in the same order on any
/// number of blocks.
template <class T, class Op>
__device__ void collect_totals(ScanShared<T>& shared, const ScanTask<T, Op>& task, int lane) {
  using namespace yupana::cuda;
  constexpr int batch = TileTotals<T>::batch;
  T base = from_words<T>(task.init);
  bool has_base = task.kind.seeded;
  std::int64_t group = 0;
  for (Turn turn{task.stages}; turn.tile < task.tiles; turn.next()) {
    const int s = turn.stage;
    const std::int64_t own_group = turn.tile / 32;
    const int rest = static_cast<int>(turn.tile % 32);
    T before = base;
    bool done = false;
    while (!done) {
      Words<T> taken[batch];
      task.totals.take(32 * group, turn.tile, lane, taken);
#pragma unroll
      for (int g = 0; g < batch; ++g) {
        if (done) continue;
        const T value = from_words<T>(taken[g]);
        if (group + g < own_group) {
          const T total = fold_lanes(value, task.op, lane);
          base = has_base ? task.op(base, total) : total;
          has_base = true;
        } else {
          const T through = scan_lanes(value, task.op, lane);
          const T total = lane_value(through, rest > 0 ? rest - 1 : 0);
          before = rest == 0 ? base : (has_base ? task.op(base, total) : total);
          group += g;
          done = true;
        }
      }
      if (!done) group += batch;
    }
    // The fold of this tile is done: so the stage is this tile's.
    barrier_wait(shared_address(&shared.folded[s]), turn.parity);
    if (lane == 0) {
      shared.before[s] = to_words(before);
      barrier_arrive(shared_address(&shared.known[s]));
    }
  }
}

template <class T, class Op>
__device__ void scan_tiles(ScanShared<T>& shared,
                           const ScanTask<T, Op>& task,
                           int slice,
                           int lane) {
  using Shape = ScanShape<T>;
  using namespace yupana::cuda;
  using Rows = ScanRows<T, Shape::rows>;
  const bool aligned = reinterpret_cast<std::uintptr_t>(task.out) % 16 == 0;
  for (Turn turn{task.stages}; turn.tile < task.tiles; turn.next()) {
    const int s = turn.stage;
    barrier_wait(shared_address(&shared.full[s]), turn.parity);
    Rows rows;
    rows.load(shared.data(s) + slice * Shape::slice, lane);
    rows.scan(task.op, lane);
    barrier_wait(shared_address(&shared.folded[s]), turn.parity);
    barrier_wait(shared_address(&shared.known[s]), turn.parity);
    const bool tile_seeded = task.kind.seeded || turn.tile > 0;
    bool has_carry = tile_seeded;
    T carry = from_words<T>(shared.before[s]);
    if (slice > 0) {
      const T inside = from_words<T>(shared.slice_before[s][slice]);
      carry = tile_seeded ? task.op(carry, inside) : inside;
      has_carry = true;
    }
    __syncwarp();
    if (lane == 0) barrier_arrive(shared_address(&shared.free[s]));
    const std::int64_t first = turn.tile * Shape::tile + slice * Shape::slice;
    rows.finish(carry, has_carry, task.kind.exclusive, task.op, lane);
    if (aligned && first + Shape::slice <= task.n) {
      rows.store(task.out + first, lane);
    } else {
      rows.store_some(task.out + first, task.n - first, lane);
    }
  }
}

template <class T, class Op>
__global__ void __launch_bounds__(ScanShape<T>::threads, 1) scan_kernel(ScanTask<T, Op> task) {
  using Shape = ScanShape<T>;
  using namespace yupana::cuda;
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<ScanShared<T>*>(memory);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (warp == Shape::scanners + Shape::folders + 1) {
    if (lane < task.stages) {
      barrier_init(shared_address(&shared.full[lane]), copy_arrivals);
      barrier_init(shared_address(&shared.free[lane]), Shape::scanners);
      barrier_init(shared_address(&shared.folded[lane]), Shape::scanners);
      barrier_init(shared_address(&shared.known[lane]), 1);
    }
    barrier_init_fence();
    __syncwarp();
    return load_tiles(shared, task, lane);
  }
  __syncthreads();
  if (warp < Shape::scanners) {
    scan_tiles(shared, task, warp, lane);
  } else if (warp < Shape::scanners + Shape::folders) {
    fold_tiles(shared, task, warp - Shape::scanners, lane);
  } else {
    collect_totals(shared, task, lane);
  }
}

template <class T, class Op>
void launch_scan(Workspace& space,
                 cudaStream_t stream,
                 ScanKind kind,
                 const T* in,
                 std::int64_t n,
                 Words<T> init,
                 T* out,
                 Op op,
                 std::int64_t shared_bytes = yupana::cuda::device_facts().max_shared_bytes) {
  using Shape = ScanShape<T>;
  const std::int64_t tiles = divide_up(n, Shape::tile);
  auto task = with_totals<T, Op>(space, stream, {kind, in, out, n, tiles, {}, init, op}, tiles);
  using Shared = ScanShared<T>;
  task.stages = Shared::stages_within(shared_bytes);
  const auto blocks =
      std::min<std::int64_t>(yupana::cuda::device_facts().multiprocessors, task.tiles);
  yupana::cuda::launch("scan",
                       scan_kernel<T, Op>,
                       {blocks, Shape::threads, Shared::bytes(task.stages)},
                       stream,
                       task);
}

}  // namespace yupana::arrays::cuda
