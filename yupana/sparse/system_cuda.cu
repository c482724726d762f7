#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <vector>

#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/instantiate.hpp"
#include "yupana/sparse/pack_kernels_cuda.cuh"

namespace yupana::sparse::cuda {
namespace {

using namespace yupana::cuda;

constexpr int threads = 256;
constexpr std::int64_t max_rows = std::int64_t{1} << 29;  // (levels * 7 fits 32 bits)

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
  if (matrix.rows > max_rows) {
    throw Error(ErrorCode::out_of_resources,
                fmt::format("trisolve: expected at most {} rows on a GPU, got {}; use --device cpu",
                            max_rows,
                            matrix.rows));
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
  const yupana::cuda::DeviceFacts device = yupana::cuda::device_facts();
  // As many strips as blocks run at a time, unless a strip's results exceed shared memory.
  const std::int64_t share = (rows_ + device.multiprocessors - 1) / device.multiprocessors;
  const auto most =
      static_cast<std::int64_t>(static_cast<std::size_t>(device.max_shared_bytes) / sizeof(Value)) /
      32 * 32;
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

YUPANA_CLASSES(YUPANA_SPARSE, DeviceSystem)

}  // namespace yupana::sparse::cuda
