#include "yupana/arrays/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "yupana/core/error.hpp"

namespace yupana::arrays {
namespace {

/// Orders whose sorting goes wrong most easily.
template <class K>
std::vector<std::vector<K>> inputs(std::int64_t n) {
  std::vector<K> random = random_values<K>(n);
  std::vector<K> few = random;
  for (std::int64_t i = 0; i < n; ++i)
    few[static_cast<std::size_t>(i)] = static_cast<K>(word(i) % 5);
  std::vector<K> ascending = random;
  std::sort(ascending.begin(), ascending.end());
  std::vector<K> descending(ascending.rbegin(), ascending.rend());
  std::vector<K> organ = ascending;
  std::reverse(organ.begin() + n / 2, organ.end());
  // Most keys alike, the rest spread out: one bucket of a radix pass holds nearly everything.
  std::vector<K> skewed = random;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i % 16 != 0) skewed[static_cast<std::size_t>(i)] = static_cast<K>(word(i) % 3);
  }
  std::vector<std::vector<K>> all{
      random, few, ascending, descending, organ, skewed, std::vector<K>(random.size(), K(1))};
  if constexpr (std::is_floating_point_v<K>) all.push_back(odd_floats<K>(n));
  return all;
}

template <class K>
std::vector<K> stable_sorted(std::vector<K> keys, auto less) {
  std::stable_sort(keys.begin(), keys.end(), less);
  return keys;
}

/// Sorts by comparison know nothing of a type but its size and order.
template <class K>
constexpr bool compared =
    std::is_same_v<K, std::uint8_t> || std::is_same_v<K, std::int32_t> || std::is_same_v<K, double>;

template <class K>
void compares_as_std(Context& context, const std::vector<K>& in, const std::vector<K>& want) {
  const std::int64_t n = ssize_of(in);
  std::vector<K> keys = in;
  merge_sort(context, keys.data(), n);
  EXPECT_TRUE(same_bits(keys, want)) << n;
  keys = in;
  merge_sort(context, keys.data(), n, Greater{});
  EXPECT_TRUE(same_bits(keys, stable_sorted(in, Greater{}))) << n;
  keys = in;
  quicksort(context, keys.data(), n);
  EXPECT_TRUE(std::equal(keys.begin(), keys.end(), want.begin(), Equal{})) << n;
}

template <class K>
void sorts_as_std(Context& context, std::int64_t n) {
  for (const std::vector<K>& in : inputs<K>(n)) {
    const std::vector<K> want = stable_sorted(in, Less{});
    std::vector<K> keys = in;
    sort(context, keys.data(), n);
    EXPECT_TRUE(same_bits(keys, want)) << n;
    if constexpr (compared<K>) compares_as_std(context, in, want);

    std::vector<std::uint32_t> places(in.size());
    std::iota(places.begin(), places.end(), 0U);
    std::vector<std::uint32_t> want_places = places;
    std::stable_sort(want_places.begin(), want_places.end(), [&](std::uint32_t a, std::uint32_t b) {
      return Less{}(in[a], in[b]);
    });
    keys = in;
    sort_by_key(context, keys.data(), places.data(), n);
    EXPECT_TRUE(same_bits(keys, want)) << n;
    EXPECT_EQ(places, want_places) << n;
  }
}

template <class K>
class SortOf : public testing::Test {};
using Types = testing::Types<std::uint8_t,
                             std::int8_t,
                             std::int16_t,
                             std::uint32_t,
                             std::int32_t,
                             std::uint64_t,
                             std::int64_t,
                             float,
                             double>;
TYPED_TEST_SUITE(SortOf, Types);

TYPED_TEST(SortOf, EveryInputEqualsStableSortForAnyThreads) {
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::int64_t n : sizes_around(threads == 2 ? cpu::sort_block : 1021)) {
      sorts_as_std<TypeParam>(context, n);
    }
  }
}

TYPED_TEST(SortOf, BucketsAroundTheCacheAndBeyondEqualStableSort) {
  Context context({.device = "cpu", .threads = 2});
  const std::int64_t bucket = cpu::radix_bucket<TypeParam, NoValue>;
  for (const std::int64_t n : {bucket - 1, bucket, bucket + 1}) sorts_as_std<TypeParam>(context, n);
}

TEST(Sort, RecursesWhereOneBucketHoldsMoreThanTheCache) {
  Context context({.device = "cpu", .threads = 2});
  // 2^20 keys of 64 bits that differ in their first bits rarely, in the middle and last ones often.
  std::vector<std::uint64_t> keys = random_values<std::uint64_t>(1 << 20);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 1000 != 0) keys[i] &= 0x0000'00ff'0000'ffff;
  }
  const std::vector<std::uint64_t> want = stable_sorted(keys, Less{});

  sort(context, keys.data(), ssize_of(keys));

  EXPECT_EQ(keys, want);
}

TEST(Sort, ReferenceSortsAndIsStable) {
  Context context({.device = "reference"});
  int keys[] = {3, 1, 3, 2, 1};
  char values[] = "abcde";

  sort_by_key(context, keys, values, 5);

  EXPECT_EQ(std::vector<int>(keys, keys + 5), (std::vector<int>{1, 1, 2, 3, 3}));
  EXPECT_EQ(std::string(values, 5), "bedac");
}

TEST(Sort, EveryFourKeysWithTiesStayStable) {
  // All 256 arrangements of four keys out of four: the branchless base of the mergesort.
  Context context({.device = "cpu", .threads = 1});
  for (unsigned pattern = 0; pattern < 256; ++pattern) {
    std::vector<std::pair<int, int>> pairs;
    std::vector<int> keys, values{0, 1, 2, 3};
    for (int i = 0; i < 4; ++i) {
      keys.push_back(static_cast<int>(pattern >> (2 * i) & 3));
      pairs.emplace_back(keys.back(), i);
    }
    std::sort(pairs.begin(), pairs.end());
    sort_by_key(context, keys.data(), values.data(), 4);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(std::make_pair(keys[i], values[i]), pairs[i]) << pattern;
    }
  }
}

TEST(Sort, StructuresGoByTheirOrderAndValuesOfAnySizeFollow) {
  struct Row {
    double weight;
    std::int32_t name;
  };
  struct Value {
    std::int32_t words[3];
  };
  Context context({.device = "cpu", .threads = 2});
  const auto by_weight = [](const Row& a, const Row& b) { return a.weight < b.weight; };
  for (const std::int64_t n : {std::int64_t{1000}, 5 * cpu::sort_block + 7}) {
    std::vector<Row> rows;
    std::vector<std::uint32_t> keys;
    std::vector<Value> values;
    for (std::int64_t i = 0; i < n; ++i) {
      rows.push_back({static_cast<double>(word(i) % 1000), static_cast<std::int32_t>(i)});
      keys.push_back(static_cast<std::uint32_t>(word(i, 3)));
      values.push_back(
          {{static_cast<std::int32_t>(keys.back()), 0, ~static_cast<std::int32_t>(keys.back())}});
    }
    std::vector<Row> want = rows;
    std::stable_sort(want.begin(), want.end(), by_weight);

    sort(context, rows.data(), n, by_weight);
    sort_by_key(context, keys.data(), values.data(), n);

    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i].name, want[i].name);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(values[i].words[0], static_cast<std::int32_t>(keys[i]));
      ASSERT_EQ(values[i].words[2], ~values[i].words[0]);
    }
  }
}

TEST(Quicksort, StaysFastOnInputsMadeAgainstIt) {
  // McIlroy's adversary: the order answers so that every pivot is as bad as it can be. Quadratic
  // work would be 10^10 comparisons here; the depth limit keeps it to some n log n.
  Context context({.device = "cpu", .threads = 1});
  const int n = 100'000, gas = n;
  std::vector<int> value(n, gas), keys(n);
  std::iota(keys.begin(), keys.end(), 0);
  int solid = 0, candidate = 0;
  std::int64_t asked = 0;
  const auto less = [&](int x, int y) {
    ++asked;
    auto& a = value[static_cast<std::size_t>(x)];
    auto& b = value[static_cast<std::size_t>(y)];
    if (a == gas && b == gas) (x == candidate ? a : b) = solid++;
    if (a == gas) {
      candidate = x;
    } else if (b == gas) {
      candidate = y;
    }
    return a < b;
  };

  quicksort(context, keys.data(), n, less);

  EXPECT_LT(asked, std::int64_t{100} * n * 17);
}

TEST(Sort, AnOrderThatContradictsItselfIsRefusedOrHarmless) {
  Context context({.device = "cpu", .threads = 2});
  std::vector<int> keys(200'000, 1);
  const auto always = [](int, int) { return true; };

  try {
    sort(context, keys.data(), ssize_of(keys), always);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), 1), ssize_of(keys));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

TEST(Sort, StopsWhenCancelled) {
  Context context({.device = "cpu", .threads = 2});
  context.cancel();
  std::vector<std::uint32_t> keys = random_values<std::uint32_t>(300'000);

  EXPECT_THROW(sort(context, keys.data(), ssize_of(keys)), Error);
  EXPECT_THROW(merge_sort(context, keys.data(), ssize_of(keys)), Error);
  EXPECT_THROW(quicksort(context, keys.data(), ssize_of(keys)), Error);
}

}  // namespace
}  // namespace yupana::arrays
