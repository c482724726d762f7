#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "yupana/arrays/selection.hpp"

namespace yupana::arrays {
namespace {

template <class K, class Order>
void sorts_with_places(std::int64_t n, Order less) {
  std::vector<K> in = random_values<K>(n);
  if constexpr (std::is_floating_point_v<K>) in = odd_floats<K>(n);
  std::vector<std::int64_t> want(in.size());
  std::iota(want.begin(), want.end(), 0);
  std::stable_sort(want.begin(), want.end(), [&](std::int64_t a, std::int64_t b) {
    return less(in[static_cast<std::size_t>(a)], in[static_cast<std::size_t>(b)]);
  });
  Context context({.device = "cpu", .threads = 2});
  std::vector<std::int64_t> places(in.size());
  std::iota(places.begin(), places.end(), 0);
  std::vector<K> keys = in;
  sort_by_key(context, keys.data(), places.data(), n, less);
  EXPECT_EQ(places, want) << n;
  std::vector<K> want_keys;
  for (const std::int64_t place : want) want_keys.push_back(in[static_cast<std::size_t>(place)]);
  EXPECT_TRUE(same_bits(keys, want_keys)) << n;
}

template <class K>
class SortInOrder : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(SortInOrder, Types);

TYPED_TEST(SortInOrder, RadixKeepsEveryOrderStable) {
  for (const std::int64_t n : {std::int64_t{0},
                               std::int64_t{2},
                               cpu::radix_min + 7,
                               2 * cpu::radix_bucket<TypeParam, std::int64_t> + 1}) {
    sorts_with_places<TypeParam>(n, Greater{});
    sorts_with_places<TypeParam>(n, Descending{});
  }
}

TYPED_TEST(SortInOrder, SelectedIsTheBeginningOfTheOrderWithoutRepeats) {
  using K = TypeParam;
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{3}, cpu::radix_min + 7}) {
    std::vector<K> in = random_values<K>(n);
    if constexpr (std::is_floating_point_v<K>) in = odd_floats<K>(n);
    std::vector<K> want = in;
    std::stable_sort(want.begin(), want.end(), Descending{});
    want.erase(std::unique(want.begin(), want.end(), Equal{}), want.end());
    for (const std::int64_t top : {INT64_MAX, std::int64_t{2}, std::int64_t{0}}) {
      if (top < ssize_of(want)) want.resize(static_cast<std::size_t>(top));
      for (const int threads : {1, 3}) {
        Context context({.device = "cpu", .threads = threads});
        std::vector<K> keys = in;
        const Columns<K> data{keys.data(), nullptr};
        keys.resize(static_cast<std::size_t>(
            sort_selected(context, data, n, {.descending = true, .unique = true, .top = top})));
        EXPECT_TRUE(same_bits(keys, want)) << n << " " << top;
      }
    }
  }
}

TEST(Descending, PutsNanLastAndHoldsZerosEqual) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> keys = {nan, -0.0, 1, 0.0, -2};
  Context context({.device = "cpu", .threads = 1});
  sort(context, keys.data(), ssize_of(keys), Descending{});
  EXPECT_EQ(keys[0], 1);
  EXPECT_TRUE(std::signbit(keys[1]) && !std::signbit(keys[2]));
  EXPECT_EQ(keys[3], -2);
  EXPECT_TRUE(std::isnan(keys[4]));
}

}  // namespace
}  // namespace yupana::arrays
