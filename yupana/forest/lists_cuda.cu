#include <algorithm>
#include <bit>
#include <utility>

#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/lists_cuda.hpp"

namespace yupana::forest::cuda {

using yupana::cuda::check;
using yupana::cuda::check_launch;
using yupana::cuda::DeviceArray;

namespace {

constexpr int threads = 256;

unsigned blocks_of_threads(std::int64_t count) {
  return static_cast<unsigned>(std::min<std::int64_t>(divide_up(count, threads), 1 << 20));
}
__device__ std::int64_t thread_number() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ std::int64_t thread_count() { return std::int64_t{gridDim.x} * threads; }

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Keys in order of the values: both zeros alike, NaN last with all bits set. chosen: the rows of
/// the column; null: the first ones.
template <class T>
__global__ void __launch_bounds__(threads) keys_kernel(
    const T* column, RowList chosen, std::int64_t rows, KeyOf<T>* keys, std::uint32_t* order) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    const T value = column[chosen == nullptr ? i : chosen[i]];
    const T x = value == 0 ? T{0} : value;
    Key bits;
    memcpy(&bits, &x, sizeof(bits));
    bits = (bits & sign) != 0 ? ~bits : bits | sign;
    keys[i] = x != x ? ~Key{0} : bits;
    order[i] = static_cast<std::uint32_t>(i);
  }
}

template <class Key>
__global__ void __launch_bounds__(threads)
    changes_kernel(const Key* keys, std::int64_t rows, std::uint32_t* ranks) {
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    ranks[i] = i > 0 && keys[i] != ~Key{0} && keys[i] != keys[i - 1];
  }
}

/// summary: the largest rank of a value, and whether there are missing ones.
template <class Key>
__global__ void __launch_bounds__(threads) missing_ranks_kernel(const Key* keys,
                                                                std::int64_t rows,
                                                                std::uint32_t* ranks,
                                                                std::uint32_t* summary) {
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    if (i == rows - 1) {
      summary[0] = ranks[i];
      summary[1] = keys[i] == ~Key{0};
    }
    if (keys[i] == ~Key{0}) ranks[i] = missing_rank;
  }
}

__global__ void __launch_bounds__(threads) pack_kernel(
    std::uint32_t* keys, const std::uint32_t* rows, std::int64_t count, int bits, Labels labels) {
  for (std::int64_t i = thread_number(); i < count; i += thread_count()) {
    keys[i] = packed(keys[i], rows[i], bits, labels);
  }
}

int class_bits_of(const DeviceSorted& sorted, const Problem& problem) {
  if (problem.classes < 2) return problem.classes;
  const int bits = std::bit_width(static_cast<std::uint32_t>(problem.classes - 1));
  // The largest rank that fits stands for missing values.
  return sorted.most_rank < (missing_rank >> bits) ? bits : 0;
}

/// A table's features on their way to the device, two at a time, in a stream of their own.
template <class T>
class Columns {
 public:
  Columns(Upload& upload, const OwnRows& rows) : upload_(upload), rows_(rows) {
    for (Slot& slot : slots_) slot.values = DeviceArray<T>(rows.count);
  }
  /// The next one, there when `stream` comes to it.
  const T* next(const T* from, cudaStream_t stream) {
    Slot& slot = slots_[at_ ^= 1];
    slot.used.hold(copies_);
    upload_.copy(slot.values.data(), from, rows_.host, rows_.count, copies_);
    slot.copied.record(copies_);
    slot.copied.hold(stream);
    return slot.values.data();
  }
  /// `stream` does not look at the last one any more.
  void used(cudaStream_t stream) { slots_[at_].used.record(stream); }

 private:
  struct Slot {
    DeviceArray<T> values;
    yupana::cuda::Event copied, used;
  };
  Upload& upload_;
  OwnRows rows_;
  yupana::cuda::Stream copies_;
  Slot slots_[2];
  int at_ = 0;
};

}  // namespace

Lists empty_lists(const DeviceSorted& sorted, const Problem& problem, std::int64_t size) {
  Lists lists;
  lists.size = size;
  lists.features = sorted.features;
  lists.class_bits = class_bits_of(sorted, problem);
  lists.missing_key = missing_rank >> lists.class_bits << lists.class_bits;
  return lists;
}

DeviceLabels::DeviceLabels(Upload& upload,
                           const Problem& problem,
                           const OwnRows& rows,
                           std::int64_t most,
                           cudaStream_t stream) {
  const auto of_rows = [&](auto& to, const auto* from) {
    to = upload.array(from, rows.host, rows.count, stream);
    return to.data();
  };
  const auto copied = [&](auto& to, const auto* from, std::int64_t count) {
    to = upload.array(from, nullptr, count, stream);
    return to.data();
  };
  if (problem.classes > 0) {
    view_.codes = of_rows(codes_, problem.codes);
  } else {
    view_.moments = of_rows(moments_, problem.moments.data());
    view_.squares = of_rows(squares_, problem.squares.data());
    view_.values = of_rows(values_, problem.values);
  }
  if (!problem.weights.empty()) view_.weights = of_rows(weights_, problem.weights.data());
  if (problem.criterion != Criterion::entropy) return;
  view_.count_log_bits = problem.count_log_bits;
  view_.log_table = copied(log_table_, &log_table, 1);
  if (!problem.weights.empty()) return;
  Array<std::int64_t> logs(most + 1);
  upload.context().parallel_for(most + 1, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) logs[n] = problem.count_log(n);
  });
  view_.count_logs = copied(count_logs_, logs.data(), most + 1);
  view_.count_log_size = most + 1;
}

template <class T>
DeviceSorted sort_table(TableView<T> table,
                        const OwnRows& rows,
                        const T* resident,
                        Upload& upload,
                        arrays::cuda::Workspace& space,
                        cudaStream_t stream) {
  const std::int64_t n = rows.count;
  DeviceSorted sorted;
  sorted.rows = n;
  sorted.features = static_cast<int>(table.columns);
  sorted.ranks = DeviceArray<std::uint32_t>(n * table.columns);
  sorted.order = DeviceArray<std::uint32_t>(n * table.columns);
  DeviceArray<std::uint32_t> summaries(2 * table.columns);
  DeviceArray<KeyOf<T>> keys(n);
  Columns<T> columns(upload, resident == nullptr ? rows : OwnRows());
  const unsigned blocks = blocks_of_threads(n);
  for (std::int64_t f = 0; f < table.columns; ++f) {
    upload.context().check_cancelled();
    const T* values =
        resident == nullptr ? columns.next(table.column(f), stream) : resident + f * table.rows;
    std::uint32_t* order = sorted.order.data() + f * n;
    std::uint32_t* ranks = sorted.ranks.data() + f * n;
    keys_kernel<T><<<blocks, threads, 0, stream>>>(
        values, resident == nullptr ? nullptr : rows.device, n, keys.data(), order);
    check_launch("make keys");
    if (resident == nullptr) columns.used(stream);
    arrays::cuda::radix_sort_unsigned(
        space, stream, arrays::Columns<KeyOf<T>, std::uint32_t>{keys.data(), order}, n);
    changes_kernel<<<blocks, threads, 0, stream>>>(keys.data(), n, ranks);
    check_launch("compare values");
    arrays::cuda::inclusive_scan(space, stream, ranks, n, ranks);
    missing_ranks_kernel<<<blocks, threads, 0, stream>>>(
        keys.data(), n, ranks, summaries.data() + 2 * f);
    check_launch("rank values");
  }
  std::vector<std::uint32_t> host(static_cast<std::size_t>(2 * table.columns));
  check(cudaMemcpyAsync(
            host.data(), summaries.data(), summaries.bytes(), cudaMemcpyDeviceToHost, stream),
        "read ranks");
  check(cudaStreamSynchronize(stream), "sort features");
  for (std::size_t f = 0; f < host.size() / 2; ++f) {
    sorted.most_rank = std::max(sorted.most_rank, host[2 * f]);
    sorted.has_missing.push_back(host[2 * f + 1] != 0);
  }
  return sorted;
}

OwnLists take_lists(DeviceSorted&& sorted,
                    const Problem& problem,
                    const Labels& labels,
                    cudaStream_t stream) {
  OwnLists lists;
  lists.view = empty_lists(sorted, problem, sorted.rows);
  lists.keys = std::move(sorted.ranks);
  lists.rows = std::move(sorted.order);
  lists.view.keys = lists.keys.data();
  lists.view.rows = lists.rows.data();
  if (lists.view.class_bits == 0) return lists;
  pack_kernel<<<blocks_of_threads(lists.keys.size()), threads, 0, stream>>>(
      lists.keys.data(), lists.rows.data(), lists.keys.size(), lists.view.class_bits, labels);
  check_launch("pack keys");
  return lists;
}

template DeviceSorted sort_table(TableView<float>,
                                 const OwnRows&,
                                 const float*,
                                 Upload&,
                                 arrays::cuda::Workspace&,
                                 cudaStream_t);
template DeviceSorted sort_table(TableView<double>,
                                 const OwnRows&,
                                 const double*,
                                 Upload&,
                                 arrays::cuda::Workspace&,
                                 cudaStream_t);

}  // namespace yupana::forest::cuda
