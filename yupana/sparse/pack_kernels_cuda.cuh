#pragma once

#include <cstdint>

#include "yupana/sparse/triangular_cuda.hpp"

/// Private to the family: the passes that turn levels into the layout that is solved.
namespace yupana::sparse::cuda {

/// Rows of a class that a warp solves at a time: one a lane up to class 2, then 2^class lanes each.
__host__ __device__ inline int rows_a_task(int row_class) {
  return row_class <= 2 || row_class == 6 ? 32 : 32 >> row_class;
}

__device__ inline std::int64_t index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

/// Entries off the diagonal.
template <class Value, class Index>
__device__ inline void range_of(const DeviceCsr<Value, Index>& matrix,
                                std::int64_t row,
                                std::int64_t& begin,
                                std::int64_t& end) {
  const bool upper = matrix.triangle == Triangle::upper;
  begin = matrix.begin[row];
  end = matrix.begin[row + 1];
  if (matrix.diagonal == nullptr) (upper ? begin : end) += upper ? 1 : -1;
}

// totals[0] += warps of the published packing.
__global__ void warps_kernel(const std::uint32_t* keys,
                             const std::int32_t* lengths,
                             std::int64_t runs,
                             std::int64_t* totals) {
  const std::int64_t r = index();
  unsigned long long warps = 0;
  if (r < runs) {
    warps = static_cast<unsigned long long>(warps_of(lengths[r], static_cast<int>(keys[r] % 7)));
  }
  for (int half = 16; half > 0; half /= 2) warps += __shfl_down_sync(0xffffffffu, warps, half);
  if (threadIdx.x % 32 == 0 && warps > 0) {
    atomicAdd(reinterpret_cast<unsigned long long*>(totals), warps);
  }
}

__global__ void strips_of_rows_kernel(const std::int32_t* rows,
                                      std::int64_t n,
                                      std::int32_t strip_rows,
                                      bool upper,
                                      std::uint32_t* strips) {
  const std::int64_t p = index();
  if (p < n) {
    const std::int32_t row = rows[p];
    strips[p] = static_cast<std::uint32_t>((upper ? n - 1 - row : row) / strip_rows);
  }
}

// (strip, level, class) of every position; strip_rows 0: one strip.
__global__ void wide_keys_kernel(const std::int32_t* rows,
                                 const std::uint32_t* keys,
                                 std::int64_t n,
                                 std::int32_t strip_rows,
                                 bool upper,
                                 std::uint64_t* wide) {
  const std::int64_t p = index();
  if (p >= n) return;
  const std::int32_t row = rows[p];
  const std::int64_t turn = upper ? n - 1 - row : row;
  const auto strip = static_cast<std::uint64_t>(strip_rows == 0 ? 0 : turn / strip_rows);
  wide[p] = strip << 32 | keys[row];
}

__global__ void tasks_of_runs_kernel(const std::uint64_t* keys,
                                     const std::int32_t* lengths,
                                     const std::int32_t* runs,
                                     std::int64_t room,
                                     std::int32_t* tasks) {
  const std::int64_t r = index();
  if (r > room) return;
  if (r >= *runs) {
    tasks[r] = 0;
    return;
  }
  const int each = rows_a_task(static_cast<int>(static_cast<std::uint32_t>(keys[r]) % 7));
  tasks[r] = (lengths[r] + each - 1) / each;
}

/// The last of [0, count) whose value is at most `value`; begins ascend from 0.
template <class T>
__device__ inline std::int32_t last_at_most(const T* begins, std::int32_t count, T value) {
  std::int32_t low = 0, high = count;
  while (high - low > 1) {
    const std::int32_t middle = low + (high - low) / 2;
    if (begins[middle] <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// Tasks without their places among the entries, and how many entries each has.
template <class Value, class Index>
__global__ void tasks_kernel(DeviceCsr<Value, Index> matrix,
                             const std::uint64_t* keys,
                             const std::int32_t* begins,
                             const std::int32_t* lengths,
                             const std::int32_t* task_begins,
                             const std::int32_t* runs,
                             const std::int32_t* rows,
                             Task* tasks,
                             std::int64_t* entries) {
  const auto t = static_cast<std::int32_t>(index());
  const std::int32_t count = task_begins[*runs];
  if (t > count) return;
  if (t == count) {
    entries[t] = 0;
    return;
  }
  const std::int32_t run = last_at_most(task_begins, *runs, t);
  const int row_class = static_cast<int>(static_cast<std::uint32_t>(keys[run]) % 7);
  const int each = rows_a_task(row_class);
  const std::int32_t offset = (t - task_begins[run]) * each;
  const int here = min(each, lengths[run] - offset);
  Task task{0, begins[run] + offset, static_cast<std::uint32_t>(here | row_class << 6)};
  std::int64_t padded = row_class == 6 ? 0 : std::int64_t{here} << row_class;
  if (row_class == 5) {
    std::int64_t begin, end;
    range_of(matrix, rows[task.first], begin, end);
    const std::int64_t slices = (end - begin + 31) / 32;
    task.shape |= static_cast<std::uint32_t>(slices) << 9;
    padded = slices * 32;
  } else {
    task.shape |= 1u << 9;
  }
  tasks[t] = task;
  entries[t] = padded;
}

// totals[1], [2], [3]: tasks, entries, runs.
__global__ void totals_kernel(const std::int32_t* task_begins,
                              const std::int32_t* runs,
                              const std::int64_t* entries,
                              std::int64_t* totals) {
  totals[1] = task_begins[*runs];
  totals[2] = entries[totals[1]];
  totals[3] = *runs;
}

__global__ void task_begins_kernel(const std::uint64_t* keys,
                                   const std::int32_t* task_begins,
                                   const std::int32_t* runs,
                                   std::int32_t strips,
                                   std::int32_t* begins) {
  const auto s = static_cast<std::int32_t>(index());
  if (s > strips) return;
  std::int32_t low = 0, high = *runs;
  while (low < high) {
    const std::int32_t middle = low + (high - low) / 2;
    if (keys[middle] >> 32 < static_cast<std::uint64_t>(s)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  begins[s] = task_begins[low];
}

// A warp writes one task: its place, and its entries as its lanes will read them.
template <class Value, class Index>
__global__ void fill_kernel(DeviceCsr<Value, Index> matrix,
                            const std::int64_t* entries,
                            const std::int32_t* rows,
                            std::int32_t count,
                            Task* tasks,
                            std::int32_t* columns,
                            Value* values,
                            Value* diagonal) {
  const std::int64_t t = index() / 32;
  const int lane = threadIdx.x % 32;
  if (t >= count) return;
  Task task = tasks[t];
  task.entry = entries[t];
  if (lane == 0) tasks[t].entry = task.entry;
  const int here = task.shape & 63, row_class = task.shape >> 6 & 7;
  const bool is_short = row_class <= 2 || row_class == 6;
  const int shift = is_short ? 0 : row_class, lanes = 1 << shift;
  if (lane >= here << shift) return;
  const std::int32_t position = task.first + (lane >> shift);
  const std::int64_t row = rows[position];
  std::int64_t begin, end;
  range_of(matrix, row, begin, end);
  if ((lane & (lanes - 1)) == 0) {
    const bool upper = matrix.triangle == Triangle::upper;
    diagonal[position] =
        matrix.diagonal != nullptr ? matrix.diagonal[row] : matrix.values[upper ? begin - 1 : end];
  }
  const int slices =
      is_short ? (row_class == 6 ? 0 : 1 << row_class) : static_cast<int>(task.shape >> 9);
  const int stride = is_short ? here : 32;
  for (int slice = 0; slice < slices; ++slice) {
    const std::int64_t from = begin + std::int64_t{slice} * lanes + (lane & (lanes - 1));
    const std::int64_t to = task.entry + std::int64_t{slice} * stride + lane;
    columns[to] = from < end ? static_cast<std::int32_t>(matrix.columns[from]) : -1;
    values[to] = from < end ? matrix.values[from] : Value{0};
  }
}

}  // namespace yupana::sparse::cuda
