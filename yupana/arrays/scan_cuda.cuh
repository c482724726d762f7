// Over 400 lines: the ring, the flat scan and the choice between them, which share their task.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "yupana/arrays/board_cuda.cuh"
#include "yupana/arrays/operators.hpp"
#include "yupana/arrays/scan_block_cuda.cuh"
#include "yupana/arrays/scan_textbook_cuda.cuh"
#include "yupana/arrays/workspace_cuda.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/cuda/pipeline.cuh"
#include "yupana/core/tiles.hpp"

/// Scans of device memory: one launch, each value read once and written once.
///
/// Blocks stay on their multiprocessor and take every P-th tile. In a block one warp has tiles
/// copied into a ring in shared memory; four fold them as soon as they are there and tell the fold
/// to all blocks; one collects the folds of all tiles before; eight scan. Folds run ahead of scans
/// by the length of the ring, which hides that a block must hear of all tiles before its own: no
/// chain from tile to tile, as decoupled look-back has it, and no order that depends on time.
namespace yupana::arrays::cuda {

/// A tile is 8 slices, one a scanning warp; a slice is rows of 32 vectors of 16 bytes.
template <class T, int most_rows>
struct ScanShape {
  static constexpr int scanners = 8, folders = 4;
  static constexpr int threads = 32 * (scanners + folders + 2);
  static constexpr int rows = std::max(1, most_rows * 16 / std::max<int>(16, sizeof(T)));
  static constexpr int row = 32 * vector_of<T>;
  static constexpr int slice = rows * row;
  static constexpr int tile = scanners * slice;
  static constexpr int bytes = tile * static_cast<int>(sizeof(T));
  // 16 KiB are left to the rest and to what the system takes.
  static constexpr int stages = std::min(most_rows > 4 ? 6 : 8, (211 << 10) / bytes);
  static_assert(stages >= 2, "scan: a type of at most 768 bytes");
};

template <class T, class Shape>
struct ScanShared {
  alignas(128) unsigned char data[Shape::stages][Shape::bytes];
  Words<T> slice_total[Shape::stages][Shape::scanners];
  Words<T> slice_before[Shape::stages][Shape::scanners];  // of this tile, before the slice
  Words<T> before[Shape::stages];                         // all tiles before
  std::uint64_t full[Shape::stages], free[Shape::stages];
  std::uint64_t folded[Shape::stages], known[Shape::stages];
};

template <class T, class Op>
struct ScanTask {
  const T* in;
  T* out;
  std::int64_t n;
  std::int64_t tiles;
  Totals<T> totals;
  Words<T> init;
  Op op;
};

__device__ inline void arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// A block's way through its tiles: the stage of the ring and how often it was used before.
template <class Shape>
struct Turn {
  std::int64_t tile = blockIdx.x;
  int stage = 0;
  std::uint32_t parity = 0;
  __device__ void next() {
    tile += gridDim.x;
    if (++stage == Shape::stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <class T, class Shape, class Op>
__device__ void load_tiles(ScanShared<T, Shape>& shared, const ScanTask<T, Op>& task, int lane) {
  using namespace yupana::cuda;
  const bool aligned = reinterpret_cast<std::uintptr_t>(task.in) % 16 == 0;
  int used = 0;
  for (Turn<Shape> turn; turn.tile < task.tiles; turn.next(), ++used) {
    const int s = turn.stage;
    // The others need the barriers only once the first tiles are on their way.
    if (used == Shape::stages) __syncthreads();
    if (used >= Shape::stages) barrier_wait(shared_address(&shared.free[s]), turn.parity ^ 1);
    const std::int64_t first = turn.tile * Shape::tile;
    const std::uint32_t full = shared_address(&shared.full[s]);
    if (aligned && first + Shape::tile <= task.n) {
      if (lane == 0) {
        barrier_expect(full, Shape::bytes);
        bulk_copy(shared_address(shared.data[s]), task.in + first, Shape::bytes, full);
      }
    } else {
      // The last value once more behind the end: whatever it gives is not written.
      T* to = reinterpret_cast<T*>(shared.data[s]);
#pragma unroll 8
      for (int i = lane; i < Shape::tile; i += 32) {
        to[i] = task.in[std::min(first + i, task.n - 1)];
      }
      __syncwarp();
      if (lane == 0) arrive(full);
    }
  }
  if (used <= Shape::stages) __syncthreads();
}

template <class T, class Shape, class Op>
__device__ T fold_slice(const T* slice, const Op& op, int lane) {
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

template <class T, class Shape, class Op>
__device__ void fold_tiles(ScanShared<T, Shape>& shared,
                           const ScanTask<T, Op>& task,
                           int folder,
                           int lane) {
  using namespace yupana::cuda;
  for (Turn<Shape> turn; turn.tile < task.tiles; turn.next()) {
    const int s = turn.stage;
    barrier_wait(shared_address(&shared.full[s]), turn.parity);
    const T* data = reinterpret_cast<const T*>(shared.data[s]);
#pragma unroll
    for (int slice = folder; slice < Shape::scanners; slice += Shape::folders) {
      const T total = fold_slice<T, Shape>(data + slice * Shape::slice, task.op, lane);
      if (lane == 0) shared.slice_total[s][slice] = to_words(total);
    }
    asm volatile("bar.sync 1, %0;" ::"n"(32 * Shape::folders) : "memory");
    if (folder == 0) {
      const T own = from_words<T>(shared.slice_total[s][lane % Shape::scanners]);
      const T through = scan_lanes(own, task.op, lane);
      if (lane < Shape::scanners - 1) shared.slice_before[s][lane + 1] = to_words(through);
      if (lane == Shape::scanners - 1 && turn.tile + 1 < task.tiles) {
        task.totals.tell(turn.tile, through);
      }
      // Each lane for what it wrote.
      if (lane < Shape::scanners) arrive(shared_address(&shared.folded[s]));
    }
  }
}

/// Folds of 32 tiles at a time go into the base, so that floats meet in the same order on any
/// number of blocks.
template <bool seeded, class T, class Shape, class Op>
__device__ void collect_totals(ScanShared<T, Shape>& shared,
                               const ScanTask<T, Op>& task,
                               int lane) {
  using namespace yupana::cuda;
  constexpr int batch = Totals<T>::batch;
  T base = from_words<T>(task.init);
  bool has_base = seeded;
  std::int64_t group = 0;
  for (Turn<Shape> turn; turn.tile < task.tiles; turn.next()) {
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
      arrive(shared_address(&shared.known[s]));
    }
  }
}

template <bool exclusive, bool seeded, class T, class Shape, class Op>
__device__ void scan_tiles(ScanShared<T, Shape>& shared,
                           const ScanTask<T, Op>& task,
                           int slice,
                           int lane) {
  using namespace yupana::cuda;
  using Rows = ScanRows<T, Shape::rows>;
  const bool aligned = reinterpret_cast<std::uintptr_t>(task.out) % 16 == 0;
  for (Turn<Shape> turn; turn.tile < task.tiles; turn.next()) {
    const int s = turn.stage;
    barrier_wait(shared_address(&shared.full[s]), turn.parity);
    Rows rows;
    rows.load(reinterpret_cast<const T*>(shared.data[s]) + slice * Shape::slice, lane);
    rows.scan(task.op, lane);
    barrier_wait(shared_address(&shared.folded[s]), turn.parity);
    barrier_wait(shared_address(&shared.known[s]), turn.parity);
    const bool tile_seeded = seeded || turn.tile > 0;
    bool has_carry = tile_seeded;
    T carry = from_words<T>(shared.before[s]);
    if (slice > 0) {
      const T inside = from_words<T>(shared.slice_before[s][slice]);
      carry = tile_seeded ? task.op(carry, inside) : inside;
      has_carry = true;
    }
    __syncwarp();
    if (lane == 0) arrive(shared_address(&shared.free[s]));
    const std::int64_t first = turn.tile * Shape::tile + slice * Shape::slice;
    rows.template finish<exclusive, seeded>(carry, has_carry, task.op, lane);
    if (aligned && first + Shape::slice <= task.n) {
      rows.store(task.out + first, lane);
    } else {
      rows.store_some(task.out + first, task.n - first, lane);
    }
  }
}

template <bool exclusive, bool seeded, class T, class Shape, class Op>
__global__ void __launch_bounds__(yupana::cuda::threads_if(yupana::cuda::compiled_for >= 90,
                                                           Shape::threads),
                                  1) scan_kernel(ScanTask<T, Op> task) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  using namespace yupana::cuda;
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<ScanShared<T, Shape>*>(memory);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (warp == Shape::scanners + Shape::folders + 1) {
    if (lane < Shape::stages) {
      barrier_init(shared_address(&shared.full[lane]), 1);
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
    scan_tiles<exclusive, seeded>(shared, task, warp, lane);
  } else if (warp < Shape::scanners + Shape::folders) {
    fold_tiles(shared, task, warp - Shape::scanners, lane);
  } else {
    collect_totals<seeded>(shared, task, lane);
  }
#endif
}

/// Scans of which every block holds one tile in registers: up to as many tiles as a warp collects
/// in one go. One round of totals, and no ring to fill.
template <class T, int W = 16, int R = 4>
struct FlatScan {
  static constexpr int warps = W, threads = 32 * warps;
  static constexpr int rows = sizeof(T) <= 16 ? R : 1;
  static constexpr int slice = rows * ScanRows<T, rows>::row;
  static constexpr int tile = warps * slice;
  static constexpr std::int64_t most = std::int64_t{32} * Totals<T>::batch * tile;
  static_assert(32 * Totals<T>::batch <= threads, "a thread tells one tile");
};

template <bool exclusive, bool seeded, class T, class Op>
__global__ void __launch_bounds__(FlatScan<T>::threads) flat_scan_kernel(ScanTask<T, Op> task) {
  using Flat = FlatScan<T>;
  constexpr int batch = Totals<T>::batch;
  __shared__ Words<T> totals[Flat::warps], before_tile;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t tile = blockIdx.x;
  const std::int64_t first = tile * Flat::tile + warp * Flat::slice;
  const std::int64_t count = task.n - first;
  ScanRows<T, Flat::rows> rows;
  if (count >= Flat::slice && reinterpret_cast<std::uintptr_t>(task.in) % 16 == 0) {
    rows.load(task.in + first, lane);
  } else if (count > 0) {
    rows.load_some(task.in + first, count, lane);
  } else {
    // Nothing depends on these; they are the tile's own, since others may be written already.
    rows.load_some(task.in + tile * Flat::tile, task.n - tile * Flat::tile, lane);
  }
  // Where the order does not matter the tile's fold is known before its scan is begun.
  constexpr bool fold_first = std::is_integral_v<T> && commutes<T, Op>;
  const T total = [&] {
    if constexpr (fold_first) {
      return rows.fold(task.op, lane);
    } else {
      rows.scan(task.op, lane);
      return rows.total(task.op);
    }
  }();
  if (lane == 0) totals[warp] = to_words(total);
  __syncthreads();  // and so the tile was read: out may be in
  const T through = scan_lanes(from_words<T>(totals[lane % Flat::warps]), task.op, lane);
  Totals<T> board = task.totals;
  if constexpr (Totals<T>::packed) {
    // Each tile has words of its own: blocks that wait do not all ask the same piece of the cache.
    const T all = lane_value(through, Flat::warps - 1);
    const std::int64_t to = tile + 1 + threadIdx.x;
    if (to < gridDim.x) board.tell(to * gridDim.x + tile, all);
    board.words += tile * gridDim.x;
  } else if (warp == 0 && lane == Flat::warps - 1 && tile + 1 < gridDim.x) {
    board.tell(tile, through);
  }
  if constexpr (fold_first) rows.scan(task.op, lane);
  if (warp == 0) {
    // Blocks start in the order of their tiles, so those waited for are there.
    Words<T> taken[batch];
    board.take(0, tile, lane, taken);
    T before = from_words<T>(task.init);
    bool has_before = seeded;
#pragma unroll
    for (int g = 0; g < batch; ++g) {
      const int here = static_cast<int>(tile) - 32 * g;
      if (here <= 0) continue;
      const T value = from_words<T>(taken[g]);
      const T sum = here >= 32 ? fold_lanes(value, task.op, lane)
                               : lane_value(scan_lanes(value, task.op, lane), here - 1);
      before = has_before ? task.op(before, sum) : sum;
      has_before = true;
    }
    if (lane == 0) before_tile = to_words(before);
  }
  // All that does not need the tiles before is done while they are waited for.
  const T inside = lane_value(through, warp > 0 ? warp - 1 : 0);
  rows.template finish<exclusive, false>(inside, warp > 0, task.op, lane);
  __syncthreads();
  if (seeded || tile > 0) {
    rows.template put_before<exclusive>(from_words<T>(before_tile), threadIdx.x == 0, task.op);
  }
  if (count >= Flat::slice && reinterpret_cast<std::uintptr_t>(task.out) % 16 == 0) {
    rows.store(task.out + first, lane);
  } else {
    rows.store_some(task.out + first, count, lane);
  }
}

template <bool exclusive, bool seeded, class Shape, class T, class Op>
void launch_scan(Workspace& space,
                 cudaStream_t stream,
                 const T* in,
                 std::int64_t n,
                 Words<T> init,
                 T* out,
                 Op op) {
  ScanTask<T, Op> task{in, out, n, divide_up(n, Shape::tile), {}, init, op};
  const Workspace::Board board = space.board(task.tiles, stream);
  task.totals.words = board.words;
  task.totals.epoch = board.epoch;
  if constexpr (!Totals<T>::packed) {
    task.totals.values = static_cast<Words<T>*>(
        space.scratch(static_cast<std::uint64_t>(task.tiles) * sizeof(Words<T>)));
  }
  const auto blocks =
      std::min<std::int64_t>(yupana::cuda::device_facts().multiprocessors, task.tiles);
  yupana::cuda::launch("scan",
                       scan_kernel<exclusive, seeded, T, Shape, Op>,
                       {blocks, Shape::threads, sizeof(ScanShared<T, Shape>)},
                       stream,
                       task);
}

template <bool exclusive, bool seeded, class T, class Op>
void launch_flat_scan(Workspace& space,
                      cudaStream_t stream,
                      const T* in,
                      std::int64_t n,
                      Words<T> init,
                      T* out,
                      Op op) {
  ScanTask<T, Op> task{in, out, n, divide_up(n, FlatScan<T>::tile), {}, init, op};
  const std::int64_t words = Totals<T>::packed ? task.tiles * task.tiles : task.tiles;
  const Workspace::Board board = space.board(words, stream);
  task.totals.words = board.words;
  task.totals.epoch = board.epoch;
  if constexpr (!Totals<T>::packed) {
    task.totals.values = static_cast<Words<T>*>(
        space.scratch(static_cast<std::uint64_t>(task.tiles) * sizeof(Words<T>)));
  }
  flat_scan_kernel<exclusive, seeded>
      <<<static_cast<unsigned>(task.tiles), FlatScan<T>::threads, 0, stream>>>(task);
  yupana::cuda::check_launch("scan");
}

template <bool exclusive, bool seeded, class T, class Op>
void scan(Workspace& space,
          cudaStream_t stream,
          const T* in,
          std::int64_t n,
          Words<T> init,
          T* out,
          Op op) {
  if (n <= 0) return;
  if (n <= BlockScan<T, 4>::most) {
    return launch_block_scan<4, exclusive, seeded>(stream, in, n, init, out, op);
  }
  if (n <= BlockScan<T, 16>::most) {
    return launch_block_scan<16, exclusive, seeded>(stream, in, n, init, out, op);
  }
  using Shape = ScanShape<T, 8>;
  // Where the ring is not compiled for, or does not fit: one rule for all n, so that the order of
  // operations does not change with it.
  if (!yupana::cuda::is_compiled(scan_kernel<exclusive, seeded, T, Shape, Op>,
                                 Shape::threads,
                                 sizeof(ScanShared<T, Shape>))) {
    return textbook_scan<exclusive, seeded>(space, stream, in, n, init, out, op);
  }
  // By n alone, so that floats have the same bits on devices of other sizes.
  if (n <= FlatScan<T>::most) {
    return launch_flat_scan<exclusive, seeded>(space, stream, in, n, init, out, op);
  }
  launch_scan<exclusive, seeded, Shape>(space, stream, in, n, init, out, op);
}

/// What may stand before the first value without changing anything, where there is such a value.
template <class T, class Op>
inline constexpr bool has_neutral =
    std::is_same_v<Op, Plus>&& std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// out[i] = in[0] op ... op in[i] in device memory, on `stream`; the host does not wait.
///   op: any associative operator, a device function object; T: trivially copyable, to 768 bytes
///   out: n values; may be `in` itself, must not overlap it otherwise. Full speed where both are
///   aligned to 16 bytes
///   determinism: the order of operations depends on n alone: floats have the same bits on any
///   device from compute capability 9 on, in any run
template <class T, class Op = Plus>
void inclusive_scan(
    Workspace& space, cudaStream_t stream, const T* in, std::int64_t n, T* out, Op op = {}) {
  if (n <= 0) return;
  if constexpr (has_neutral<T, Op>) {
    // 0 + -0 would lose the sign.
    const T none = std::is_floating_point_v<T> ? T(-0.0) : T(0);
    scan<false, true>(space, stream, in, n, to_words(none), out, op);
  } else {
    scan<false, false>(space, stream, in, n, Words<T>{}, out, op);
  }
}

/// out[i] = init op in[0] op ... op in[i].
template <class T, class Op = Plus>
void inclusive_scan_from(Workspace& space,
                         cudaStream_t stream,
                         T init,
                         const T* in,
                         std::int64_t n,
                         T* out,
                         Op op = {}) {
  scan<false, true>(space, stream, in, n, to_words(init), out, op);
}

/// out[0] = init, out[i] = init op in[0] op ... op in[i - 1].
template <class T, class Op = Plus>
void exclusive_scan(Workspace& space,
                    cudaStream_t stream,
                    const T* in,
                    std::int64_t n,
                    T init,
                    T* out,
                    Op op = {}) {
  scan<true, true>(space, stream, in, n, to_words(init), out, op);
}

}  // namespace yupana::arrays::cuda
