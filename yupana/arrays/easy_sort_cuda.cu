#include <algorithm>
#include <bit>
#include <vector>

#include "yupana/arrays/easy_sort_cuda.hpp"
#include "yupana/core/cuda/launch.hpp"
#include "yupana/core/instantiate.hpp"

namespace yupana::arrays::cuda {
namespace {

constexpr int threads = 256, batch = 8, most_values = 32, samples = 2 * threads;
constexpr std::int64_t tile = threads * batch;
/// What speaks against an input: a key below the one before it; one that is not.
constexpr unsigned some_fall = 1, some_rise = 2, some_other_value = 4;

/// What a look finds.
template <class U>
struct Look {
  unsigned against;
  int values;  ///< of the samples; more than most_values: too many
  U of[most_values];
  std::uint64_t counts[most_values];
};

/// Values by their bits, ascending; the last one fills the rest.
template <class U>
struct Table {
  U of[most_values];

  /// The place of the last value up to this one, or 0.
  __device__ int find(U bits) const {
    int at = 0;
#pragma unroll
    for (int step = most_values / 2; step > 0; step /= 2) at += of[at + step] <= bits ? step : 0;
    return at;
  }
};

/// Where a sample is taken, anywhere in its share of the array.
__host__ __device__ inline std::int64_t sample_place(int s, std::int64_t n) {
  const std::int64_t share = n / samples;
  std::uint64_t z = (static_cast<std::uint64_t>(s) + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z ^= z >> 31;
  return s * share + static_cast<std::int64_t>(z % static_cast<std::uint64_t>(share));
}

/// The values of some keys all over the array.
template <class U>
__device__ void sample(const U* keys, std::int64_t n, Look<U>& look) {
  __shared__ U some[samples];
  for (int s = threadIdx.x; s < samples; s += threads) some[s] = keys[sample_place(s, n)];
  __syncthreads();
  for (int s = threadIdx.x; s < samples; s += threads) {
    const U mine = some[s];
    bool first = true;
#pragma unroll 16
    for (int before = 0; before < s; ++before) first &= some[before] != mine;
    const int place = first ? atomicAdd(&look.values, 1) : most_values;
    if (place < most_values) look.of[place] = mine;
  }
}

/// What is known against the input. All threads read one word: not in every round.
template <class U>
__device__ unsigned known_against(const Look<U>* look, int round) {
  return round % 16 == 15 ? *const_cast<const volatile unsigned*>(&look->against) : 0;
}

/// Whether the keys rise or fall; the first block looks for few values.
template <class K>
__global__ void __launch_bounds__(threads)
    look_kernel(const K* keys, std::int64_t n, bool ties_fall, Look<KeyBits<K>>* look) {
  if (blockIdx.x == 0) return sample(reinterpret_cast<const KeyBits<K>*>(keys), n, *look);
  const Less less;
  unsigned told = 0;
  int round = 0;
  for (std::int64_t at = (blockIdx.x - 1) * tile; at < n - 1; at += (gridDim.x - 1) * tile) {
    K here[batch], next[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = std::min(at + k * threads + threadIdx.x, n - 2);
      here[k] = keys[i];
      next[k] = keys[i + 1];
    }
    unsigned seen = 0;
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      if (less(next[k], here[k])) {
        seen |= some_fall;
      } else if (!ties_fall || less(here[k], next[k])) {
        seen |= some_rise;
      }
    }
    seen = __reduce_or_sync(~0u, seen);
    if (threadIdx.x % 32 == 0 && (seen & ~told) != 0) atomicOr(&look->against, seen);
    told |= seen | known_against(look, round++);
    if (told == (some_fall | some_rise)) return;
  }
}

template <class T>
__global__ void __launch_bounds__(threads) reverse_kernel(T* items, std::int64_t n) {
  const std::int64_t half = n / 2;
  for (std::int64_t at = blockIdx.x * tile; at < half; at += gridDim.x * tile) {
    T low[batch], high[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = at + k * threads + threadIdx.x;
      if (i >= half) continue;
      low[k] = items[i];
      high[k] = items[n - 1 - i];
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = at + k * threads + threadIdx.x;
      if (i >= half) continue;
      items[i] = high[k];
      items[n - 1 - i] = low[k];
    }
  }
}

/// Counts the keys of each value; every thread has counters of its own, in banks of its own.
template <class U>
__global__ void __launch_bounds__(threads)
    count_kernel(const U* keys, std::int64_t n, Table<U> values, Look<U>* look) {
  __shared__ std::uint32_t counters[most_values][threads];
  __shared__ Table<U> table;
  if (threadIdx.x < most_values) table.of[threadIdx.x] = values.of[threadIdx.x];
  for (auto& of_value : counters) of_value[threadIdx.x] = 0;
  __syncthreads();
  bool other = false;
  int round = 0;
  for (std::int64_t at = blockIdx.x * tile; at < n && !other; at += gridDim.x * tile) {
    if ((known_against(look, round++) & some_other_value) != 0) break;
    U some[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const std::int64_t i = at + k * threads + threadIdx.x;
      some[k] = keys[i < n ? i : at];
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const int place = table.find(some[k]);
      other |= table.of[place] != some[k];
      counters[place][threadIdx.x] += at + k * threads + threadIdx.x < n;
    }
  }
  if (other) atomicOr(&look->against, some_other_value);
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int value = threadIdx.x / 32; value < most_values; value += threads / 32) {
    unsigned long long sum = 0;
    for (int k = lane; k < threads; k += 32) sum += counters[value][k];
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_down_sync(~0u, sum, apart);
    if (lane == 0 && sum != 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(&look->counts[value]), sum);
    }
  }
}

/// Values in their order, and where the keys of each begin.
template <class U>
struct Runs {
  U of[most_values];
  Table<std::int64_t> begins;
};

template <class U>
__global__ void __launch_bounds__(threads) fill_kernel(U* keys, std::int64_t n, Runs<U> of_values) {
  __shared__ Runs<U> runs;
  if (threadIdx.x < most_values) {
    runs.of[threadIdx.x] = of_values.of[threadIdx.x];
    runs.begins.of[threadIdx.x] = of_values.begins.of[threadIdx.x];
  }
  __syncthreads();
  for (std::int64_t at = blockIdx.x * tile; at < n; at += gridDim.x * tile) {
    const std::int64_t end = std::min(at + tile, n);
    const int run = runs.begins.find(at);
    const bool whole = runs.begins.find(end - 1) == run;
    const U value = runs.of[run];
#pragma unroll
    for (std::int64_t i = at + threadIdx.x; i < end; i += threads) {
      keys[i] = whole ? value : runs.of[runs.begins.find(i)];
    }
  }
}

/// A few blocks for each multiprocessor.
std::int64_t some_blocks() {
  return std::int64_t{8} * yupana::cuda::device_facts().multiprocessors;
}

template <class U>
Look<U> read(Workspace& space, cudaStream_t stream, const Look<U>* look) {
  using yupana::cuda::check;
  auto* const here = static_cast<Look<U>*>(space.for_host(sizeof(Look<U>)));
  check(cudaMemcpyAsync(here, look, sizeof(*look), cudaMemcpyDeviceToHost, stream), "look at keys");
  check(cudaStreamSynchronize(stream), "look at keys");
  return *here;
}

template <class T>
void reverse(cudaStream_t stream, void* items, std::int64_t n) {
  yupana::cuda::launch(
      "reverse", reverse_kernel<T>, {some_blocks(), threads}, stream, static_cast<T*>(items), n);
}

/// Less takes zeros of both signs for equal, and any two NaN: their bits do not tell their order.
template <class K>
bool bits_tell_order(const std::vector<K>& ascending) {
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    if (!Less{}(ascending[i - 1], ascending[i])) return false;
  }
  return true;
}

/// Counts the keys of each of the values that a look has found, and writes them anew.
template <class K>
bool sort_few_values(Workspace& space,
                     cudaStream_t stream,
                     K* keys,
                     std::int64_t n,
                     const Look<KeyBits<K>>& found,
                     Look<KeyBits<K>>* look) {
  using U = KeyBits<K>;
  std::vector<U> by_bits(found.of, found.of + found.values);
  std::sort(by_bits.begin(), by_bits.end());
  std::vector<K> ascending(by_bits.size());
  std::transform(by_bits.begin(), by_bits.end(), ascending.begin(), std::bit_cast<K, U>);
  std::sort(ascending.begin(), ascending.end(), Less{});
  if (!bits_tell_order(ascending)) return false;

  Table<U> table;
  for (int i = 0; i < most_values; ++i) {
    table.of[i] = by_bits[static_cast<std::size_t>(std::min(i, found.values - 1))];
  }
  U* const bits = reinterpret_cast<U*>(keys);
  yupana::cuda::launch("count keys",
                       count_kernel<U>,
                       {some_blocks(), threads},
                       stream,
                       static_cast<const U*>(bits),
                       n,
                       table,
                       look);
  const Look<U> counted = read(space, stream, look);
  if ((counted.against & some_other_value) != 0) return false;

  Runs<U> runs;
  std::int64_t begin = 0;
  for (int i = 0; i < most_values; ++i) {
    // Places from the number of values on begin where nothing is.
    runs.begins.of[i] = i < found.values ? begin : n;
    if (i >= found.values) continue;
    runs.of[i] = std::bit_cast<U>(ascending[static_cast<std::size_t>(i)]);
    for (int place = 0; place < most_values; ++place) {
      if (table.of[place] == runs.of[i]) begin += static_cast<std::int64_t>(counted.counts[place]);
    }
  }
  yupana::cuda::launch(
      "write keys", fill_kernel<U>, {some_blocks(), threads}, stream, bits, n, runs);
  return true;
}

}  // namespace

template <class K>
bool sort_easy_input(Workspace& space,
                     cudaStream_t stream,
                     K* keys,
                     std::int64_t n,
                     void* values,
                     std::size_t value_bytes) {
  using U = KeyBits<K>;
  if (n < samples) return false;
  auto* const look = static_cast<Look<U>*>(space.scratch(sizeof(Look<U>)));
  yupana::cuda::check(cudaMemsetAsync(look, 0, sizeof(Look<U>), stream), "look at keys");
  // Equal integers without values may change places.
  const bool ties_fall = std::is_integral_v<K> && values == nullptr;
  yupana::cuda::launch("look at keys",
                       look_kernel<K>,
                       {some_blocks(), threads},
                       stream,
                       static_cast<const K*>(keys),
                       n,
                       ties_fall,
                       look);
  const Look<U> found = read(space, stream, look);
  if ((found.against & some_fall) == 0) return true;
  if ((found.against & some_rise) == 0) {
    reverse<U>(stream, keys, n);
    if (values != nullptr) {
      value_bytes == 4 ? reverse<std::uint32_t>(stream, values, n)
                       : reverse<std::uint64_t>(stream, values, n);
    }
    return true;
  }
  return values == nullptr && found.values != 0 &&
         sort_few_values(space, stream, keys, n, found, look);
}

YUPANA_FUNCTION(sort_easy_input, std::int32_t)
YUPANA_FUNCTION(sort_easy_input, std::uint32_t)
YUPANA_FUNCTION(sort_easy_input, std::int64_t)
YUPANA_FUNCTION(sort_easy_input, std::uint64_t)
YUPANA_FUNCTION(sort_easy_input, float)
YUPANA_FUNCTION(sort_easy_input, double)

}  // namespace yupana::arrays::cuda
