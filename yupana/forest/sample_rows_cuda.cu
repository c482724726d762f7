#include "yupana/arrays/radix_sort_cuda.hpp"
#include "yupana/arrays/scan_cuda.cuh"
#include "yupana/core/tiles.hpp"
#include "yupana/forest/lists_cuda.hpp"
#include "yupana/forest/row_samples.hpp"
#include "yupana/forest/sample_rows_cuda.hpp"
#include "yupana/forest/scan_cuda.cuh"

// The shuffle of parts_of_rows goes down from the last place and swaps place i with place h(i) <=
// i. It need not be done in that order. Let v(k) be what is at place k just before step k.
// Before step k only steps k' > k with h(k') = k touched the place, the last of them the least such
// k', and it left there what was at place k': v(k) = v(k'), or k if there is none. Likewise step
// i puts at place i what the least k' > i with h(k') = h(i) left at place h(i): v(k'), or h(i) if
// there is none. So steps sorted by h, stably, give both links: `next` within a group and `first`
// of the group of a place. The links of v are followed 1 time on average and log n times at most,
// give or take (a place k is aimed at by a later step with probability 1 / (k' + 1) each: the
// logarithm of the place grows by 1 a link).
namespace yupana::forest::cuda {

using namespace yupana::cuda;

namespace {

constexpr int threads = 256;

unsigned blocks_of(std::int64_t count) {
  return static_cast<unsigned>(std::min<std::int64_t>(divide_up(count, threads), 1 << 16));
}
__device__ std::int64_t thread_number() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ std::int64_t thread_count() { return std::int64_t{gridDim.x} * threads; }

__device__ std::uint32_t aim(Random random, std::int64_t i) {
  return static_cast<std::uint32_t>(below(random.word(static_cast<std::uint64_t>(i)), i + 1));
}

__global__ void __launch_bounds__(threads)
    aims_kernel(Random random, std::int64_t rows, std::uint32_t* aims, std::uint32_t* steps) {
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    aims[i] = aim(random, i);  // of place 0: 0, which swaps nothing
    steps[i] = static_cast<std::uint32_t>(i);
  }
}

/// first: filled with `nowhere` before.
__global__ void __launch_bounds__(threads) links_kernel(const std::uint32_t* aims,
                                                        const std::uint32_t* steps,
                                                        std::int64_t rows,
                                                        std::uint32_t* next,
                                                        std::uint32_t* first) {
  for (std::int64_t s = thread_number(); s < rows; s += thread_count()) {
    const std::uint32_t place = aims[s], step = steps[s];
    const bool is_last = s + 1 == rows || aims[s + 1] != place;
    const std::uint32_t behind = is_last ? nowhere : steps[s + 1];
    next[step] = behind;
    // A step that aims at its own place is the first of the group, and moves nothing.
    if (s == 0 || aims[s - 1] != place) first[place] = step == place ? behind : step;
  }
}

__global__ void __launch_bounds__(threads) parts_kernel(Random random,
                                                        const std::uint32_t* next,
                                                        const std::uint32_t* first,
                                                        std::int64_t rows,
                                                        std::int64_t trees,
                                                        std::uint32_t* parts) {
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    std::uint32_t row = next[i];
    if (row == nowhere) {
      row = aim(random, i);
    } else {
      for (std::uint32_t link = first[row]; link != nowhere; link = first[row]) row = link;
    }
    parts[row] = static_cast<std::uint32_t>(i * trees / rows);
  }
}

__global__ void __launch_bounds__(threads) chosen_kernel(const std::uint32_t* parts,
                                                         std::int64_t rows,
                                                         std::uint32_t first,
                                                         std::uint32_t count,
                                                         std::uint32_t* chosen) {
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    chosen[i] = parts[i] - first < count;  // of parts before: a large number
  }
}

/// through: chosen rows up to and with each.
__global__ void __launch_bounds__(threads) gather_kernel(const std::uint32_t* parts,
                                                         std::int64_t rows,
                                                         std::uint32_t first,
                                                         std::uint32_t count,
                                                         const std::uint32_t* through,
                                                         std::uint32_t* chosen,
                                                         std::uint32_t* chosen_parts) {
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    if (parts[i] - first >= count) continue;
    chosen[through[i] - 1] = static_cast<std::uint32_t>(i);
    chosen_parts[through[i] - 1] = parts[i];
  }
}

__device__ bool counts(const Labels& labels, std::int64_t row) {
  return labels.weights == nullptr || labels.weights[row] > 0;
}

__global__ void __launch_bounds__(threads) part_sizes_kernel(const std::uint32_t* part_of,
                                                             std::int64_t rows,
                                                             Labels labels,
                                                             std::uint32_t first,
                                                             std::uint32_t trees,
                                                             unsigned long long* sizes) {
  __shared__ unsigned own[max_partition_trees];
  if (threadIdx.x < max_partition_trees) own[threadIdx.x] = 0;
  __syncthreads();
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    const std::uint32_t part = part_of[i] - first;  // of parts before: a large number
    if (part < trees && counts(labels, i)) atomicAdd(own + part, 1u);
  }
  __syncthreads();
  if (threadIdx.x < trees && own[threadIdx.x] > 0) {
    atomicAdd(sizes + threadIdx.x, static_cast<unsigned long long>(own[threadIdx.x]));
  }
}

__global__ void __launch_bounds__(threads)
    bootstrap_kernel(Random random, std::int64_t draws, std::int64_t rows, std::uint32_t* counts) {
  for (std::int64_t i = thread_number(); i < draws; i += thread_count()) {
    atomicAdd(counts + below(random.word(static_cast<std::uint64_t>(i)), rows), 1u);
  }
}

/// drawn: null: each once.
__global__ void __launch_bounds__(threads) repeats_kernel(const std::uint32_t* drawn,
                                                          std::int64_t rows,
                                                          Labels labels,
                                                          std::uint8_t* repeats,
                                                          unsigned long long* size) {
  unsigned long long sum = 0;
  for (std::int64_t i = thread_number(); i < rows; i += thread_count()) {
    const std::uint32_t count = drawn == nullptr ? 1 : min(drawn[i], max_repeats);
    repeats[i] = static_cast<std::uint8_t>(count);
    if (counts(labels, i)) sum += count;
  }
  sum = warp_sum(sum);
  if (lane_id() == 0 && sum > 0) atomicAdd(size, sum);
}

void launch_repeats(const std::uint32_t* drawn,
                    std::int64_t rows,
                    const Labels& labels,
                    std::uint8_t* repeats,
                    unsigned long long* size,
                    cudaStream_t stream) {
  check(cudaMemsetAsync(size, 0, sizeof(*size), stream), "clear a size");
  repeats_kernel<<<std::min(blocks_of(rows), 1024u), threads, 0, stream>>>(
      drawn, rows, labels, repeats, size);
  check_launch("count draws");
}

}  // namespace

ReservedArray<std::uint32_t> sampled_parts(arrays::cuda::Workspace& space,
                                           std::int64_t rows,
                                           std::int64_t trees,
                                           std::uint64_t seed,
                                           cudaStream_t stream) {
  ReservedArray<std::uint32_t> work(4 * rows), parts(rows);
  std::uint32_t* const aims = work.data();
  std::uint32_t* const steps = aims + rows;
  std::uint32_t* const next = steps + rows;
  std::uint32_t* const first = next + rows;
  const Random random = parts_random(seed);
  const unsigned blocks = blocks_of(rows);
  check(cudaMemsetAsync(first, 0xff, parts.bytes(), stream), "clear links");
  aims_kernel<<<blocks, threads, 0, stream>>>(random, rows, aims, steps);
  check_launch("draw places");
  arrays::cuda::radix_sort_unsigned(
      space, stream, arrays::Columns<std::uint32_t, std::uint32_t>{aims, steps}, rows);
  links_kernel<<<blocks, threads, 0, stream>>>(aims, steps, rows, next, first);
  check_launch("link steps");
  parts_kernel<<<blocks, threads, 0, stream>>>(random, next, first, rows, trees, parts.data());
  check_launch("draw parts");
  check(cudaStreamSynchronize(stream), "draw parts");
  return parts;
}

std::int64_t rows_of_parts(std::int64_t rows,
                           std::int64_t trees,
                           std::int64_t first,
                           std::int64_t last) {
  // Place i of the shuffle is in part i trees / rows.
  return divide_up(last * rows, trees) - divide_up(first * rows, trees);
}

ChosenRows chosen_rows(arrays::cuda::Workspace& space,
                       ReservedArray<std::uint32_t> parts,
                       std::int64_t trees,
                       std::int64_t first,
                       std::int64_t last,
                       cudaStream_t stream) {
  const std::int64_t rows = parts.size(), count = rows_of_parts(rows, trees, first, last);
  ChosenRows chosen{ReservedArray<std::uint32_t>(count), ReservedArray<std::uint32_t>(count)};
  ReservedArray<std::uint32_t> through(rows);
  const auto from = static_cast<std::uint32_t>(first),
             own = static_cast<std::uint32_t>(last) - from;
  const unsigned blocks = blocks_of(rows);
  chosen_kernel<<<blocks, threads, 0, stream>>>(parts.data(), rows, from, own, through.data());
  check_launch("choose rows");
  arrays::cuda::inclusive_scan(space, stream, through.data(), rows, through.data());
  gather_kernel<<<blocks, threads, 0, stream>>>(
      parts.data(), rows, from, own, through.data(), chosen.rows.data(), chosen.parts.data());
  check_launch("choose rows");
  check(cudaStreamSynchronize(stream), "choose rows");
  return chosen;
}

void launch_part_sizes(const std::uint32_t* part_of,
                       std::int64_t rows,
                       const Labels& labels,
                       std::int64_t first,
                       std::int64_t trees,
                       unsigned long long* sizes,
                       cudaStream_t stream) {
  check(cudaMemsetAsync(sizes, 0, static_cast<std::size_t>(trees) * sizeof(*sizes), stream),
        "clear sizes");
  part_sizes_kernel<<<std::min(blocks_of(rows), 1024u), threads, 0, stream>>>(
      part_of,
      rows,
      labels,
      static_cast<std::uint32_t>(first),
      static_cast<std::uint32_t>(trees),
      sizes);
  check_launch("count parts");
}

void launch_bootstrap(const Random& random,
                      std::int64_t draws,
                      std::int64_t rows,
                      const Labels& labels,
                      std::uint32_t* counts,
                      std::uint8_t* repeats,
                      unsigned long long* size,
                      cudaStream_t stream) {
  check(cudaMemsetAsync(counts, 0, static_cast<std::size_t>(rows) * sizeof(*counts), stream),
        "clear counts");
  bootstrap_kernel<<<blocks_of(draws), threads, 0, stream>>>(random, draws, rows, counts);
  check_launch("draw rows");
  launch_repeats(counts, rows, labels, repeats, size, stream);
}

void launch_once_each(std::int64_t rows,
                      const Labels& labels,
                      std::uint8_t* repeats,
                      unsigned long long* size,
                      cudaStream_t stream) {
  launch_repeats(nullptr, rows, labels, repeats, size, stream);
}

}  // namespace yupana::forest::cuda
