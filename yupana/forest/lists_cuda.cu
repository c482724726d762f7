#include <algorithm>
#include <bit>
#include <utility>

#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/lists_cuda.hpp"
#include "yupana/forest/scan_cuda.cuh"

namespace yupana::forest::cuda {

using yupana::cuda::check;
using yupana::cuda::check_launch;
using yupana::cuda::DeviceArray;

namespace {

constexpr int warps = 8;
constexpr int threads = 32 * warps;

unsigned blocks_of_threads(std::int64_t count) {
  return static_cast<unsigned>(std::min<std::int64_t>(divide_up(count, threads), 1 << 20));
}
unsigned blocks_of(std::int64_t warp_count) {
  return static_cast<unsigned>(divide_up(warp_count, warps));
}
__device__ std::int64_t thread_number() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ std::int64_t thread_count() { return std::int64_t{gridDim.x} * threads; }

template <class T>
using KeyOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Keys in order of the values: both zeros alike, NaN last with all bits set.
template <class T>
__global__ void __launch_bounds__(threads)
    keys_kernel(const T* column, std::int64_t rows, KeyOf<T>* keys, std::uint32_t* order) {
  using Key = KeyOf<T>;
  constexpr Key sign = Key{1} << (8 * sizeof(Key) - 1);
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    const T x = column[i] == 0 ? T{0} : column[i];
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

__device__ std::uint32_t packed(std::uint32_t rank,
                                std::uint32_t row,
                                int bits,
                                const Labels& labels) {
  return bits == 0 ? rank : rank << bits | static_cast<std::uint32_t>(labels.codes[row]);
}

__global__ void __launch_bounds__(threads) pack_kernel(
    std::uint32_t* keys, const std::uint32_t* rows, std::int64_t count, int bits, Labels labels) {
  for (std::int64_t i = thread_number(); i < count; i += thread_count()) {
    keys[i] = packed(keys[i], rows[i], bits, labels);
  }
}

/// A sorted table's place of a lane: how often its row stands in a tree's list, and its rank.
struct Source {
  std::int64_t rows;
  int features;
  const std::uint32_t* ranks;
  const std::uint32_t* order;

  __host__ __device__ std::int64_t strips() const { return (rows + strip_size - 1) / strip_size; }
};

__device__ int times(const Labels& labels, const std::uint8_t* repeats, std::uint32_t row) {
  return labels.weights != nullptr && labels.weights[row] == 0 ? 0 : repeats[row];
}

__global__ void __launch_bounds__(threads) count_repeats_kernel(Source source,
                                                                Labels labels,
                                                                const std::uint8_t* repeats,
                                                                std::int64_t* strip_sums) {
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  const std::int64_t strip = warp / source.features;
  if (strip >= source.strips()) return;
  const std::int64_t feature = warp % source.features;
  std::int64_t sum = 0;
  for (int i = lane_id(); i < strip_size; i += 32) {
    const std::int64_t place = strip * strip_size + i;
    if (place < source.rows) {
      sum += times(labels, repeats, source.order[feature * source.rows + place]);
    }
  }
  sum = warp_sum(sum);
  if (lane_id() == 0) strip_sums[feature * source.strips() + strip] = sum;
}

__global__ void __launch_bounds__(threads) repeat_kernel(Source source,
                                                         Labels labels,
                                                         const std::uint8_t* repeats,
                                                         const std::int64_t* strip_sums,
                                                         std::int64_t begin,
                                                         Lists to) {
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  const std::int64_t strip = warp / source.features;
  if (strip >= source.strips()) return;
  const std::int64_t feature = warp % source.features;
  std::int64_t before = begin + strip_sums[feature * source.strips() + strip];
  for (int i = lane_id(); i < strip_size; i += 32) {
    const std::int64_t place = strip * strip_size + i;
    const bool inside = place < source.rows;
    const std::int64_t at = feature * source.rows + place;
    const std::uint32_t row = inside ? source.order[at] : 0;
    const int count = inside ? times(labels, repeats, row) : 0;
    const int through = inclusive(count);
    if (count > 0) {
      const std::uint32_t key = packed(source.ranks[at], row, to.class_bits, labels);
      const std::int64_t target = feature * to.size + before + through - count;
      for (int time = 0; time < count; ++time) {
        to.keys[target + time] = key;
        to.rows[target + time] = row;
      }
    }
    before += shuffled(through, 31);
  }
}

/// The tree of a row; `trees` for none.
__device__ std::uint32_t part_of_row(const Labels& labels,
                                     const std::uint32_t* part_of,
                                     std::uint32_t first,
                                     std::uint32_t row,
                                     std::uint32_t trees) {
  if (labels.weights != nullptr && labels.weights[row] == 0) return trees;
  return min(part_of[row] - first, trees);  // of trees before: a large number
}

/// counts: (feature, tree, strip); with `to`, deals the entries, and counts are those before.
template <bool deals>
__global__ void __launch_bounds__(threads) deal_kernel(Source source,
                                                       Labels labels,
                                                       const std::uint32_t* part_of,
                                                       std::uint32_t first,
                                                       int trees,
                                                       std::int64_t* counts,
                                                       const std::int64_t* begins,
                                                       Lists to) {
  __shared__ std::int64_t places[warps][most_dealt];
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps + threadIdx.x / 32;
  const std::int64_t strip = warp / source.features;
  if (strip >= source.strips()) return;
  const std::int64_t feature = warp % source.features;
  std::int64_t* own = places[threadIdx.x / 32];
  std::int64_t* strip_counts = counts + feature * trees * source.strips() + strip;
  for (int t = lane_id(); t < trees; t += 32) {
    own[t] = deals ? begins[t] + strip_counts[t * source.strips()] : 0;
  }
  __syncwarp();
  for (int i = lane_id(); i < strip_size; i += 32) {
    const std::int64_t place = strip * strip_size + i;
    const std::int64_t at = feature * source.rows + min(place, source.rows - 1);
    const std::uint32_t row = source.order[at];
    const std::uint32_t tree = place < source.rows ? part_of_row(labels, part_of, first, row, trees)
                                                   : static_cast<std::uint32_t>(trees);
    const unsigned alike = __match_any_sync(all_lanes, tree);
    const bool counts_here = tree < static_cast<std::uint32_t>(trees);
    if (deals && counts_here) {
      const std::int64_t target = feature * to.size + own[tree] + __popc(alike & lanes_below());
      to.keys[target] = packed(source.ranks[at], row, to.class_bits, labels);
      to.rows[target] = row;
    }
    __syncwarp();
    if (counts_here && (alike & lanes_below()) == 0) own[tree] += __popc(alike);
    __syncwarp();
  }
  if constexpr (!deals) {
    for (int t = lane_id(); t < trees; t += 32) strip_counts[t * source.strips()] = own[t];
  }
}

int class_bits_of(const DeviceSorted& sorted, const Problem& problem) {
  if (problem.classes < 2) return problem.classes;
  const int bits = std::bit_width(static_cast<std::uint32_t>(problem.classes - 1));
  // The largest rank that fits stands for missing values.
  return sorted.most_rank < (missing_rank >> bits) ? bits : 0;
}

Lists empty_lists(const DeviceSorted& sorted, const Problem& problem, std::int64_t size) {
  Lists lists;
  lists.size = size;
  lists.features = sorted.features;
  lists.class_bits = class_bits_of(sorted, problem);
  lists.missing_key = missing_rank >> lists.class_bits << lists.class_bits;
  return lists;
}

OwnLists new_lists(const DeviceSorted& sorted,
                   const Problem& problem,
                   const std::vector<Part>& parts) {
  std::int64_t size = 0;
  for (const Part& part : parts) size += part.size;
  OwnLists lists;
  lists.keys = DeviceArray<std::uint32_t>(size * sorted.features);
  lists.rows = DeviceArray<std::uint32_t>(size * sorted.features);
  lists.view = empty_lists(sorted, problem, size);
  lists.view.keys = lists.keys.data();
  lists.view.rows = lists.rows.data();
  return lists;
}

Source source_of(const DeviceSorted& sorted) {
  return {sorted.rows, sorted.features, sorted.ranks.data(), sorted.order.data()};
}

}  // namespace

DeviceLabels::DeviceLabels(Context& context,
                           const Problem& problem,
                           std::int64_t most,
                           cudaStream_t stream) {
  const std::int64_t rows = problem.rows;
  const auto copied = [&](auto& to, const auto* from, std::int64_t count) {
    to = uploaded(from, count, stream);
    context.count_moved(to.bytes());
    return to.data();
  };
  if (problem.classes > 0) {
    view_.codes = copied(codes_, problem.codes, rows);
  } else {
    view_.moments = copied(moments_, problem.moments.data(), rows);
    view_.squares = copied(squares_, problem.squares.data(), rows);
    view_.values = copied(values_, problem.values, rows);
  }
  if (!problem.weights.empty()) view_.weights = copied(weights_, problem.weights.data(), rows);
  if (problem.criterion != Criterion::entropy) return;
  view_.count_log_bits = problem.count_log_bits;
  view_.log_table = copied(log_table_, &log_table, 1);
  if (!problem.weights.empty()) return;
  Array<std::int64_t> logs(most + 1);
  context.parallel_for(most + 1, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) logs[n] = problem.count_log(n);
  });
  view_.count_logs = copied(count_logs_, logs.data(), most + 1);
  view_.count_log_size = most + 1;
}

template <class T>
DeviceSorted sort_table(Context& context,
                        TableView<T> table,
                        const T* resident,
                        arrays::cuda::Workspace& space,
                        cudaStream_t stream) {
  const std::int64_t n = table.rows;
  DeviceSorted sorted;
  sorted.rows = n;
  sorted.features = static_cast<int>(table.columns);
  sorted.ranks = DeviceArray<std::uint32_t>(n * table.columns);
  sorted.order = DeviceArray<std::uint32_t>(n * table.columns);
  DeviceArray<std::uint32_t> summaries(2 * table.columns);
  DeviceArray<KeyOf<T>> keys(n);
  DeviceArray<T> column(resident == nullptr ? n : 0);
  const unsigned blocks = blocks_of_threads(n);
  for (std::int64_t f = 0; f < table.columns; ++f) {
    context.check_cancelled();
    const T* values = resident == nullptr ? column.data() : resident + f * n;
    if (resident == nullptr) {
      check(cudaMemcpyAsync(
                column.data(), table.column(f), column.bytes(), cudaMemcpyHostToDevice, stream),
            "copy a feature");
      context.count_moved(column.bytes());
    }
    std::uint32_t* order = sorted.order.data() + f * n;
    std::uint32_t* ranks = sorted.ranks.data() + f * n;
    keys_kernel<T><<<blocks, threads, 0, stream>>>(values, n, keys.data(), order);
    check_launch("make keys");
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

OwnLists repeated_lists(const DeviceSorted& sorted,
                        const Problem& problem,
                        const Labels& labels,
                        const std::uint8_t* repeats,
                        const std::vector<Part>& parts,
                        cudaStream_t stream) {
  OwnLists lists = new_lists(sorted, problem, parts);
  const Source source = source_of(sorted);
  DeviceArray<std::int64_t> strip_sums(source.features * source.strips());
  const unsigned blocks = blocks_of(source.features * source.strips());
  std::int64_t begin = 0;
  for (const Part& part : parts) {
    count_repeats_kernel<<<blocks, threads, 0, stream>>>(
        source, labels, repeats, strip_sums.data());
    check_launch("count rows");
    launch_row_scans(strip_sums.data(), source.features, source.strips(), stream);
    repeat_kernel<<<blocks, threads, 0, stream>>>(
        source, labels, repeats, strip_sums.data(), begin, lists.view);
    check_launch("repeat rows");
    begin += part.size;
    repeats += sorted.rows;
  }
  check(cudaStreamSynchronize(stream), "make lists");
  return lists;
}

OwnLists dealt_lists(const DeviceSorted& sorted,
                     const Problem& problem,
                     const Labels& labels,
                     const std::uint32_t* part_of,
                     std::int64_t first,
                     const std::vector<Part>& parts,
                     cudaStream_t stream) {
  OwnLists lists = new_lists(sorted, problem, parts);
  const Source source = source_of(sorted);
  const auto trees = static_cast<int>(parts.size());
  std::vector<std::int64_t> begins{0};
  for (const Part& part : parts) begins.push_back(begins.back() + part.size);
  const auto begin = uploaded(begins.data(), std::ssize(begins), stream);
  DeviceArray<std::int64_t> counts(source.features * trees * source.strips());
  const unsigned blocks = blocks_of(source.features * source.strips());
  deal_kernel<false><<<blocks, threads, 0, stream>>>(source,
                                                     labels,
                                                     part_of,
                                                     static_cast<std::uint32_t>(first),
                                                     trees,
                                                     counts.data(),
                                                     begin.data(),
                                                     lists.view);
  check_launch("count parts");
  launch_row_scans(counts.data(), std::int64_t{source.features} * trees, source.strips(), stream);
  deal_kernel<true><<<blocks, threads, 0, stream>>>(source,
                                                    labels,
                                                    part_of,
                                                    static_cast<std::uint32_t>(first),
                                                    trees,
                                                    counts.data(),
                                                    begin.data(),
                                                    lists.view);
  check_launch("deal rows");
  check(cudaStreamSynchronize(stream), "make lists");
  return lists;
}

template DeviceSorted sort_table(
    Context&, TableView<float>, const float*, arrays::cuda::Workspace&, cudaStream_t);
template DeviceSorted sort_table(
    Context&, TableView<double>, const double*, arrays::cuda::Workspace&, cudaStream_t);

}  // namespace yupana::forest::cuda
