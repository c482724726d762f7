#include "yupana/arrays/merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "yupana/core/error.hpp"

namespace yupana::arrays {
namespace {

/// Sorted keys; `kinds` different ones, so that equal keys abound.
std::vector<std::uint32_t> sorted_keys(std::int64_t n, std::uint64_t seed, std::uint32_t kinds) {
  std::vector<std::uint32_t> keys = random_values<std::uint32_t>(n, seed);
  for (std::uint32_t& key : keys) key %= kinds;
  std::sort(keys.begin(), keys.end());
  return keys;
}

TEST(Merge, ReferencePutsEqualKeysOfTheFirstBeforeThoseOfTheSecond) {
  Context context({.device = "reference"});
  const int a[] = {1, 3, 3}, b[] = {2, 3};
  const char a_values[] = "xyz", b_values[] = "PQ";
  int keys[5];
  char values[5];

  merge_by_key<int, char>(context, {a, a_values}, 3, {b, b_values}, 2, {keys, values});

  EXPECT_EQ(std::vector<int>(keys, keys + 5), (std::vector<int>{1, 2, 3, 3, 3}));
  EXPECT_EQ(std::string(values, 5), "xPyzQ");
}

TEST(Merge, EqualsStdMergeWithItsValuesForAnySizesAndThreads) {
  std::vector<std::int64_t> sizes = sizes_around(cpu::merge_tile);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    for (const std::int64_t a_size : sizes) {
      for (const std::int64_t b_size : {std::int64_t{0}, std::int64_t{1}, a_size, sizes.back()}) {
        for (const std::uint32_t kinds : {1U, 9U, ~0U}) {
          const auto a = sorted_keys(a_size, 1, kinds), b = sorted_keys(b_size, 2, kinds);
          using Pair = std::pair<std::uint32_t, std::int32_t>;
          std::vector<Pair> x, y, want(a.size() + b.size());
          std::vector<std::int32_t> a_values, b_values;
          for (const auto key : a)
            a_values.push_back(static_cast<int>(x.size())), x.emplace_back(key, a_values.back());
          for (const auto key : b)
            b_values.push_back(-1 - static_cast<int>(y.size())),
                y.emplace_back(key, b_values.back());
          std::merge(x.begin(),
                     x.end(),
                     y.begin(),
                     y.end(),
                     want.begin(),
                     [](const Pair& p, const Pair& q) { return p.first < q.first; });
          std::vector<std::uint32_t> keys(want.size()), keys_alone(want.size());
          std::vector<std::int32_t> values(want.size());

          merge(context, a.data(), a_size, b.data(), b_size, keys_alone.data());
          merge_by_key<std::uint32_t, std::int32_t>(context,
                                                    {a.data(), a_values.data()},
                                                    a_size,
                                                    {b.data(), b_values.data()},
                                                    b_size,
                                                    {keys.data(), values.data()});

          ASSERT_EQ(keys, keys_alone);
          for (std::size_t i = 0; i < want.size(); ++i) {
            ASSERT_EQ(keys[i], want[i].first);
            ASSERT_EQ(values[i], want[i].second) << a_size << " " << b_size << " at " << i;
          }
        }
      }
    }
  }
}

TEST(Merge, TakesAnyOrderAndNanLast) {
  Context context({.device = "cpu", .threads = 2});
  const int a[] = {9, 5, 1}, b[] = {8, 5};
  int out[5];
  merge(context, a, 3, b, 2, out, Greater{});
  EXPECT_EQ(std::vector<int>(out, out + 5), (std::vector<int>{9, 8, 5, 5, 1}));

  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float c[] = {-1, nan}, d[] = {-2, 3, nan};
  float merged[5];
  merge(context, c, 2, d, 3, merged);
  EXPECT_EQ(std::vector<float>(merged, merged + 3), (std::vector<float>{-2, -1, 3}));
  EXPECT_TRUE(std::isnan(merged[3]) && std::isnan(merged[4]));
}

TEST(Merge, AnOrderThatContradictsItselfIsRefusedOrHarmless) {
  // "Always less" is no order; whatever comes out, nothing outside the arrays is touched (the
  // sanitizers watch) and nothing hangs.
  Context context({.device = "cpu", .threads = 2});
  const std::vector<int> a(100'000, 1), b(70'000, 1);
  std::vector<int> out(a.size() + b.size());
  const auto always = [](int, int) { return true; };

  try {
    merge(context, a.data(), ssize_of(a), b.data(), ssize_of(b), out.data(), always);
    EXPECT_EQ(std::count(out.begin(), out.end(), 1), ssize_of(out));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

}  // namespace
}  // namespace yupana::arrays
