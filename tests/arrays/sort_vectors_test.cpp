// Keys that vectors sort have the bytes of the stable order.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "yupana/arrays/sort.hpp"
#include "yupana/arrays/sort_by_vectors.hpp"

namespace yupana::arrays {
namespace {

template <class K>
class VectorsOf : public testing::Test {};
using Types =
    testing::Types<std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t, double>;
TYPED_TEST_SUITE(VectorsOf, Types);

/// Finite numbers of both signs, many of them several times; no -0.
template <class K>
std::vector<K> some_keys(std::int64_t n) {
  std::mt19937_64 draw(7);
  std::vector<K> keys(static_cast<std::size_t>(n));
  for (K& key : keys) {
    const std::uint64_t word = draw() >> (draw() % 64);
    key = static_cast<K>(draw() % 2 == 0 ? word : ~word);
    if constexpr (std::is_floating_point_v<K>) {
      key = static_cast<K>(std::ldexp(static_cast<double>(word % 1000) - 500,
                                      static_cast<int>(draw() % 200) - 100)) +
            K{0};
    }
  }
  return keys;
}

template <class Order, class K>
void expect_stable_order(const std::vector<K>& keys) {
  std::vector<K> want = keys;
  std::stable_sort(want.begin(), want.end(), Order{});
  for (const int threads : {1, 2, 5}) {
    std::vector<K> got = keys;
    Context context({.device = "cpu", .threads = threads});
    sort(context, got.data(), static_cast<std::int64_t>(got.size()), Order{});
    EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(K)), 0) << threads;
    got = keys;
    cpu::sort_by_vectors<Order>(context, got.data(), static_cast<std::int64_t>(got.size()));
    EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(K)), 0) << threads;
  }
}

template <class K>
void expect_stable_order_in_every_order(const std::vector<K>& keys) {
  expect_stable_order<Less>(keys);
  expect_stable_order<Greater>(keys);
  expect_stable_order<Descending>(keys);
}

TYPED_TEST(VectorsOf, EveryOrderAndNumberOfThreadsHasTheBytesOfTheStableOrder) {
  for (const std::int64_t n : {2000, 70'000, 300'000, 1'000'003}) {
    expect_stable_order_in_every_order(some_keys<TypeParam>(n));
  }
}

TYPED_TEST(VectorsOf, FewValuesAndOneValueAlmostEverywhere) {
  for (const int values : {1, 2, 16}) {
    std::vector<TypeParam> keys = some_keys<TypeParam>(600'001);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = keys[i * i % 997 % values];
    expect_stable_order_in_every_order(keys);
    keys[keys.size() / 3] = std::numeric_limits<TypeParam>::max();
    keys[keys.size() / 2] = std::numeric_limits<TypeParam>::lowest();
    expect_stable_order_in_every_order(keys);
  }
}

/// 40 numbers of both signs, none of them twice.
template <class K>
std::vector<K> different_values() {
  std::vector<K> values;
  for (int i = 0; i < 40; ++i)
    values.push_back(static_cast<K>(7 * i + 3) * static_cast<K>(i % 2 == 0 ? -1 : 1));
  return values;
}

TYPED_TEST(VectorsOf, ValuesThatNoSampleShowsAreCountedToo) {
  const std::vector<TypeParam> values = different_values<TypeParam>();
  for (const std::size_t count : {2, 3, 4, 5, 31, 32, 33}) {
    std::vector<TypeParam> keys(300'007);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = values[i * i % 997 % count];
    expect_stable_order_in_every_order(keys);
    for (const std::size_t rare : {33, 34, 35}) {
      keys[keys.size() - 1000 * (rare - 30) - 1] = values[rare];
      expect_stable_order_in_every_order(keys);
    }
  }
}

/// Of every 100 keys so many of one value; others differ from each other, for most part.
template <class K>
std::vector<K> mostly(K value, std::uint64_t percent, std::int64_t n) {
  std::vector<K> keys = some_keys<K>(n);
  std::mt19937_64 draw(5);
  for (K& key : keys) key = draw() % 100 < percent ? value : key;
  return keys;
}

TYPED_TEST(VectorsOf, OneCommonValueAmongManyRareOnes) {
  using K = TypeParam;
  for (const K value :
       {K{0}, K{7}, std::numeric_limits<K>::lowest(), std::numeric_limits<K>::max()}) {
    for (const std::uint64_t percent : {60, 90, 99}) {
      expect_stable_order_in_every_order(mostly(value, percent, 100'003));
    }
    expect_stable_order_in_every_order(mostly(value, 90, 1 << 14));
  }
}

TYPED_TEST(VectorsOf, CommonValuesOfFallingFrequency) {
  const std::vector<TypeParam> values = different_values<TypeParam>();
  for (const std::size_t count : {3, 9, 40}) {
    std::vector<TypeParam> keys = some_keys<TypeParam>(150'007);
    std::mt19937_64 draw(11);
    for (TypeParam& key : keys) {
      const std::uint64_t word = draw();
      if (word % 5 != 0)
        key = values[std::min(count, count * (word % 1000) / (1 + word % 997)) % count];
    }
    expect_stable_order_in_every_order(keys);
  }
}

TYPED_TEST(VectorsOf, SampledPlacesThatHoldTheLeastKeysOnly) {
  std::vector<TypeParam> keys = some_keys<TypeParam>(1 << 20);
  std::sort(keys.begin(), keys.end());
  const std::vector<TypeParam> sorted = keys;
  for (const std::size_t samples : {31, 255}) {
    const std::size_t step = keys.size() / samples;
    for (std::size_t i = 0; i < samples; ++i) {
      std::swap(keys[i], keys[step * i + keys.size() / (2 * samples)]);
    }
    expect_stable_order_in_every_order(keys);
    keys = sorted;
  }
}

TYPED_TEST(VectorsOf, SortKeysWhateverTheProcessor) {
  using K = TypeParam;
  std::vector<K> keys = some_keys<K>(150'000);
  keys.insert(keys.end(), {std::numeric_limits<K>::lowest(), std::numeric_limits<K>::max(), K{0}});
  if (std::is_floating_point_v<K>) {
    for (const int sign : {1, -1}) {
      keys.push_back(static_cast<K>(sign) * std::numeric_limits<K>::infinity());
      keys.push_back(static_cast<K>(sign) * std::numeric_limits<K>::denorm_min());
    }
  }
  std::vector<K> want = keys;
  std::sort(want.begin(), want.end());
  Context context({.device = "cpu", .threads = 2});
  cpu::sort_by_vectors<Less>(context, keys.data(), static_cast<std::int64_t>(keys.size()));
  EXPECT_EQ(keys, want);
  std::reverse(want.begin(), want.end());
  cpu::sort_by_vectors<Descending>(context, keys.data(), static_cast<std::int64_t>(keys.size()));
  EXPECT_EQ(keys, want);
}

template <class K>
class VectorsOfFloats : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorsOfFloats, Floats);

TYPED_TEST(VectorsOfFloats, NaNAndNegativeZeroAreFoundAtEveryPlace) {
  using K = TypeParam;
  Context context({.device = "cpu", .threads = 1});
  for (const K odd :
       {-K{0}, std::numeric_limits<K>::quiet_NaN(), -std::numeric_limits<K>::quiet_NaN()}) {
    for (std::size_t place = 0; place < 99; ++place) {
      std::vector<K> keys(99, -std::numeric_limits<K>::infinity());
      EXPECT_TRUE(cpu::are_plain(context, keys.data(), 99));
      keys[place] = odd;
      EXPECT_FALSE(cpu::are_plain(context, keys.data(), 99));
    }
  }
}

TYPED_TEST(VectorsOfFloats, FewValuesWithOneNaNOrNegativeZero) {
  using K = TypeParam;
  const std::vector<K> values = different_values<K>();
  for (const K odd :
       {-K{0}, std::numeric_limits<K>::quiet_NaN(), -std::numeric_limits<K>::quiet_NaN()}) {
    std::vector<K> keys(100'003);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i % 50 == 3 ? K{0} : values[i * i % 17];
    for (const std::size_t place : {std::size_t{0}, std::size_t{70'001}, keys.size() - 1}) {
      keys[place] = odd;
      expect_stable_order_in_every_order(keys);
    }
  }
}

TYPED_TEST(VectorsOfFloats, OneRareKeyEqualsTheCommonOne) {
  using K = TypeParam;
  using U = cpu::UnsignedOf<sizeof(K)>;
  const K nan = std::numeric_limits<K>::quiet_NaN();
  const K other_nan = std::bit_cast<K>(static_cast<U>(std::bit_cast<U>(nan) + 1));
  const std::vector<std::pair<K, K>> pairs = {{K{0}, -K{0}}, {-K{0}, K{0}}, {nan, other_nan}};
  for (const auto& [common, rare] : pairs) {
    for (const std::uint64_t percent : {70, 99}) {
      std::vector<K> keys = mostly(common, percent, 150'007);
      std::replace(keys.begin(), keys.end(), rare, common);
      expect_stable_order_in_every_order(keys);
      for (const std::size_t place : {std::size_t{0}, std::size_t{100'001}, keys.size() - 1}) {
        const K before = std::exchange(keys[place], rare);
        expect_stable_order_in_every_order(keys);
        keys[place] = before;
      }
      // Both common.
      for (std::size_t i = 0; i < keys.size(); i += 3) keys[i] = rare;
      expect_stable_order_in_every_order(keys);
    }
  }
}

TYPED_TEST(VectorsOfFloats, NaNAndZerosOfBothSignsStandInTheStableOrder) {
  using K = TypeParam;
  using U = cpu::UnsignedOf<sizeof(K)>;
  for (const std::size_t every : {1, 3, 1000}) {
    std::vector<K> keys = some_keys<K>(600'000);
    std::mt19937_64 draw(3);
    for (std::size_t i = 0; i < keys.size(); i += every) {
      // NaNs of many bit patterns, so that another order of them would show.
      const U nan = std::bit_cast<U>(std::numeric_limits<K>::infinity()) + 1 + U(draw() % 1000);
      const U sign = U(draw() % 2) << (8 * sizeof(K) - 1);
      keys[i] = draw() % 2 == 0 ? std::bit_cast<K>(nan | sign) : std::bit_cast<K>(sign);
    }
    expect_stable_order_in_every_order(keys);
  }
}

}  // namespace
}  // namespace yupana::arrays
