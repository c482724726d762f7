// Over 400 lines: the two kernels that solve, task by task and in strips, and the row sums they
// share.
#include <algorithm>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/sparse/mailbox.cuh"
#include "yupana/sparse/triangular_cuda.hpp"

namespace yupana::sparse::cuda {
namespace {

constexpr unsigned everyone = 0xffffffffu;
constexpr int queue_threads = 256;

// Each operation rounded once, as on the CPU: the compiler may not fuse them.
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double sum(double a, double b) { return __dadd_rn(a, b); }
__device__ inline float sum(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double difference(double a, double b) { return __dsub_rn(a, b); }
__device__ inline float difference(float a, float b) { return __fsub_rn(a, b); }
__device__ inline double quotient(double a, double b) { return __ddiv_rn(a, b); }
__device__ inline float quotient(float a, float b) { return __fdiv_rn(a, b); }

template <class Value>
struct Bits;
template <>
struct Bits<double> {
  using Word = std::uint64_t;
  static __device__ Word of(double x) {
    return x != x ? 0x7ff8000000000000ull : static_cast<Word>(__double_as_longlong(x));
  }
  static __device__ double value(Word word) {
    return __longlong_as_double(static_cast<long long>(word));
  }
};
template <>
struct Bits<float> {
  using Word = std::uint32_t;
  static __device__ Word of(float x) { return x != x ? 0x7fc00000u : __float_as_uint(x); }
  static __device__ float value(Word word) { return __uint_as_float(word); }
};

/// Where results are left and waited for: columns [0, sides) of x from `x` on, rows `stride` words
/// apart; those of the strip that begins at turn `strip` also in shared memory, if `local`.
template <class Value, int sides, bool local>
struct Results {
  using Word = typename Bits<Value>::Word;
  static constexpr Word absent = ~Word{0};

  Word* x;
  std::int64_t stride;
  std::uint32_t shared;
  std::int32_t strip;
  std::int32_t last_row;
  bool upper;

  __device__ std::int32_t turn(std::int32_t row) const { return upper ? last_row - row : row; }
  __device__ Word look(std::int32_t row, int side) const {
    if constexpr (local) {
      const std::int32_t at = turn(row) - strip;
      if (at >= 0) {
        return peek_shared(shared + static_cast<std::uint32_t>(at) * sizeof(Word), Word{});
      }
    }
    return peek(x + row * stride + side);
  }
  __device__ void put(std::int32_t row, int side, Value value) const {
    const Word word = Bits<Value>::of(value);
    if constexpr (local) {
      leave_shared(shared + static_cast<std::uint32_t>(turn(row) - strip) * sizeof(Word), word);
    }
    leave(x + row * stride + side, word);
  }
};

/// What a lane reads of a task before it waits: all of a row of up to four entries, else one entry.
template <class Value, int sides>
struct Part {
  std::int32_t row = -1;  ///< of which this lane leaves the result; -1: none
  std::int32_t column[4] = {-1, -1, -1, -1};
  Value value[4] = {};
  Value b[sides] = {};
  Value diagonal = 1;
};

__device__ inline int count_of(const Task& task) { return task.shape & 63; }
__device__ inline int class_of_task(const Task& task) { return task.shape >> 6 & 7; }

/// Of which row this lane leaves the result; -1: none.
template <class Value>
__device__ inline std::int32_t read_row(const Packed<Value>& matrix, const Task& task, int lane) {
  const int row_class = class_of_task(task),
            shift = row_class <= 2 || row_class == 6 ? 0 : row_class;
  if (lane >= count_of(task) << shift || (lane & ((1 << shift) - 1)) != 0) return -1;
  return matrix.row[task.first + (lane >> shift)];
}

template <class Value, int sides>
__device__ inline Part<Value, sides> read_part(const Packed<Value>& matrix,
                                               const Task& task,
                                               std::int32_t row,
                                               const Value* b,
                                               std::int64_t stride,
                                               int lane) {
  Part<Value, sides> part;
  const int count = count_of(task), row_class = class_of_task(task);
  const bool is_short = row_class <= 2 || row_class == 6;
  const int shift = is_short ? 0 : row_class;  // lanes a row: 2^shift
  part.row = row;
  if (lane < count << shift) {
    const int width = row_class == 6 ? 0 : is_short ? 1 << row_class : 1;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (k >= width) break;
      part.column[k] = matrix.columns[task.entry + k * count + lane];
      part.value[k] = matrix.values[task.entry + k * count + lane];
    }
  }
  if (row >= 0) {
    part.diagonal = matrix.diagonal[task.first + (lane >> shift)];
#pragma unroll
    for (int side = 0; side < sides; ++side) part.b[side] = b[row * stride + side];
  }
  return part;
}

/// Rows of up to four entries, one a lane.
template <class Value, int sides, bool local>
__device__ inline void solve_short(const Part<Value, sides>& part,
                                   const Results<Value, sides, local>& results) {
  using Word = typename Bits<Value>::Word;
  constexpr Word absent = Results<Value, sides, local>::absent;
  if (part.row < 0) return;
#pragma unroll
  for (int side = 0; side < sides; ++side) {
    Word found[4] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (part.column[k] >= 0) found[k] = results.look(part.column[k], side);
    }
    Value rest = part.b[side];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (part.column[k] < 0) continue;
      while (found[k] == absent) found[k] = results.look(part.column[k], side);
      rest = difference(rest, product(part.value[k], Bits<Value>::value(found[k])));
    }
    results.put(part.row, side, quotient(rest, part.diagonal));
  }
}

template <class Value, int sides, bool local>
__device__ inline void wait_for(const Results<Value, sides, local>& results,
                                std::int32_t column,
                                Value (&x)[sides]) {
  using Word = typename Bits<Value>::Word;
  Word found[sides];
#pragma unroll
  for (int side = 0; side < sides; ++side) found[side] = results.look(column, side);
#pragma unroll
  for (int side = 0; side < sides; ++side) {
    while (found[side] == Results<Value, sides, local>::absent) {
      found[side] = results.look(column, side);
    }
    x[side] = Bits<Value>::value(found[side]);
  }
}

/// Longer rows: 2^class lanes a row, partial sums added by halves.
template <class Value, int sides, bool local>
__device__ inline void solve_long(const Packed<Value>& matrix,
                                  const Task& task,
                                  int lane,
                                  const Part<Value, sides>& part,
                                  const Results<Value, sides, local>& results) {
  const int row_class = class_of_task(task);
  Value partial[sides] = {}, x[sides];
  if (part.column[0] >= 0) {
    wait_for(results, part.column[0], x);
#pragma unroll
    for (int side = 0; side < sides; ++side) partial[side] = product(part.value[0], x[side]);
  }
  const int slices = static_cast<int>(task.shape >> 9);
  for (int slice = 1; slice < slices; ++slice) {
    const std::int64_t at = task.entry + std::int64_t{slice} * 32 + lane;
    const std::int32_t column = matrix.columns[at];
    if (column < 0) continue;
    wait_for(results, column, x);
    const Value value = matrix.values[at];
#pragma unroll
    for (int side = 0; side < sides; ++side) {
      partial[side] = sum(partial[side], product(value, x[side]));
    }
  }
  __syncwarp();
  for (int half = 1 << row_class >> 1; half > 0; half /= 2) {
#pragma unroll
    for (int side = 0; side < sides; ++side) {
      partial[side] =
          sum(partial[side], __shfl_down_sync(everyone, partial[side], half, 1 << row_class));
    }
  }
  if (part.row < 0) return;
#pragma unroll
  for (int side = 0; side < sides; ++side) {
    const Value rest = difference(part.b[side], partial[side]);
    results.put(part.row, side, quotient(rest, part.diagonal));
  }
}

/// Tasks first, first + step, ... below last, in this order. What a later task reads is asked for
/// when a result has been left, never between a result that was waited for and the one made of it:
/// tasks four ahead, rows three, all else two.
template <class Value, int sides, bool local, class Where>
__device__ inline void solve_tasks(const Packed<Value>& matrix,
                                   std::int64_t first,
                                   std::int64_t last,
                                   std::int64_t step,
                                   const Value* b,
                                   std::int64_t stride,
                                   const Where& where) {
  const int lane = threadIdx.x % 32;
  const auto task_at = [&](std::int64_t at) {
    return at < last ? matrix.tasks[where.task(at)] : Task{};
  };
  const auto part_at = [&](std::int64_t at, const Task& task, std::int32_t row) {
    return read_part<Value, sides>(matrix, task, row, b + where.side(at), stride, lane);
  };
  if (first >= last) return;
  Task task = task_at(first), next = task_at(first + step);
  Task third = task_at(first + 2 * step), fourth = task_at(first + 3 * step);
  Part<Value, sides> part = part_at(first, task, read_row(matrix, task, lane));
  Part<Value, sides> next_part = part_at(first + step, next, read_row(matrix, next, lane));
  std::int32_t third_row = read_row(matrix, third, lane);
  for (std::int64_t at = first; at < last; at += step) {
    const Results<Value, sides, local> results = where.results(at);
    const int row_class = class_of_task(task);
    if (row_class <= 2 || row_class == 6) {
      solve_short(part, results);
    } else {
      solve_long(matrix, task, lane, part, results);
    }
    asm volatile("" ::: "memory");
    __syncwarp();
    task = next;
    part = next_part;
    next = third;
    next_part = part_at(at + 2 * step, third, third_row);
    third = fourth;
    third_row = read_row(matrix, third, lane);
    fourth = task_at(at + 4 * step);
    asm volatile("" ::: "memory");
  }
}

/// Places of a queue: task by task, `groups` groups of columns of each.
template <class Value, int sides>
struct QueuePlaces {
  typename Bits<Value>::Word* x;
  std::int64_t stride;
  int groups;
  std::int32_t last_row;
  bool upper;

  __device__ std::int64_t task(std::int64_t at) const { return groups == 1 ? at : at / groups; }
  __device__ int side(std::int64_t at) const {
    return groups == 1 ? 0 : static_cast<int>(at % groups) * sides;
  }
  __device__ Results<Value, sides, false> results(std::int64_t at) const {
    return {x + side(at), stride, 0, 0, last_row, upper};
  }
};

// Warps take tasks in turn. All blocks run (cooperative launch) and tasks are sorted by level, so
// the first task that is not done never waits for one that nobody works on.
template <class Value, int sides>
__global__ void __launch_bounds__(queue_threads) queue_kernel(Packed<Value> matrix,
                                                              std::int32_t first,
                                                              std::int32_t last,
                                                              const Value* b,
                                                              Value* x,
                                                              std::int64_t stride,
                                                              int groups) {
  const int warps = gridDim.x * (queue_threads / 32);
  const int warp = blockIdx.x * (queue_threads / 32) + threadIdx.x / 32;
  const QueuePlaces<Value, sides> places{reinterpret_cast<typename Bits<Value>::Word*>(x),
                                         stride,
                                         groups,
                                         matrix.rows - 1,
                                         matrix.upper};
  solve_tasks<Value, sides, false>(matrix,
                                   std::int64_t{first} * groups + warp,
                                   std::int64_t{last} * groups,
                                   warps,
                                   b,
                                   stride,
                                   places);
}

template <class Value>
struct StripPlaces {
  Results<Value, 1, true> here;

  __device__ std::int64_t task(std::int64_t at) const { return at; }
  __device__ int side(std::int64_t) const { return 0; }
  __device__ Results<Value, 1, true> results(std::int64_t) const { return here; }
};

// A block owns a strip of neighbouring rows at a time: most of what its rows need was left by
// itself in shared memory, some 50 ns away instead of 700; only rows at the strip's border wait for
// another multiprocessor. Strips are taken in ascending order, by blocks that all run.
template <class Value>
__global__ void __launch_bounds__(1024)
    strip_kernel(Packed<Value> matrix, const Value* b, Value* x, std::int64_t sides) {
  using Word = typename Bits<Value>::Word;
  extern __shared__ std::uint64_t memory[];
  Word* known = reinterpret_cast<Word*>(memory);
  const int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (std::int64_t s = blockIdx.x; s < matrix.strips * sides; s += gridDim.x) {
    const auto strip = static_cast<std::int32_t>(s / sides);
    const std::int64_t side = s % sides;
    for (int i = threadIdx.x; i < matrix.strip_rows; i += blockDim.x) known[i] = ~Word{0};
    __syncthreads();
    const StripPlaces<Value> places{{reinterpret_cast<Word*>(x) + side,
                                     sides,
                                     address_in_shared(known),
                                     strip * matrix.strip_rows,
                                     matrix.rows - 1,
                                     matrix.upper}};
    solve_tasks<Value, 1, true>(matrix,
                                matrix.task_begin[strip] + warp,
                                matrix.task_begin[strip + 1],
                                warps,
                                b + side,
                                sides,
                                places);
    __syncthreads();
  }
}

/// `groups` groups of `sides` columns from b and x on.
template <class Value, int sides>
void launch_queue(Packed<Value> matrix,
                  std::int32_t first,
                  std::int32_t last,
                  const Value* b,
                  Value* x,
                  std::int64_t stride,
                  int groups,
                  int blocks,
                  cudaStream_t stream) {
  if (groups == 0 || first == last) return;
  const auto kernel = queue_kernel<Value, sides>;
  const int room = yupana::cuda::resident_blocks(kernel, queue_threads);
  const std::int64_t useful = (std::int64_t{last - first} * groups + 7) / 8;
  const std::int64_t most =
      std::int64_t{std::min(room, blocks)} * yupana::cuda::device_facts().multiprocessors;
  yupana::cuda::launch_cooperative("solve",
                                   kernel,
                                   {std::min(useful, most), queue_threads},
                                   stream,
                                   matrix,
                                   first,
                                   last,
                                   b,
                                   x,
                                   stride,
                                   groups);
}

template <class Value>
void launch_columns(const Packed<Value>& matrix,
                    std::int32_t first,
                    std::int32_t last,
                    const Value* b,
                    Value* x,
                    std::int64_t sides,
                    int blocks,
                    cudaStream_t stream) {
  const auto fours = static_cast<int>(sides / 4), rest = static_cast<int>(sides % 4);
  launch_queue<Value, 4>(matrix, first, last, b, x, sides, fours, blocks, stream);
  launch_queue<Value, 1>(
      matrix, first, last, b + 4 * fours, x + 4 * fours, sides, rest, blocks, stream);
}

}  // namespace

template <class Value>
void launch_tasks(const Packed<Value>& matrix,
                  std::int32_t first,
                  std::int32_t last,
                  const Value* b,
                  Value* x,
                  std::int64_t sides,
                  cudaStream_t stream) {
  launch_columns(matrix, first, last, b, x, sides, 8, stream);
}

template <class Value>
void launch_solve(const Packed<Value>& matrix,
                  const Value* b,
                  Value* x,
                  std::int64_t sides,
                  const DeviceTuning& tuning,
                  cudaStream_t stream) {
  using yupana::cuda::check;
  const std::size_t words = static_cast<std::size_t>(matrix.rows) * static_cast<std::size_t>(sides);
  check(cudaMemsetAsync(x, 0xff, words * sizeof(Value), stream), "mark the results");
  if (matrix.strip_rows == 0) {
    launch_columns(matrix, 0, matrix.count, b, x, sides, tuning.queue_blocks, stream);
    return;
  }
  const auto kernel = strip_kernel<Value>;
  const std::size_t bytes = sizeof(Value) * static_cast<std::size_t>(matrix.strip_rows);
  const int threads = 32 * tuning.strip_warps;
  const std::int64_t most = std::int64_t{yupana::cuda::resident_blocks(kernel, threads, bytes)} *
                            yupana::cuda::device_facts().multiprocessors;
  const std::int64_t blocks = std::min(std::int64_t{matrix.strips} * sides, most);
  yupana::cuda::launch_cooperative("solve",
                                   kernel,
                                   {blocks, threads, static_cast<std::int64_t>(bytes)},
                                   stream,
                                   matrix,
                                   b,
                                   x,
                                   sides);
}

#define YUPANA_SOLVE(Value)                        \
  template void launch_tasks(const Packed<Value>&, \
                             std::int32_t,         \
                             std::int32_t,         \
                             const Value*,         \
                             Value*,               \
                             std::int64_t,         \
                             cudaStream_t);        \
  template void launch_solve(const Packed<Value>&, \
                             const Value*,         \
                             Value*,               \
                             std::int64_t,         \
                             const DeviceTuning&,  \
                             cudaStream_t);
YUPANA_SOLVE(float)
YUPANA_SOLVE(double)
#undef YUPANA_SOLVE

}  // namespace yupana::sparse::cuda
