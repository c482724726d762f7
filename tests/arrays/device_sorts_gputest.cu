// The templates of merges and mergesort for device code: orders and types of one's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/there.hpp"
#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/merge_sort_cuda.cuh"

namespace yupana::arrays {
namespace {

using cuda::Workspace;
using yupana::cuda::check;
using yupana::cuda::DeviceArray;

/// Looks at the low four bits alone: most keys are equal, and only their order tells them apart.
struct LowBits {
  constexpr bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 16 < b % 16; }
};
struct Row {
  double left;
  std::uint64_t right;
  bool operator==(const Row&) const = default;
};

template <class K, class Order>
void sorts(std::int64_t n, Order less) {
  Workspace space;
  const std::vector<K> in = random_values<K>(n);
  std::vector<K> want = in;
  std::stable_sort(want.begin(), want.end(), less);
  There<K> there(in, 1);
  cuda::merge_sort_by_key(space, nullptr, Columns<K>{there.data(), nullptr}, n, less);
  EXPECT_TRUE(same_bits(there.back(), want)) << n;
}

TEST(DeviceSorts, MergesortIsStableInAnyOrder) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {2, 17, 4351, 4352, 4353, 17409, 70000, 1000003}) {
    sorts<std::uint32_t>(n, LowBits{});
    sorts<std::uint32_t>(n, Greater{});
    sorts<std::uint8_t>(n, Less{});
    sorts<std::uint16_t>(n, Less{});
    sorts<double>(n, Greater{});
  }
  // Large tiles, and passes of four and of two.
  sorts<std::uint32_t>(9'500'007, Less{});
  sorts<std::uint32_t>(20'000'003, LowBits{});
}

TEST(DeviceSorts, MergesortMovesWideValues) {
  YUPANA_NEEDS_GPU();
  Workspace space;
  for (const std::int64_t n : {1, 2000, 50001}) {
    const std::vector<std::uint32_t> keys = random_values<std::uint32_t>(n);
    std::vector<Row> rows;
    for (std::int64_t i = 0; i < n; ++i) {
      rows.push_back({static_cast<double>(i), static_cast<std::uint64_t>(i) << 20});
    }
    std::vector<std::size_t> order(keys.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return LowBits{}(keys[a], keys[b]);
    });
    There<std::uint32_t> there(keys);
    There<Row> values(rows);
    cuda::merge_sort_by_key(
        space, nullptr, Columns<std::uint32_t, Row>{there.data(), values.data()}, n, LowBits{});
    const std::vector<std::uint32_t> got = there.back();
    const std::vector<Row> got_rows = values.back();
    for (std::size_t i = 0; i < order.size(); ++i) {
      ASSERT_EQ(got[i], keys[order[i]]) << i;
      ASSERT_TRUE(got_rows[i] == rows[order[i]]) << i;
    }
  }
}

/// Tiles of two runs by every way to find where they begin.
template <class K, class V, class Order>
void merges(Columns<const K, const V> a,
            std::int64_t a_size,
            Columns<const K, const V> b,
            std::int64_t b_size,
            Columns<K, V> out,
            int way,
            Order less) {
  using Shape = cuda::TwoRunsShape<cuda::Item<K, V>>;
  const std::int64_t n = a_size + b_size;
  const cuda::MergePlan plan = cuda::plan_merge<Shape>(n, n, 2);
  DeviceArray<std::int64_t> splits(plan.splits(2));
  cuda::launch_merge<Shape, 2>(nullptr,
                               cuda::TwoRuns<K, V>{a, b, a_size, b_size},
                               plan,
                               splits.data(),
                               out,
                               less,
                               way == 0 ? n : 0,
                               way == 1 ? n : 0);
  check(cudaDeviceSynchronize(), "merge");
}

/// Two runs: anyhow; b behind a; b in the middle of a; all equal; of few different keys.
struct LyingRuns {
  std::vector<std::uint32_t> a, b;
  LyingRuns(std::int64_t a_size, std::int64_t b_size, int lie)
      : a(random_values<std::uint32_t>(a_size)), b(random_values<std::uint32_t>(b_size, 2)) {
    for (std::uint32_t& x : a) x = lie == 1 ? x / 2 : (lie == 3 ? 5 : (lie == 4 ? x % 16 : x));
    for (std::uint32_t& x : b) {
      if (lie == 1) x |= 1u << 31;
      if (lie == 2) x = x / 1000 + (1u << 30);
      if (lie == 3) x = 5;
      if (lie == 4) x %= 16;
    }
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
  }
};

template <class Order>
void merges_every_way(const LyingRuns& runs, const std::string& place, Order less) {
  std::vector<std::uint32_t> want(runs.a.size() + runs.b.size());
  std::merge(runs.a.begin(), runs.a.end(), runs.b.begin(), runs.b.end(), want.begin(), less);
  There<std::uint32_t> a(runs.a, 1), b(runs.b, 3);
  for (const int way : {0, 1, 2}) {
    There<std::uint32_t> out(std::vector<std::uint32_t>(want.size(), ~0u), 2);
    merges<std::uint32_t, NoValue>({a.data(), nullptr},
                                   ssize_of(runs.a),
                                   {b.data(), nullptr},
                                   ssize_of(runs.b),
                                   {out.data(), nullptr},
                                   way,
                                   less);
    EXPECT_EQ(out.back(), want) << place << " by way " << way;
  }
}

TEST(DeviceSorts, MergesFindTheirTilesHoweverTheRunsLie) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t size = 400000;
  for (const std::int64_t b_size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{5887}, size}) {
    for (const int lie : {0, 1, 2, 3, 4}) {
      LyingRuns runs(size + (b_size & 1), b_size, lie);
      const std::string place = std::to_string(b_size) + " lying " + std::to_string(lie);
      merges_every_way(runs, place, Less{});
      // Keys that this order takes for equal come in the order they had.
      std::stable_sort(runs.a.begin(), runs.a.end(), LowBits{});
      std::stable_sort(runs.b.begin(), runs.b.end(), LowBits{});
      merges_every_way(runs, place + ", by low bits", LowBits{});
    }
  }
}

/// Whatever it is, no order.
struct Never {
  constexpr bool operator()(std::uint32_t a, std::uint32_t b) const {
    return (a ^ b * 2654435761u) % 3 != 0;
  }
};

TEST(DeviceSorts, AnOrderThatContradictsItselfHarmsNothingElse) {
  YUPANA_NEEDS_GPU();
  Workspace space;
  const std::int64_t n = 200000;
  std::vector<std::uint32_t> in = random_values<std::uint32_t>(n + 2);
  There<std::uint32_t> there(in);
  cuda::merge_sort_by_key(
      space, nullptr, Columns<std::uint32_t>{there.data() + 1, nullptr}, n, Never{});
  const std::vector<std::uint32_t> got = there.back();
  EXPECT_EQ(got.front(), in.front());
  EXPECT_EQ(got.back(), in.back());
  for (const int way : {0, 1, 2}) {
    There<std::uint32_t> a(in), b(in, 1), out(std::vector<std::uint32_t>(2 * in.size() + 2, 77u));
    merges<std::uint32_t, NoValue>(
        {a.data(), nullptr}, n, {b.data(), nullptr}, n, {out.data() + 1, nullptr}, way, Never{});
    const std::vector<std::uint32_t> merged = out.back();
    EXPECT_EQ(merged[0], 77u);
    EXPECT_EQ(merged[static_cast<std::size_t>(2 * n + 1)], 77u);
  }
}

/// By the library's way for such keys, which looks for -0 and NaN among floats.
template <class K>
void sorts_quickest(const std::vector<K>& in) {
  Workspace space;
  const std::int64_t n = ssize_of(in);
  std::vector<K> want = in;
  std::stable_sort(want.begin(), want.end(), Less{});
  There<K> keys(in);
  cuda::sort_by_key(space, nullptr, Columns<K>{keys.data(), nullptr}, n);
  EXPECT_TRUE(same_bits(keys.back(), want)) << n;

  std::vector<std::int64_t> order(in.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return Less{}(in[static_cast<std::size_t>(a)], in[static_cast<std::size_t>(b)]);
  });
  There<K> unsorted(in);
  There<std::int64_t> places(std::vector<std::int64_t>(in.size()));
  cuda::argsort(space, nullptr, unsorted.data(), n, places.data());
  EXPECT_EQ(places.back(), order) << n;
  EXPECT_TRUE(same_bits(unsorted.back(), in)) << n;
}

TEST(DeviceSorts, FloatsWithAndWithoutSpecialOnesAndPlacesOfAnyKeys) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {0, 1, 1000, 1'100'003}) {
    sorts_quickest(random_values<float>(n));
    sorts_quickest(random_values<double>(n));
    sorts_quickest(odd_floats<float>(n));
    sorts_quickest(odd_floats<double>(n));
    sorts_quickest(random_values<std::int32_t>(n));
    sorts_quickest(random_values<std::int64_t>(n));
  }
  for (const float special : {-0.0f, std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> in = random_values<float>(1'100'003);
    for (const std::size_t i : {5, 600'000, 1'100'002}) in[i] = special;
    in[700'000] = 0.0f;
    sorts_quickest(in);
  }
}

}  // namespace
}  // namespace yupana::arrays
