// Quicksort in device memory, and that every way to sort gives the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/quicksort_cuda.cuh"

namespace yupana::arrays {
namespace {

using cuda::QuicksortPlan;
using cuda::SortWay;
using cuda::Workspace;
using yupana::cuda::check;
using yupana::cuda::DeviceArray;

/// Looks at the low four bits alone: only their order tells most keys apart.
struct LowBits {
  constexpr bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 16 < b % 16; }
};

/// Anyhow; all alike; ascending; descending; of five; of a thousand; up and down; half alike; of
/// any magnitude.
template <class K>
std::vector<K> pattern(int which, std::int64_t n) {
  std::vector<K> keys =
      which == 0 && std::is_floating_point_v<K> ? odd_floats<K>(n) : random_values<K>(n);
  for (std::int64_t i = 0; which > 0 && i < n; ++i) {
    const std::uint64_t chance = word(i, 5);
    const auto at = static_cast<std::uint64_t>(i), size = static_cast<std::uint64_t>(n);
    const std::uint64_t values[] = {0,
                                    7,
                                    at,
                                    size - at,
                                    chance % 5,
                                    chance % 1000,
                                    at < size / 2 ? at : size - at,
                                    (chance & 1) != 0 ? 5 : chance >> 33,
                                    chance >> 8 >> (chance & 63)};
    keys[static_cast<std::size_t>(i)] = static_cast<K>(values[which]);
  }
  return keys;
}
constexpr int patterns = 9;

template <class T>
std::vector<T> fetched(const DeviceArray<T>& from, std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  check(cudaMemcpy(values.data(), from.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost),
        "copy");
  return values;
}

/// Sorts a copy of `keys` with their places by `run`, and holds both to the stable order.
template <class K, class V, class Order, class Run>
void equals_stable_sort(const std::vector<K>& keys, Order less, const char* what, const Run& run) {
  const std::int64_t n = ssize_of(keys);
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return less(keys[a], keys[b]);
  });
  DeviceArray<K> there(n);
  check(cudaMemcpy(there.data(), keys.data(), there.bytes(), cudaMemcpyHostToDevice), "copy");
  constexpr bool pairs = Columns<K, V>::has_values;
  DeviceArray<V> values(pairs ? n : 0);
  if constexpr (pairs) {
    std::vector<V> places(keys.size());
    std::iota(places.begin(), places.end(), V{0});
    check(cudaMemcpy(values.data(), places.data(), values.bytes(), cudaMemcpyHostToDevice), "copy");
  }
  run(Columns<K, V>{there.data(), values.data()}, n);
  const std::vector<K> got = fetched(there, n);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    wrong += std::memcmp(&got[i], &keys[order[i]], sizeof(K)) != 0;
  }
  EXPECT_EQ(wrong, 0) << what << ", keys, n = " << n;
  if constexpr (pairs) {
    const std::vector<V> got_values = fetched(values, n);
    wrong = 0;
    for (std::size_t i = 0; i < order.size(); ++i) wrong += got_values[i] != V{order[i]};
    EXPECT_EQ(wrong, 0) << what << ", values, n = " << n;
  }
}

template <class K, class V, class Order>
void quicksorts(std::int64_t n, Order less) {
  Workspace space;
  for (int which = 0; which < patterns; ++which) {
    equals_stable_sort<K, V>(
        pattern<K>(which, n), less, "quicksort", [&](Columns<K, V> data, std::int64_t size) {
          // What the library has compiled is not compiled again: that takes a driver seconds.
          if constexpr (std::is_same_v<Order, Less>) {
            cuda::sort_by_key(space, nullptr, data, size, SortWay::quicksort);
          } else {
            cuda::quicksort_by_key(space, nullptr, data, size, less);
          }
        });
  }
}

TEST(DeviceQuicksort, EqualsTheStableSortForEveryPattern) {
  YUPANA_NEEDS_GPU();
  using Leaves = cuda::LeafShape<std::uint32_t, NoValue>;
  for (const std::int64_t n : {std::int64_t{2},
                               std::int64_t{17},
                               std::int64_t{cuda::LeafShape<double, NoValue>::threads},
                               std::int64_t{Leaves::most - 1},
                               std::int64_t{Leaves::most},
                               std::int64_t{Leaves::most + 1},
                               std::int64_t{4 * Leaves::most - 1},
                               std::int64_t{300007}}) {
    quicksorts<std::uint32_t, NoValue>(n, Less{});
    quicksorts<std::uint32_t, std::uint32_t>(n, LowBits{});
    quicksorts<double, NoValue>(n, Less{});
    quicksorts<std::uint64_t, std::uint32_t>(n, Greater{});
  }
  quicksorts<std::uint32_t, NoValue>(1000003, Less{});
  quicksorts<std::uint32_t, std::uint32_t>(1000003, LowBits{});
}

// A sample of 2^14 keys of 8 bytes takes 139,416 bytes of shared memory.
TEST(DeviceQuicksort, SamplesExceededTheSharedMemoryOfOtherGpus) {
  YUPANA_NEEDS_GPU();
  const LimitedGpu limited;
  quicksorts<double, NoValue>(1000003, Less{});
  quicksorts<std::uint64_t, std::uint32_t>(500009, Greater{});
}

TEST(DeviceQuicksort, LevelsBeyondThoseForeseenAndMergesAfterThem) {
  YUPANA_NEEDS_GPU();
  Workspace space;
  // Two buckets a level, and 300,007 keys: leaves need six levels, and get one, three, five, nine.
  for (const int spare : {0, 1, 4, 8}) {
    for (const int which : {0, 4, 7}) {
      QuicksortPlan plan;
      plan.levels = 1;
      plan.bits[0] = 1;
      plan.chunk = 8192;
      plan.spare = spare;
      equals_stable_sort<std::uint32_t, std::uint32_t>(
          pattern<std::uint32_t>(which, 300007),
          LowBits{},
          "as planned",
          [&](Columns<std::uint32_t, std::uint32_t> data, std::int64_t n) {
            cuda::Quicksort<std::uint32_t, std::uint32_t, LowBits>(
                space, nullptr, data, n, LowBits{})
                .run(plan);
          });
    }
  }
}

template <class K, class V>
void ways_agree() {
  Workspace space;
  const std::int64_t limit = cuda::SortLimits<K, V>::merges;
  for (const std::int64_t n : {limit, limit + 1}) {
    for (const SortWay way :
         {SortWay::quickest, SortWay::merges, SortWay::quicksort, SortWay::radix}) {
      for (const int which : {0, 5}) {
        equals_stable_sort<K, V>(
            pattern<K>(which, n), Less{}, "a way", [&](Columns<K, V> data, std::int64_t size) {
              cuda::sort_by_key(space, nullptr, data, size, way);
            });
      }
    }
  }
}

TEST(DeviceSort, EveryWayGivesTheSameBytesOnBothSidesOfItsLimit) {
  YUPANA_NEEDS_GPU();
  ways_agree<std::uint32_t, std::uint32_t>();
  ways_agree<std::int64_t, NoValue>();
  ways_agree<float, NoValue>();
  ways_agree<double, std::uint32_t>();
}

__global__ void fill_kernel(std::uint8_t* keys, std::int64_t n) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    keys[i] = static_cast<std::uint8_t>(i);
  }
}
__global__ void wrong_kernel(const std::uint8_t* keys, std::int64_t n, unsigned long long* wrong) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  const std::int64_t each = n / 256, rest = n % 256;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
    const std::int64_t longer = rest * (each + 1);
    const std::int64_t want = i < longer ? i / (each + 1) : rest + (i - longer) / each;
    if (keys[i] != want) atomicAdd(wrong, 1ull);
  }
}

TEST(DeviceQuicksort, TwoToThe32AndSevenKeys) {
  YUPANA_NEEDS_GPU();
  std::size_t is_free = 0, total = 0;
  check(cudaMemGetInfo(&is_free, &total), "ask for memory");
  if (is_free < std::size_t{16} << 30) GTEST_SKIP() << "needs 16 GiB of free GPU memory";
  const std::int64_t n = (std::int64_t{1} << 32) + 7;
  Workspace space;
  DeviceArray<std::uint8_t> keys(n);
  DeviceArray<unsigned long long> wrong(1);
  check(cudaMemset(wrong.data(), 0, wrong.bytes()), "clear");
  fill_kernel<<<4096, 256>>>(keys.data(), n);
  cuda::quicksort_by_key(space, nullptr, Columns<std::uint8_t>{keys.data(), nullptr}, n);
  wrong_kernel<<<4096, 256>>>(keys.data(), n, wrong.data());
  EXPECT_EQ(fetched(wrong, 1)[0], 0u);
}

}  // namespace
}  // namespace yupana::arrays
