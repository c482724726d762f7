// The public functions on a CUDA context against those on threads: host arrays of plain types.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/segments.hpp"
#include "yupana/arrays/sort.hpp"

namespace yupana::arrays {
namespace {

// Around what one block scans (8,192 values of 4 bytes), tiles of a scan (2,048; 8,192), of a sort
// (4,352; 8,704; 16,896), of a merge (4,335), of the CPU (65,536 floats; 32,768 doubles); a prime.
const std::vector<std::int64_t> sizes = {
    1,     2,     3,     31,    32,    33,    127,   129,   2047,  2048,   4095,   4096,   4097,
    4334,  4335,  4336,  4351,  4352,  4353,  8191,  8192,  8193,  8703,   8704,   8705,   16384,
    16895, 16897, 17408, 32767, 32769, 65535, 65536, 65537, 99991, 131073, 300007, 1000003};

template <class T>
std::vector<T> sample(std::int64_t n, std::uint64_t seed = 1) {
  if constexpr (std::is_floating_point_v<T>) {
    if (n % 2 == 0) return odd_floats<T>(n);
  }
  return random_values<T>(n, seed);
}

template <class T, class Op>
void scans_equal(Context& gpu, Context& cpu, std::int64_t n, Op op) {
  const std::vector<T> in = sample<T>(n);
  const T init = static_cast<T>(3);
  std::vector<T> got(in.size()), want(in.size());
  inclusive_scan(gpu, in.data(), n, got.data(), op);
  inclusive_scan(cpu, in.data(), n, want.data(), op);
  EXPECT_TRUE(same_bits(got, want)) << "inclusive " << n;
  inclusive_scan_from(gpu, init, in.data(), n, got.data(), op);
  inclusive_scan_from(cpu, init, in.data(), n, want.data(), op);
  EXPECT_TRUE(same_bits(got, want)) << "inclusive from " << n;
  exclusive_scan(cpu, in.data(), n, init, want.data(), op);
  got = in;
  exclusive_scan(gpu, got.data(), n, init, got.data(), op);
  EXPECT_TRUE(same_bits(got, want)) << "exclusive in place " << n;
  const T total = reduce(gpu, in.data(), n, init, op);
  EXPECT_TRUE(same_bits(std::vector<T>{total}, {reduce(cpu, in.data(), n, init, op)})) << n;
}

template <class T>
void all_scans_equal() {
  Context gpu({.device = "cuda"});
  Context cpu({.device = "cpu"});
  for (const std::int64_t n : sizes) {
    if constexpr (std::is_integral_v<T>) scans_equal<T>(gpu, cpu, n, Plus{});
    scans_equal<T>(gpu, cpu, n, Min{});
    scans_equal<T>(gpu, cpu, n, Max{});
  }
}

TEST(ArraysGpu, ScansOfIntegersHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  all_scans_equal<std::int32_t>();
  all_scans_equal<std::uint32_t>();
  all_scans_equal<std::int64_t>();
  all_scans_equal<std::uint64_t>();
}

TEST(ArraysGpu, LeastAndGreatestFloatsHaveTheBitsOfTheCpuWithNanAndSignedZeros) {
  YUPANA_NEEDS_GPU();
  all_scans_equal<float>();
  all_scans_equal<double>();
}

/// Around tiles, groups of 32 tiles, 160 tiles (each block holds one up to there) and, once, what
/// is on the device at a time (PrefixOrder).
template <class T>
std::vector<std::int64_t> float_sizes() {
  constexpr std::int64_t tile = PrefixOrder<T>::tile;
  std::vector<std::int64_t> all = sizes;
  for (const std::int64_t edge : {tile / 4, tile, 32 * tile, 64 * tile, 160 * tile, 500 * tile}) {
    all.insert(all.end(), {edge - 1, edge, edge + 1});
  }
  all.push_back((std::int64_t{256} << 20) / static_cast<std::int64_t>(sizeof(T)) + tile + 3);
  return all;
}

template <class T>
void float_sums() {
  Context gpu({.device = "cuda"});
  Context cpu({.device = "cpu"});
  for (const std::int64_t n : float_sizes<T>()) {
    const std::vector<T> in = random_values<T>(n);
    std::vector<T> got(in.size()), want(in.size());
    inclusive_scan(cpu, in.data(), n, want.data());
    for (int run = 0; run < 3; ++run) {
      inclusive_scan(gpu, in.data(), n, got.data());
      ASSERT_TRUE(same_bits(got, want)) << n;
    }
    inclusive_scan_from(cpu, T(-7.25), in.data(), n, want.data());
    inclusive_scan_from(gpu, T(-7.25), in.data(), n, got.data());
    ASSERT_TRUE(same_bits(got, want)) << n;
    exclusive_scan(cpu, in.data(), n, T(0.5), want.data());
    got = in;
    exclusive_scan(gpu, got.data(), n, T(0.5), got.data());
    ASSERT_TRUE(same_bits(got, want)) << n;
    const T sum = reduce(gpu, in.data(), n, T(0.25));
    EXPECT_EQ(sum, reduce(cpu, in.data(), n, T(0.25))) << n;
  }
}

TEST(ArraysGpu, SumsOfFloatsRunningAndWholeHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  float_sums<float>();
  float_sums<double>();
}

TEST(ArraysGpu, NegativeZerosStayNegative) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda"});
  for (const std::int64_t n : {5, 9000, 100000}) {
    const std::vector<double> in(static_cast<std::size_t>(n), -0.0);
    std::vector<double> out(in.size());
    inclusive_scan(gpu, in.data(), n, out.data());
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](double x) { return std::signbit(x); }));
    EXPECT_TRUE(std::signbit(reduce(gpu, in.data(), n, -0.0)));
  }
}

/// Segments of every length that takes another way: empty, one, around 16 and 32, some thousand,
/// more than a tile; `front` values stand before the first.
std::vector<std::int64_t> segment_offsets(std::int64_t front) {
  std::vector<std::int64_t> offsets{front};
  for (const std::int64_t length :
       {0,     1,     2,     15,    16,    17,    31, 32,    33,     0,      1000, 4097,
        32767, 32768, 32769, 65535, 65536, 65537, 0,  70000, 131072, 150001, 5,    0}) {
    offsets.push_back(offsets.back() + length);
  }
  for (int i = 0; i < 700; ++i) {
    offsets.push_back(offsets.back() + static_cast<std::int64_t>(word(i) % 40));
  }
  return offsets;
}

template <class T, class Op>
void segments_equal(Op op) {
  Context gpu({.device = "cuda"});
  Context cpu({.device = "cpu"});
  const std::vector<std::int64_t> offsets = segment_offsets(7);
  const std::int64_t segments = ssize_of(offsets) - 1;
  const std::vector<T> in = random_values<T>(offsets.back() + 3);
  std::vector<T> got(static_cast<std::size_t>(segments)), want(got.size());
  segmented_reduce(gpu, in.data(), offsets.data(), segments, T(2), got.data(), op);
  segmented_reduce(cpu, in.data(), offsets.data(), segments, T(2), want.data(), op);
  EXPECT_TRUE(same_bits(got, want));
  std::vector<T> here(in.size(), T(9)), there(in.size(), T(9));
  segmented_exclusive_scan(gpu, in.data(), offsets.data(), segments, T(2), there.data(), op);
  segmented_exclusive_scan(cpu, in.data(), offsets.data(), segments, T(2), here.data(), op);
  EXPECT_TRUE(same_bits(there, here));
  segmented_inclusive_scan(gpu, in.data(), offsets.data(), segments, there.data(), op);
  segmented_inclusive_scan(cpu, in.data(), offsets.data(), segments, here.data(), op);
  EXPECT_TRUE(same_bits(there, here));
}

TEST(ArraysGpu, SegmentsEqualTheCpuWhateverTheirLength) {
  YUPANA_NEEDS_GPU();
  segments_equal<std::uint32_t>(Plus{});
  segments_equal<std::int64_t>(Max{});
  segments_equal<float>(Plus{});
  segments_equal<double>(Plus{});
  segments_equal<float>(Min{});
}

template <class K, class V>
void runs_equal(std::int64_t n, std::uint64_t longest) {
  Context gpu({.device = "cuda"});
  Context cpu({.device = "cpu"});
  std::vector<K> keys(static_cast<std::size_t>(n));
  K key = 0;
  for (std::int64_t i = 0, left = 0; i < n; ++i, --left) {
    if (left == 0) {
      left = 1 + static_cast<std::int64_t>(word(i) % longest);
      key = static_cast<K>(key + 1);
    }
    keys[static_cast<std::size_t>(i)] = key;
  }
  const std::vector<V> values = random_values<V>(n, 4);
  std::vector<K> got_keys(keys.size()), want_keys(keys.size());
  std::vector<V> got(values.size()), want(values.size());
  const std::int64_t runs =
      reduce_by_key(gpu, keys.data(), values.data(), n, got_keys.data(), got.data());
  ASSERT_EQ(runs, reduce_by_key(cpu, keys.data(), values.data(), n, want_keys.data(), want.data()));
  got.resize(static_cast<std::size_t>(runs));
  want.resize(got.size());
  got_keys.resize(got.size());
  want_keys.resize(got.size());
  EXPECT_EQ(got_keys, want_keys) << n;
  EXPECT_TRUE(same_bits(got, want)) << n << " runs to " << longest;
}

TEST(ArraysGpu, RunsOfAnyLengthHaveTheBitsOfTheCpu) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {1, 2, 4095, 4096, 4097, 65537, 400003}) {
    for (const std::uint64_t longest : {1, 3, 60, 5000, 200000}) {
      runs_equal<std::uint32_t, float>(n, longest);
      runs_equal<std::int64_t, double>(n, longest);
      runs_equal<std::uint64_t, std::int32_t>(n, longest);
    }
  }
}

/// Orders in which sorts go wrong most easily.
template <class K>
std::vector<std::vector<K>> inputs(std::int64_t n) {
  std::vector<K> random = random_values<K>(n), few = random, ascending = random;
  for (std::int64_t i = 0; i < n; ++i) {
    few[static_cast<std::size_t>(i)] = static_cast<K>(word(i) % 5);
  }
  std::stable_sort(ascending.begin(), ascending.end(), Less{});
  std::vector<K> descending(ascending.rbegin(), ascending.rend());
  std::vector<std::vector<K>> all{
      random, few, ascending, descending, std::vector<K>(random.size(), K(1))};
  if constexpr (std::is_floating_point_v<K>) all.push_back(odd_floats<K>(n));
  return all;
}

template <class K, class V>
void sorts_equal() {
  Context gpu({.device = "cuda"});
  for (const std::int64_t n : sizes) {
    if (n > 131073 && sizeof(V) == 8) continue;
    for (const std::vector<K>& in : inputs<K>(n)) {
      std::vector<V> order(in.size());
      for (std::size_t i = 0; i < in.size(); ++i) order[i] = static_cast<V>(i);
      std::vector<V> want_order = order;
      std::stable_sort(want_order.begin(), want_order.end(), [&](V a, V b) {
        return Less{}(in[static_cast<std::size_t>(a)], in[static_cast<std::size_t>(b)]);
      });
      std::vector<K> want(in.size());
      for (std::size_t i = 0; i < in.size(); ++i) {
        want[i] = in[static_cast<std::size_t>(want_order[i])];
      }
      std::vector<K> keys = in;
      sort(gpu, keys.data(), n);
      ASSERT_TRUE(same_bits(keys, want)) << n;
      keys = in;
      merge_sort(gpu, keys.data(), n);
      ASSERT_TRUE(same_bits(keys, want)) << "by merges " << n;
      keys = in;
      sort_by_key(gpu, keys.data(), order.data(), n);
      ASSERT_TRUE(same_bits(keys, want)) << "with values " << n;
      ASSERT_TRUE(same_bits(order, want_order)) << "values " << n;
    }
  }
}

TEST(ArraysGpu, SortsOfIntegersAreStable) {
  YUPANA_NEEDS_GPU();
  sorts_equal<std::uint32_t, std::uint32_t>();
  sorts_equal<std::int32_t, std::int64_t>();
  sorts_equal<std::int64_t, std::uint32_t>();
  sorts_equal<std::uint64_t, std::uint64_t>();
}

TEST(ArraysGpu, SortsOfFloatsPutNanLastAndKeepSignedZerosInOrder) {
  YUPANA_NEEDS_GPU();
  sorts_equal<float, std::uint32_t>();
  sorts_equal<double, std::uint64_t>();
}

TEST(ArraysGpu, QuicksortSortsToo) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda"});
  std::vector<float> keys = odd_floats<float>(50001), want = keys;
  std::stable_sort(want.begin(), want.end(), Less{});
  quicksort(gpu, keys.data(), ssize_of(keys));
  EXPECT_TRUE(same_bits(keys, want));
}

template <class K>
void merges_equal(std::int64_t a_size, std::int64_t b_size, std::uint64_t few) {
  Context gpu({.device = "cuda"});
  Context reference({.device = "reference"});
  std::vector<K> a = random_values<K>(a_size, 1), b = random_values<K>(b_size, 2);
  if (few > 0) {
    for (std::int64_t i = 0; i < a_size; ++i) a[static_cast<std::size_t>(i)] = K(word(i) % few);
    for (std::int64_t i = 0; i < b_size; ++i) b[static_cast<std::size_t>(i)] = K(word(i, 2) % few);
  }
  std::stable_sort(a.begin(), a.end(), Less{});
  std::stable_sort(b.begin(), b.end(), Less{});
  std::vector<std::uint32_t> from_a(a.size()), from_b(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) from_a[i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = 0; i < b.size(); ++i) from_b[i] = static_cast<std::uint32_t>(i) | 1u << 31;
  std::vector<K> got(a.size() + b.size()), want(got.size());
  std::vector<std::uint32_t> got_from(got.size()), want_from(got.size());
  merge(gpu, a.data(), a_size, b.data(), b_size, got.data());
  merge(reference, a.data(), a_size, b.data(), b_size, want.data());
  ASSERT_TRUE(same_bits(got, want)) << a_size << " and " << b_size;
  const auto by_key =
      [&](Context& context, std::vector<K>& keys, std::vector<std::uint32_t>& from) {
        merge_by_key<K, std::uint32_t>(context,
                                       {a.data(), from_a.data()},
                                       a_size,
                                       {b.data(), from_b.data()},
                                       b_size,
                                       {keys.data(), from.data()});
      };
  by_key(gpu, got, got_from);
  by_key(reference, want, want_from);
  EXPECT_TRUE(same_bits(got, want)) << a_size << " and " << b_size;
  EXPECT_EQ(got_from, want_from) << a_size << " and " << b_size;
}

TEST(ArraysGpu, MergesTakeEqualKeysFromTheFirstArray) {
  YUPANA_NEEDS_GPU();
  const std::vector<std::int64_t> some = {0, 1, 2, 4334, 4335, 4353, 100003};
  for (const std::int64_t a : some) {
    for (const std::int64_t b : some) {
      for (const std::uint64_t few : {0, 1, 7}) {
        merges_equal<std::uint32_t>(a, b, few);
        merges_equal<double>(a, b, few);
      }
    }
  }
}

TEST(ArraysGpu, OtherTypesAndOperatorsRunOnThreads) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda"});
  const std::vector<Matrix2> in = random_values<Matrix2>(1000);
  std::vector<Matrix2> got(in.size()), want(in.size());
  Context reference({.device = "reference"});
  inclusive_scan(gpu, in.data(), 1000, got.data(), Product{});
  inclusive_scan(reference, in.data(), 1000, want.data(), Product{});
  EXPECT_EQ(got, want);
}

TEST(ArraysGpu, WhatDoesNotFitTheMemoryThatMayBeUsedIsRefusedWithThePlan) {
  YUPANA_NEEDS_GPU();
  Context little({.device = "cuda:0", .gpu_memory = 1 << 20});
  std::vector<std::uint32_t> keys(1 << 18), values(1 << 18);
  const std::vector<std::uint32_t> before = keys;
  const auto refused = [&](const char* wanted, const auto& call) {
    try {
      call();
      ADD_FAILURE() << wanted;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("--gpu-memory"), std::string::npos) << error.what();
    }
  };
  const auto n = static_cast<std::int64_t>(keys.size());
  refused("sort: 2.10 MB", [&] { sort(little, keys.data(), n); });
  refused("sort: 4.20 MB", [&] { sort_by_key(little, keys.data(), values.data(), n); });
  EXPECT_EQ(keys, before);
  sort(little, keys.data(), n / 4);
  std::vector<std::uint32_t> wide(1 << 19);
  refused("scan: 2.10 MB", [&] { inclusive_scan(little, wide.data(), 2 * n, wide.data()); });
}

TEST(ArraysGpu, ChunksOfAHostArrayMeet) {
  YUPANA_NEEDS_GPU();
  // A chunk is 256 MiB.
  Context gpu({.device = "cuda"});
  const std::int64_t n = (std::int64_t{64} << 20) + 12345;
  std::vector<std::uint32_t> values(static_cast<std::size_t>(n), 3);
  EXPECT_EQ(reduce(gpu, values.data(), n, 5u), 5u + 3u * static_cast<std::uint32_t>(n));
  exclusive_scan(gpu, values.data(), n, 1u, values.data());
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    wrong += values[static_cast<std::size_t>(i)] != 1u + 3u * static_cast<std::uint32_t>(i);
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace yupana::arrays
