#include <algorithm>
#include <bit>
#include <utility>

#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/lists_cuda.hpp"

namespace yupana::forest::cuda {

using namespace yupana::cuda;

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
  // The largest rank that fits means missing values.
  return sorted.max_rank < (missing_rank >> bits) ? bits : 0;
}

/// What sorts the features of one table one after the other.
template <class T>
class FeatureSort {
 public:
  FeatureSort(DeviceSorted& sorted, arrays::cuda::Workspace& space, cudaStream_t stream)
      : sorted_(sorted),
        space_(space),
        stream_(stream),
        keys_(sorted.rows),
        summaries_(2 * sorted.features) {}

  /// values: of feature f, in the stream's order; of all rows where some are `chosen`.
  void sort(std::int64_t f, const T* values, RowList chosen) {
    const std::int64_t n = sorted_.rows;
    const unsigned blocks = blocks_of_threads(n);
    std::uint32_t* order = sorted_.order.data() + f * n;
    std::uint32_t* ranks = sorted_.ranks.data() + f * n;
    keys_kernel<T><<<blocks, threads, 0, stream_>>>(values, chosen, n, keys_.data(), order);
    check_launch("make keys");
    arrays::cuda::radix_sort_unsigned(
        space_, stream_, arrays::Columns<KeyOf<T>, std::uint32_t>{keys_.data(), order}, n);
    changes_kernel<<<blocks, threads, 0, stream_>>>(keys_.data(), n, ranks);
    check_launch("compare values");
    arrays::cuda::inclusive_scan(space_, stream_, ranks, n, ranks);
    missing_ranks_kernel<<<blocks, threads, 0, stream_>>>(
        keys_.data(), n, ranks, summaries_.data() + 2 * f);
    check_launch("rank values");
  }

  /// Waits for all of them.
  void summarize() {
    const std::vector<std::uint32_t> host = downloaded(summaries_, stream_);
    for (std::size_t f = 0; f < host.size() / 2; ++f) {
      sorted_.max_rank = std::max(sorted_.max_rank, host[2 * f]);
      sorted_.has_missing.push_back(host[2 * f + 1] != 0);
    }
  }

 private:
  DeviceSorted& sorted_;
  arrays::cuda::Workspace& space_;
  cudaStream_t stream_;
  ReservedArray<KeyOf<T>> keys_;
  ReservedArray<std::uint32_t> summaries_;
};

/// A table's features, sorted as they arrive. `values` has room for them all.
template <class T>
void sort_on_arrival(TableView<T> table,
                     const OwnRows& rows,
                     T* values,
                     Upload& upload,
                     FeatureSort<T>& features,
                     cudaStream_t stream) {
  const yupana::cuda::Stream copies;
  const yupana::cuda::Event turn;
  // What was in that memory before may still be in use.
  turn.record(stream);
  turn.hold(copies);
  upload.columns(
      values,
      [&](std::int64_t c) { return table.column(c); },
      table.columns,
      rows.host,
      rows.count,
      copies,
      [&](std::int64_t f) {
        turn.record(copies);
        turn.hold(stream);
        features.sort(f, values + f * rows.count, nullptr);
      });
}

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
  DeviceSorted sorted;
  sorted.rows = rows.count;
  sorted.features = static_cast<int>(table.columns);
  sorted.ranks = ReservedArray<std::uint32_t>(rows.count * table.columns);
  sorted.order = ReservedArray<std::uint32_t>(rows.count * table.columns);
  FeatureSort<T> features(sorted, space, stream);
  ReservedArray<T> values(resident == nullptr ? rows.count * table.columns : 0);
  if (resident == nullptr) sort_on_arrival(table, rows, values.data(), upload, features, stream);
  for (std::int64_t f = 0; resident != nullptr && f < table.columns; ++f) {
    upload.context().check_cancelled();
    features.sort(f, resident + f * table.rows, rows.device);
  }
  features.summarize();
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

YUPANA_FUNCTIONS(YUPANA_FLOATS, sort_table)

}  // namespace yupana::forest::cuda
