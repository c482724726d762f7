#pragma once

#include <cstdint>

#include "yupana/sparse/mailbox.cuh"
#include "yupana/sparse/triangular_cuda.hpp"

/// Private to the family: how one warp solves the rows of its tasks.
namespace yupana::sparse::cuda {

inline constexpr unsigned everyone = 0xffffffffu;

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
  __device__ Word load(std::int32_t row, int side) const {
    if constexpr (local) {
      const std::int32_t at = turn(row) - strip;
      if (at >= 0) {
        return load_relaxed_shared(shared + static_cast<std::uint32_t>(at) * sizeof(Word), Word{});
      }
    }
    return load_relaxed(x + row * stride + side);
  }
  __device__ void put(std::int32_t row, int side, Value value) const {
    const Word word = Bits<Value>::of(value);
    if constexpr (local) {
      store_relaxed_shared(shared + static_cast<std::uint32_t>(turn(row) - strip) * sizeof(Word),
                           word);
    }
    store_relaxed(x + row * stride + side, word);
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
      if (part.column[k] >= 0) found[k] = results.load(part.column[k], side);
    }
    Value rest = part.b[side];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (part.column[k] < 0) continue;
      while (found[k] == absent) found[k] = results.load(part.column[k], side);
      rest = difference(rest, product(part.value[k], Bits<Value>::value(found[k])));
    }
    results.put(part.row, side, quotient(rest, part.diagonal));
  }
}

/// A result of an earlier row, which may not be there yet.
template <class Value, int sides>
struct Found {
  typename Bits<Value>::Word word[sides];

  template <bool local>
  __device__ void look(const Results<Value, sides, local>& results, std::int32_t column) {
#pragma unroll
    for (int side = 0; side < sides; ++side) word[side] = results.load(column, side);
  }
  template <bool local>
  __device__ void wait(const Results<Value, sides, local>& results,
                       std::int32_t column,
                       Value (&x)[sides]) {
#pragma unroll
    for (int side = 0; side < sides; ++side) {
      while (word[side] == Results<Value, sides, local>::absent) {
        word[side] = results.load(column, side);
      }
      x[side] = Bits<Value>::value(word[side]);
    }
  }
};

/// Adds products of the slices from the second on, `ahead` slices at a time. `columns` and `values`
/// of this lane: of a slice 32 after those of the one before.
template <int ahead, class Value, int sides, bool local>
__device__ inline void add_slices(const std::int32_t* columns,
                                  const Value* values,
                                  int slices,
                                  const Results<Value, sides, local>& results,
                                  Value (&partial)[sides]) {
  for (int slice = 1; slice < slices; slice += ahead) {
    std::int32_t column[ahead];
    Value value[ahead] = {}, x[sides];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      column[k] = slice + k < slices ? columns[(slice + k) * 32] : -1;
      if (column[k] >= 0) value[k] = values[(slice + k) * 32];
    }
    Found<Value, sides> found[ahead];
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      if (column[k] >= 0) found[k].look(results, column[k]);
    }
#pragma unroll
    for (int k = 0; k < ahead; ++k) {
      if (column[k] < 0) continue;
      found[k].wait(results, column[k], x);
#pragma unroll
      for (int side = 0; side < sides; ++side) {
        partial[side] = sum(partial[side], product(value[k], x[side]));
      }
    }
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
    Found<Value, sides> found;
    found.look(results, part.column[0]);
    found.wait(results, part.column[0], x);
#pragma unroll
    for (int side = 0; side < sides; ++side) partial[side] = product(part.value[0], x[side]);
  }
  const int slices = static_cast<int>(task.shape >> 9);
  const std::int32_t* columns = matrix.columns + task.entry + lane;
  const Value* values = matrix.values + task.entry + lane;
  if (sides == 1 && slices > 8) {  // loads of several are under way at once
    add_slices<4>(columns, values, slices, results, partial);
  } else {
    add_slices<1>(columns, values, slices, results, partial);
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

/// Tasks first, first + step, ... below last, in this order. Operands of later tasks
/// are loaded after a result is stored, never between a wait and the result that depends on it:
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

}  // namespace yupana::sparse::cuda
