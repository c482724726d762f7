// Over 400 lines with its kernels: the passes that turn levels into the layout that is solved
// belong together, each a few lines.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/error.hpp"
#include "yupana/sparse/triangular_cuda.hpp"

namespace yupana::sparse::cuda {
namespace {

using yupana::cuda::check;
using yupana::cuda::check_launch;

constexpr int threads = 256;
constexpr std::int64_t most_rows = std::int64_t{1} << 29;  // (levels * 7 fits 32 bits)

unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>(std::max<std::int64_t>(1, (n + threads - 1) / threads));
}

template <class T>
void reserve(DeviceArray<T>& array, std::int64_t size) {
  if (array.size() < size) {
    array = DeviceArray<T>();  // the old one goes first
    array = DeviceArray<T>(size);
  }
}

template <class T>
void copy_out(T* to, const T* from, std::int64_t count, cudaStream_t stream) {
  if (count == 0) return;
  check(cudaMemcpyAsync(
            to, from, sizeof(T) * static_cast<std::size_t>(count), cudaMemcpyDeviceToHost, stream),
        "copy from the device");
}

int bits_of(std::uint64_t largest) {
  int bits = 1;
  while (bits < 64 && largest >> bits != 0) ++bits;
  return bits;
}

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

/// The last of [0, count) whose value is at most `wanted`; begins ascend from 0.
template <class T>
__device__ inline std::int32_t last_at_most(const T* begins, std::int32_t count, T wanted) {
  std::int32_t low = 0, high = count;
  while (high - low > 1) {
    const std::int32_t middle = low + (high - low) / 2;
    if (begins[middle] <= wanted) {
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
  std::int64_t wanted = row_class == 6 ? 0 : std::int64_t{here} << row_class;
  if (row_class == 5) {
    std::int64_t begin, end;
    range_of(matrix, rows[task.first], begin, end);
    const std::int64_t slices = (end - begin + 31) / 32;
    task.shape |= static_cast<std::uint32_t>(slices) << 9;
    wanted = slices * 32;
  } else {
    task.shape |= 1u << 9;
  }
  tasks[t] = task;
  entries[t] = wanted;
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

}  // namespace

template <class Value, class Index>
template <class Call>
void DeviceSystem<Value, Index>::with_scratch(const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), "ask for scratch memory");
  reserve(scratch_, static_cast<std::int64_t>(bytes) + 1);
  check(call(scratch_.data(), bytes), "sort, encode or scan on the device");
}

template <class Value, class Index>
void DeviceSystem<Value, Index>::analyse(const DeviceCsr<Value, Index>& matrix) {
  if (matrix.rows > most_rows) {
    throw Error(
        ErrorCode::out_of_resources,
        fmt::format(
            "trisolve: {} rows; a GPU takes at most {}: use --device cpu", matrix.rows, most_rows));
  }
  rows_ = matrix.rows;
  upper_ = matrix.triangle == Triangle::upper;
  levels_ = warps_ = runs_ = 0;
  packed_ = {};
  if (rows_ == 0) return;
  const auto n = static_cast<int>(rows_);
  reserve(level_, n);
  reserve(key_, n);
  reserve(sorted_key_, n);
  reserve(row_, n);
  reserve(order_, n);
  reserve(run_key_, n);
  reserve(run_length_, n);
  reserve(totals_, 4);
  auto* counts = reinterpret_cast<std::int32_t*>(totals_.data() + 1);  // runs, depth
  // Tasks are made later: their memory holds the entries while levels are found.
  reserve(tasks_, n);
  static_assert(sizeof(Task) == sizeof(RowEntries));
  launch_levels(matrix,
                level_.data(),
                key_.data(),
                row_.data(),
                reinterpret_cast<RowEntries*>(tasks_.data()),
                counts + 1,
                tuning_,
                stream_);
  std::int32_t depth = 0;
  copy_out(&depth, counts + 1, 1, stream_);
  stream_.wait();
  levels_ = depth;
  const int bits = bits_of(static_cast<std::uint64_t>(levels_) * 7 - 1);
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch,
                                           bytes,
                                           key_.data(),
                                           sorted_key_.data(),
                                           row_.data(),
                                           order_.data(),
                                           n,
                                           0,
                                           bits,
                                           stream_);
  });
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(scratch,
                                              bytes,
                                              sorted_key_.data(),
                                              run_key_.data(),
                                              run_length_.data(),
                                              counts,
                                              n,
                                              stream_);
  });
  std::int32_t runs = 0;
  copy_out(&runs, counts, 1, stream_);
  check(cudaMemsetAsync(totals_.data(), 0, sizeof(std::int64_t), stream_), "clear a total");
  stream_.wait();
  runs_ = runs;
  warps_kernel<<<blocks_for(runs), threads, 0, stream_>>>(
      run_key_.data(), run_length_.data(), runs, totals_.data());
  check_launch("warps_kernel");
  copy_out(&warps_, totals_.data(), 1, stream_);
  stream_.wait();
}

/// Rows by strip, then as before.
template <class Value, class Index>
void DeviceSystem<Value, Index>::order_by_strips() {
  const auto n = static_cast<int>(rows_);
  reserve(strip_row_, n);
  // The analysis' keys by position are not needed any more: they hold the strips while sorting.
  reserve(wide_key_, n);
  auto* sorted = reinterpret_cast<std::uint32_t*>(wide_key_.data());
  strips_of_rows_kernel<<<blocks_for(n), threads, 0, stream_>>>(
      order_.data(), n, strip_rows_, upper_, sorted_key_.data());
  check_launch("strips_of_rows_kernel");
  const int bits = bits_of(static_cast<std::uint64_t>(strips_ - 1));
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch,
                                           bytes,
                                           sorted_key_.data(),
                                           sorted,
                                           order_.data(),
                                           strip_row_.data(),
                                           n,
                                           0,
                                           bits,
                                           stream_);
  });
}

/// Runs of equal (strip, level, class) and the tasks of each; totals_ on the host afterwards.
template <class Value, class Index>
void DeviceSystem<Value, Index>::make_tasks(const DeviceCsr<Value, Index>& matrix) {
  const auto n = static_cast<int>(rows_);
  const std::int32_t* rows = strip_rows_ > 0 ? strip_row_.data() : order_.data();
  reserve(wide_key_, n);
  reserve(wide_run_key_, n);
  reserve(run_begin_, n + 1);
  reserve(run_tasks_, n + 1);
  reserve(wide_run_length_, n);
  reserve(entries_, n + 1);
  reserve(tasks_, n);
  auto* runs = reinterpret_cast<std::int32_t*>(totals_.data());
  wide_keys_kernel<<<blocks_for(n), threads, 0, stream_>>>(
      rows, key_.data(), n, strip_rows_, upper_, wide_key_.data());
  check_launch("wide_keys_kernel");
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRunLengthEncode::Encode(scratch,
                                              bytes,
                                              wide_key_.data(),
                                              wide_run_key_.data(),
                                              wide_run_length_.data(),
                                              runs,
                                              n,
                                              stream_);
  });
  tasks_of_runs_kernel<<<blocks_for(n + 1), threads, 0, stream_>>>(
      wide_run_key_.data(), wide_run_length_.data(), runs, n, run_tasks_.data());
  check_launch("tasks_of_runs_kernel");
  for (DeviceArray<std::int32_t>* begins : {&run_begin_, &run_tasks_}) {
    const std::int32_t* from = begins == &run_begin_ ? wide_run_length_.data() : run_tasks_.data();
    with_scratch([&](void* scratch, std::size_t& bytes) {
      return cub::DeviceScan::ExclusiveSum(
          scratch, bytes, from, begins->data(), begins == &run_begin_ ? n : n + 1, stream_);
    });
  }
  tasks_kernel<<<blocks_for(n + 1), threads, 0, stream_>>>(matrix,
                                                           wide_run_key_.data(),
                                                           run_begin_.data(),
                                                           wide_run_length_.data(),
                                                           run_tasks_.data(),
                                                           runs,
                                                           rows,
                                                           tasks_.data(),
                                                           entries_.data());
  check_launch("tasks_kernel");
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(
        scratch, bytes, entries_.data(), entries_.data(), n + 1, stream_);
  });
  totals_kernel<<<1, 1, 0, stream_>>>(run_tasks_.data(), runs, entries_.data(), totals_.data());
  check_launch("totals_kernel");
}

template <class Value, class Index>
void DeviceSystem<Value, Index>::pack(const DeviceCsr<Value, Index>& matrix, bool by_level) {
  packed_ = {};
  level_task_.clear();
  if (rows_ == 0) return;
  const auto& [multiprocessors, room] = yupana::cuda::device_facts();
  // As many strips as blocks run at a time, unless a strip's results exceed shared memory.
  const std::int64_t share = (rows_ + multiprocessors - 1) / multiprocessors;
  const auto most = static_cast<std::int64_t>(room / sizeof(Value)) / 32 * 32;
  strip_rows_ = static_cast<std::int32_t>(
      std::min(most, std::max<std::int64_t>(256, (share + 31) / 32 * 32)));
  strips_ = static_cast<std::int32_t>((rows_ + strip_rows_ - 1) / strip_rows_);
  if (by_level || tuning_.strips == 0) strip_rows_ = 0;
  for (;;) {
    if (strip_rows_ > 0) order_by_strips();
    make_tasks(matrix);
    std::int64_t totals[4];
    copy_out(totals, totals_.data(), 4, stream_);
    stream_.wait();
    // A strip works on one level at a time, on one multiprocessor: with many rows of one level in a
    // strip (rows sorted by level, or few levels) all of them should work on it instead.
    if (strip_rows_ > 0 && tuning_.strips < 0 && rows_ > 512 * totals[3]) {
      strip_rows_ = 0;
      continue;
    }
    packed_.count = static_cast<std::int32_t>(totals[1]);
    reserve(column_, totals[2]);
    reserve(value_, totals[2]);
    break;
  }
  reserve(diagonal_, rows_);
  if (strip_rows_ > 0) {
    reserve(task_begin_, strips_ + 1);
    task_begins_kernel<<<blocks_for(strips_ + 1), threads, 0, stream_>>>(
        wide_run_key_.data(),
        run_tasks_.data(),
        reinterpret_cast<const std::int32_t*>(totals_.data() + 3),
        strips_,
        task_begin_.data());
    check_launch("task_begins_kernel");
  }
  packed_ = {tasks_.data(),
             strip_rows_ > 0 ? task_begin_.data() : nullptr,
             strip_rows_ > 0 ? strip_row_.data() : order_.data(),
             diagonal_.data(),
             column_.data(),
             value_.data(),
             static_cast<std::int32_t>(rows_),
             packed_.count,
             strip_rows_,
             strips_,
             upper_};
  update_values(matrix);
  if (by_level) find_level_tasks();
}

template <class Value, class Index>
void DeviceSystem<Value, Index>::update_values(const DeviceCsr<Value, Index>& matrix) {
  if (packed_.count == 0) return;
  fill_kernel<<<blocks_for(std::int64_t{packed_.count} * 32), threads, 0, stream_>>>(
      matrix,
      entries_.data(),
      packed_.row,
      packed_.count,
      tasks_.data(),
      column_.data(),
      value_.data(),
      diagonal_.data());
  check_launch("fill_kernel");
  stream_.wait();
}

template <class Value, class Index>
void DeviceSystem<Value, Index>::find_level_tasks() {
  std::int64_t runs = 0;
  copy_out(&runs, totals_.data() + 3, 1, stream_);
  stream_.wait();
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(runs));
  std::vector<std::int32_t> tasks(static_cast<std::size_t>(runs));
  copy_out(keys.data(), wide_run_key_.data(), runs, stream_);
  copy_out(tasks.data(), run_tasks_.data(), runs, stream_);
  stream_.wait();
  for (std::size_t r = 0; r < keys.size(); ++r) {
    if (r == 0 || keys[r] / 7 != keys[r - 1] / 7) level_task_.push_back(tasks[r]);
  }
  level_task_.push_back(packed_.count);
}

template <class Value, class Index>
void DeviceSystem<Value, Index>::solve(const Value* b, Value* x, std::int64_t sides) {
  if (rows_ > 0 && sides > 0) launch_solve(packed_, b, x, sides, tuning_, stream_);
}

template <class Value, class Index>
void DeviceSystem<Value, Index>::solve_levels(const Value* b, Value* x, std::int64_t sides) {
  if (sides == 0) return;
  for (std::size_t l = 0; l + 1 < level_task_.size(); ++l) {
    launch_tasks(packed_, level_task_[l], level_task_[l + 1], b, x, sides, stream_);
  }
}

template <class Value, class Index>
LevelAnalysis<Index> DeviceSystem<Value, Index>::analysis() const {
  LevelAnalysis<Index> result;
  result.levels = levels_;
  result.warps = warps_;
  result.level = Array<Index>(rows_);
  result.row_class = Array<std::uint8_t>(rows_);
  result.order = Array<Index>(rows_);
  std::vector<std::uint32_t> keys(static_cast<std::size_t>(rows_)), run_keys;
  std::vector<std::int32_t> order(static_cast<std::size_t>(rows_)), lengths;
  run_keys.resize(static_cast<std::size_t>(runs_));
  lengths.resize(static_cast<std::size_t>(runs_));
  copy_out(keys.data(), key_.data(), rows_, stream_);
  copy_out(order.data(), order_.data(), rows_, stream_);
  copy_out(run_keys.data(), run_key_.data(), runs_, stream_);
  copy_out(lengths.data(), run_length_.data(), runs_, stream_);
  stream_.wait();
  for (std::int64_t i = 0; i < rows_; ++i) {
    const std::uint32_t key = keys[static_cast<std::size_t>(i)];
    result.level[i] = static_cast<Index>(key / 7 + 1);
    result.row_class[i] = static_cast<std::uint8_t>(key % 7);
    result.order[i] = static_cast<Index>(order[static_cast<std::size_t>(i)]);
  }
  for (std::size_t r = 0; r < run_keys.size(); ++r) {
    const int row_class = static_cast<int>(run_keys[r] % 7);
    result.keys.push_back(
        {run_keys[r] / 7 + 1, row_class, lengths[r], warps_of(lengths[r], row_class)});
  }
  return result;
}

template class DeviceSystem<float, std::int32_t>;
template class DeviceSystem<float, std::int64_t>;
template class DeviceSystem<double, std::int32_t>;
template class DeviceSystem<double, std::int64_t>;

}  // namespace yupana::sparse::cuda
