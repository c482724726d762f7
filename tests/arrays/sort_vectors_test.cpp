// Keys that vectors sort have the bytes of the stable order.
#include "yupana/arrays/sort_vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "yupana/arrays/sort.hpp"

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
void expect_stable_order(const std::vector<K>& keys, int threads) {
  std::vector<K> want = keys, got = keys;
  std::stable_sort(want.begin(), want.end(), Order{});
  Context context({.device = "cpu", .threads = threads});
  sort(context, got.data(), static_cast<std::int64_t>(got.size()), Order{});
  EXPECT_EQ(std::memcmp(got.data(), want.data(), got.size() * sizeof(K)), 0);
}

TYPED_TEST(VectorsOf, EveryOrderAndNumberOfThreadsHasTheBytesOfTheStableOrder) {
  for (const std::int64_t n : {2000, 70'000, 300'000}) {
    for (const int threads : {1, 2}) {
      const std::vector<TypeParam> keys = some_keys<TypeParam>(n);
      expect_stable_order<Less>(keys, threads);
      expect_stable_order<Greater>(keys, threads);
      expect_stable_order<Descending>(keys, threads);
    }
  }
}

TYPED_TEST(VectorsOf, SortKeysWhateverTheProcessor) {
  using K = TypeParam;
  std::vector<K> keys = some_keys<K>(5000);
  keys.insert(keys.end(), {std::numeric_limits<K>::lowest(), std::numeric_limits<K>::max(), K{0}});
  if (std::is_floating_point_v<K>) {
    for (const int sign : {1, -1}) {
      keys.push_back(static_cast<K>(sign) * std::numeric_limits<K>::infinity());
      keys.push_back(static_cast<K>(sign) * std::numeric_limits<K>::denorm_min());
    }
  }
  ASSERT_TRUE(cpu::are_plain(keys.data(), keys.data() + keys.size()));
  std::vector<K> want = keys;
  std::sort(want.begin(), want.end());
  cpu::sort_plain<Less>(keys.data(), static_cast<std::int64_t>(keys.size()));
  EXPECT_EQ(keys, want);
  std::reverse(want.begin(), want.end());
  cpu::sort_plain<Descending>(keys.data(), static_cast<std::int64_t>(keys.size()));
  EXPECT_EQ(keys, want);
}

TEST(Vectors, NaNAndNegativeZeroStandInTheStableOrder) {
  for (const double odd : {-0.0, std::nan(""), -std::nan("")}) {
    std::vector<double> keys(100, 1.0);
    EXPECT_TRUE(cpu::are_plain(keys.data(), keys.data() + 100));
    keys[99] = odd;
    EXPECT_FALSE(cpu::are_plain(keys.data(), keys.data() + 100));
    // Zeros of both signs and every NaN keep the order in which they stand.
    std::vector<double> many = some_keys<double>(70'000);
    for (std::size_t i = 0; i < many.size(); i += 1000) many[i] = i % 2000 == 0 ? odd : 0.0;
    for (const int threads : {1, 2}) expect_stable_order<Less>(many, threads);
  }
}

}  // namespace
}  // namespace yupana::arrays
