// Categories of a level's nodes: runs of equal ones in a list are summed, and change places.
#include <algorithm>
#include <utility>

#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/core/instantiate.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/category_order.hpp"
#include "yupana/forest/category_splits_cuda.hpp"

namespace yupana::forest::cuda {

using namespace yupana::cuda;

namespace {

constexpr int threads = 256;
constexpr int ranks_per_word = 16;

unsigned blocks_of_threads(std::int64_t count) {
  return static_cast<unsigned>(std::min<std::int64_t>(divide_up(count, threads), 1 << 20));
}
__device__ std::int64_t thread_number() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ std::int64_t thread_count() { return std::int64_t{gridDim.x} * threads; }

/// The list of one feature.
struct List {
  const std::uint32_t* keys;
  const std::uint32_t* rows;
  const std::uint32_t* node_of;
  std::int64_t size;
  int class_bits;
  std::uint32_t missing_key;

  List(const Level& level, int feature)
      : keys(level.lists.keys + feature * level.lists.size),
        rows(level.lists.rows + feature * level.lists.size),
        node_of(level.node_of),
        size(level.lists.size),
        class_bits(level.lists.class_bits),
        missing_key(level.lists.missing_key) {}

  /// Whether another category, or node, begins here.
  __device__ bool begins_run(std::int64_t place) const {
    return place == 0 || node_of[place] != node_of[place - 1] ||
           keys[place] >> class_bits != keys[place - 1] >> class_bits;
  }
  __device__ int class_of(std::int64_t place, const Labels& labels) const {
    return class_bits > 0 ? static_cast<int>(keys[place] & ((1u << class_bits) - 1))
                          : labels.codes[rows[place]];
  }
};

/// numbers: whether a run begins; values, weights: what is summed. weights: null where all are 1.
__global__ void __launch_bounds__(threads) entries_kernel(List list,
                                                          Labels labels,
                                                          std::uint32_t* numbers,
                                                          std::uint64_t* values,
                                                          std::uint64_t* weights) {
  for (std::int64_t i = thread_number(); i < list.size; i += thread_count()) {
    const std::uint32_t row = list.rows[i];
    const std::int64_t weight = labels.weights == nullptr ? 1 : labels.weights[row];
    const std::int64_t value = labels.codes == nullptr         ? labels.moments[row]
                               : list.class_of(i, labels) == 1 ? weight
                                                               : 0;
    numbers[i] = list.begins_run(i) ? 1 : 0;
    values[i] = static_cast<std::uint64_t>(value);
    if (weights != nullptr) weights[i] = static_cast<std::uint64_t>(weight);
  }
}

__global__ void __launch_bounds__(threads)
    begins_kernel(std::int64_t size, const std::uint32_t* numbers, std::uint32_t* begins) {
  for (std::int64_t i = thread_number(); i < size; i += thread_count()) {
    if (i == 0 || numbers[i] != numbers[i - 1]) {
      begins[numbers[i] - 1] = static_cast<std::uint32_t>(i);
    }
    if (i == size - 1) begins[numbers[i]] = static_cast<std::uint32_t>(size);
  }
}

/// values, weights: summed up to each place and with it. Sums of several trees may wrap around;
/// differences within one do not.
__global__ void __launch_bounds__(threads) sums_kernel(std::int64_t size,
                                                       const std::uint64_t* values,
                                                       const std::uint64_t* weights,
                                                       CategoryRuns runs) {
  const std::int64_t count = runs.numbers[size - 1];
  for (std::int64_t r = thread_number(); r < count; r += thread_count()) {
    const std::int64_t begin = runs.begins[r], end = runs.begins[r + 1];
    const auto in_run = [&](const std::uint64_t* sums) {
      return static_cast<std::int64_t>(sums[end - 1] - (begin == 0 ? 0 : sums[begin - 1]));
    };
    runs.sums[r] = {in_run(values), weights == nullptr ? end - begin : in_run(weights)};
  }
}

/// Whether the category of a run comes before that of another one: by the mean, then by number.
__device__ bool comes_before(const List& list,
                             const CategoryRuns& runs,
                             std::int64_t a,
                             std::int64_t b) {
  const CategoryRuns::Sums own = runs.sums[a], other = runs.sums[b];
  const __int128 left = static_cast<__int128>(own.sum) * other.weight;
  const __int128 right = static_cast<__int128>(other.sum) * own.weight;
  if (left != right) return left < right;
  return list.keys[runs.begins[a]] >> list.class_bits < list.keys[runs.begins[b]] >>
         list.class_bits;
}

/// Moves a run past the entries of all runs of its node that precede it. Missing values stay last;
/// where a feature is not drawn nothing moves.
__global__ void __launch_bounds__(threads) places_kernel(List list,
                                                         const Place* places,
                                                         const std::uint8_t* drawn,
                                                         std::int64_t features,
                                                         CategoryRuns runs) {
  const std::int64_t count = runs.numbers[list.size - 1];
  for (std::int64_t r = thread_number(); r < count; r += thread_count()) {
    const std::int64_t begin = runs.begins[r];
    const std::uint32_t node = list.node_of[begin];
    const std::int64_t first_place = places[node].begin;
    const std::int64_t last_place = first_place + places[node].size - 1;
    const std::int64_t first = runs.numbers[first_place] - 1;
    std::int64_t last = runs.numbers[last_place];
    if (list.keys[last_place] >= list.missing_key) --last;
    const bool stays = r >= last || (drawn != nullptr && drawn[node * features] == 0);
    std::int64_t to = stays ? begin : first_place;
    for (std::int64_t other = first; other < last && !stays; ++other) {
      if (other == r || !comes_before(list, runs, other, r)) continue;
      to += runs.begins[other + 1] - runs.begins[other];
    }
    runs.to[r] = static_cast<std::uint32_t>(to);
  }
}

__global__ void __launch_bounds__(threads)
    move_kernel(List list, CategoryRuns runs, std::uint32_t* keys, std::uint32_t* rows) {
  for (std::int64_t i = thread_number(); i < list.size; i += thread_count()) {
    const std::int64_t run = runs.numbers[i] - 1;
    const std::int64_t to = runs.to[run] + (i - runs.begins[run]);
    keys[to] = list.keys[i];
    rows[to] = list.rows[i];
  }
}

/// offsets: of each node the first word of its set; -1: it has none.
__global__ void __launch_bounds__(threads) sets_kernel(Level level,
                                                       const NodeSplit* found,
                                                       const std::int64_t* offsets,
                                                       std::uint32_t* words) {
  const Lists& lists = level.lists;
  for (std::int64_t i = thread_number(); i < lists.size; i += thread_count()) {
    const std::uint32_t node = level.node_of[i];
    if (offsets[node] < 0) continue;
    const NodeSplit split = found[node];
    const std::uint32_t* keys = lists.keys + split.feature * lists.size;
    const std::int64_t offset = i - level.places[node].begin;
    const std::uint32_t rank = keys[i] >> lists.class_bits;
    if (keys[i] >= lists.missing_key) continue;
    if (offset > 0 && keys[i - 1] >> lists.class_bits == rank) continue;
    const std::uint32_t bits = offset < split.known_left ? 3 : 1;
    atomicOr(words + offsets[node] + rank / ranks_per_word, bits << (2 * (rank % ranks_per_word)));
  }
}

/// Memory for so many values, whose contents are lost if there is too little.
template <class T>
T* room(ReservedArray<T>& array, std::int64_t size) {
  if (array.size() < size) {
    array = {};
    array = ReservedArray<T>(size);
  }
  return array.data();
}

template <class T>
void copy(T* to, const T* from, std::int64_t count, cudaMemcpyKind kind, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T), kind, stream),
        "copy categories");
}

}  // namespace

template <class T>
CategoryRanks category_ranks(TableView<T> table,
                             const OwnRows& rows,
                             std::vector<std::int64_t> counts) {
  CategoryRanks ranks{std::move(counts), {}, rows.host};
  ranks.categories.resize(ranks.counts.size());
  for (std::size_t f = 0; f < ranks.counts.size(); ++f) {
    const T* const column = table.column(static_cast<std::int64_t>(f));
    CategorySet there(static_cast<std::size_t>(ranks.counts[f]), false);
    for (std::int64_t i = 0; i < rows.count && !there.empty(); ++i) {
      const T x = column[rows.row_of(static_cast<std::uint32_t>(i))];
      if (x == x) there[static_cast<std::size_t>(x)] = true;
    }
    for (std::size_t c = 0; c < there.size(); ++c) {
      if (there[c]) ranks.categories[f].push_back(static_cast<std::int32_t>(c));
    }
  }
  return ranks;
}

CategorySplits::CategorySplits(Context& context,
                               const Problem& problem,
                               const CategoryRanks& ranks,
                               cudaStream_t stream)
    : context_(context), problem_(problem), ranks_(ranks), stream_(stream) {}

void CategorySplits::order(const Level& level,
                           const Labels& labels,
                           const std::vector<const Totals*>& nodes,
                           const std::vector<LeafLimits>& least) {
  for (int f = 0; f < level.lists.features && any(); ++f) {
    if (!is_categorical(f)) continue;
    if (problem_.classes > 2) {
      order_on_host(level, nodes, least, f);
    } else {
      order_on_device(level, labels, f);
    }
  }
}

void CategorySplits::order_on_device(const Level& level, const Labels& labels, int feature) {
  const List list(level, feature);
  const std::int64_t n = list.size;
  const unsigned blocks = blocks_of_threads(n);
  std::uint64_t* const values = room(values_, n);
  std::uint64_t* const weights = labels.weights == nullptr ? nullptr : room(weights_, n);
  const CategoryRuns runs{room(numbers_, n), room(begins_, n + 1), room(sums_, n), room(to_, n)};
  entries_kernel<<<blocks, threads, 0, stream_>>>(list, labels, runs.numbers, values, weights);
  check_launch("find categories");
  arrays::cuda::inclusive_scan(space_, stream_, runs.numbers, n, runs.numbers);
  arrays::cuda::inclusive_scan(space_, stream_, values, n, values);
  if (weights != nullptr) arrays::cuda::inclusive_scan(space_, stream_, weights, n, weights);
  begins_kernel<<<blocks, threads, 0, stream_>>>(n, runs.numbers, runs.begins);
  check_launch("find categories");
  sums_kernel<<<blocks, threads, 0, stream_>>>(n, values, weights, runs);
  check_launch("sum over categories");
  places_kernel<<<blocks, threads, 0, stream_>>>(
      list,
      level.places,
      level.drawn == nullptr ? nullptr : level.drawn + feature,
      level.lists.features,
      runs);
  check_launch("order categories");
  std::uint32_t* const keys = room(keys_, n);
  std::uint32_t* const rows = room(rows_, n);
  move_kernel<<<blocks, threads, 0, stream_>>>(list, runs, keys, rows);
  check_launch("move categories");
  copy(level.lists.keys + feature * n, keys, n, cudaMemcpyDeviceToDevice, stream_);
  copy(level.lists.rows + feature * n, rows, n, cudaMemcpyDeviceToDevice, stream_);
}

/// Features that are not drawn are ordered too; their order is unused.
void CategorySplits::order_on_host(const Level& level,
                                   const std::vector<const Totals*>& nodes,
                                   const std::vector<LeafLimits>& least,
                                   int feature) {
  const std::int64_t n = level.lists.size;
  std::uint32_t* const device_keys = level.lists.keys + feature * n;
  std::uint32_t* const device_rows = level.lists.rows + feature * n;
  std::vector<std::uint32_t> keys(static_cast<std::size_t>(n)), rows(keys.size());
  copy(keys.data(), device_keys, n, cudaMemcpyDeviceToHost, stream_);
  copy(rows.data(), device_rows, n, cudaMemcpyDeviceToHost, stream_);
  check(cudaStreamSynchronize(stream_), "read categories");
  std::vector<std::uint32_t> table_rows;
  for (const std::uint32_t row : rows) {
    table_rows.push_back(ranks_.rows == nullptr ? row : ranks_.rows[row]);
  }
  order_nodes(context_,
              problem_,
              nodes,
              least,
              {keys.data(),
               rows.data(),
               table_rows.data(),
               level.lists.class_bits,
               level.lists.missing_key});
  copy(device_keys, keys.data(), n, cudaMemcpyHostToDevice, stream_);
  copy(device_rows, rows.data(), n, cudaMemcpyHostToDevice, stream_);
  check(cudaStreamSynchronize(stream_), "order categories");
}

void CategorySplits::read_sets(const Level& level,
                               const std::vector<NodeSplit>& found,
                               const NodeSplit* device_found) {
  if (!any()) return;
  offsets_.assign(found.size(), -1);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int32_t feature = found[i].feature;
    if (feature < 0 || !is_categorical(feature)) continue;
    offsets_[i] = count;
    count += divide_up(std::ssize(ranks_.categories[static_cast<std::size_t>(feature)]),
                       std::int64_t{ranks_per_word});
  }
  if (count == 0) return;
  words_.resize(static_cast<std::size_t>(count));
  std::int64_t* const offsets = room(device_offsets_, std::ssize(offsets_));
  std::uint32_t* const words = room(device_words_, count);
  copy(offsets, offsets_.data(), std::ssize(offsets_), cudaMemcpyHostToDevice, stream_);
  check(cudaMemsetAsync(words, 0, words_.size() * sizeof(std::uint32_t), stream_), "clear sets");
  sets_kernel<<<blocks_of_threads(level.lists.size), threads, 0, stream_>>>(
      level, device_found, offsets, words);
  check_launch("read sets");
  copy(words_.data(), words, count, cudaMemcpyDeviceToHost, stream_);
  check(cudaStreamSynchronize(stream_), "read sets");
}

CategorySet CategorySplits::set_of(std::size_t node,
                                   std::int32_t feature,
                                   bool missing_left) const {
  const auto f = static_cast<std::size_t>(feature);
  const std::uint32_t* const words = words_.data() + offsets_[node];
  CategorySet set(static_cast<std::size_t>(ranks_.counts[f]), missing_left);
  for (std::size_t rank = 0; rank < ranks_.categories[f].size(); ++rank) {
    const std::uint32_t bits = words[rank / ranks_per_word] >> (2 * (rank % ranks_per_word));
    if ((bits & 1) == 0) continue;
    set[static_cast<std::size_t>(ranks_.categories[f][rank])] = (bits & 2) != 0;
  }
  return set;
}

YUPANA_FUNCTIONS(YUPANA_FLOATS, category_ranks)

}  // namespace yupana::forest::cuda
