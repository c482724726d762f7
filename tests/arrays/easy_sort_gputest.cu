// Inputs that one look sorts: every other one must come back untouched.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/arrays/samples.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/there.hpp"
#include "yupana/arrays/device_arrays.hpp"
#include "yupana/arrays/easy_sort_cuda.hpp"

namespace yupana::arrays {
namespace {

using cuda::Workspace;

template <class K>
void keys_alone(const std::vector<K>& in, bool easy, const std::string& what) {
  Workspace space;
  There<K> there(in, 1);
  std::vector<K> want = in;
  if (easy) std::stable_sort(want.begin(), want.end(), Less{});
  EXPECT_EQ(cuda::sort_easy_input(space, nullptr, there.data(), ssize_of(in), nullptr, 0), easy)
      << what << ", " << in.size();
  EXPECT_TRUE(same_bits(there.back(), want)) << what << ", " << in.size();
}

template <class V, class K>
void keys_with_values(const std::vector<K>& in, bool easy, const std::string& what) {
  Workspace space;
  std::vector<std::size_t> order(in.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  There<K> keys(in);
  There<V> values(std::vector<V>(order.begin(), order.end()), 1);
  if (easy) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return Less{}(in[a], in[b]);
    });
  }
  std::vector<K> want;
  for (const std::size_t i : order) want.push_back(in[i]);
  EXPECT_EQ(
      cuda::sort_easy_input(space, nullptr, keys.data(), ssize_of(in), values.data(), sizeof(V)),
      easy)
      << what << ", " << in.size();
  EXPECT_TRUE(same_bits(keys.back(), want)) << what << ", " << in.size();
  EXPECT_TRUE(same_bits(values.back(), std::vector<V>(order.begin(), order.end()))) << what;
}

/// n keys f(0), f(1), ...
template <class K, class F>
std::vector<K> keys_of(std::int64_t n, const F& f) {
  std::vector<K> keys;
  for (std::int64_t i = 0; i < n; ++i) keys.push_back(static_cast<K>(f(i)));
  return keys;
}

template <class K>
void looks_at(std::int64_t n) {
  constexpr bool integers = std::is_integral_v<K>;
  const auto rising = keys_of<K>(n, [&](std::int64_t i) { return i / 3 - 100; });
  const auto falling = keys_of<K>(n, [&](std::int64_t i) { return n - i - 200; });
  const auto falling_with_ties = keys_of<K>(n, [&](std::int64_t i) { return (n - i) / 2; });
  const auto at_random = keys_of<K>(n, [](std::int64_t i) { return word(i) >> 40; });
  auto rising_but_last = keys_of<K>(n, [](std::int64_t i) { return i; });
  std::swap(rising_but_last[rising_but_last.size() - 1],
            rising_but_last[rising_but_last.size() - 2]);
  for (const bool with_values : {false, true}) {
    const auto check = [&](const std::vector<K>& in, bool easy, const char* what) {
      if (!with_values) return keys_alone(in, easy, what);
      keys_with_values<std::uint32_t>(in, easy, what);
      keys_with_values<std::uint64_t>(in, easy, what);
    };
    check(rising, !std::is_unsigned_v<K>, "rising");
    check(falling, !std::is_unsigned_v<K>, "falling");
    check(falling_with_ties, integers && !with_values, "falling with ties");
    check(at_random, false, "at random");
    check(rising_but_last, false, "rising but for the last");
  }
}

template <class K>
void counts(std::int64_t n) {
  for (const std::int64_t values : {2, 3, 31, 32}) {
    const auto in = keys_of<K>(n, [&](std::int64_t i) {
      return static_cast<std::int64_t>(word(i) >> 1) % values * 1000 - 7000;
    });
    keys_alone(in, true, std::to_string(values) + " values");
    keys_with_values<std::uint32_t>(in, false, std::to_string(values) + " values with others");
  }
  auto of_two = keys_of<K>(n, [](std::int64_t i) { return word(i) % 2; });
  of_two[of_two.size() - 1] = 7;  // no sample
  keys_alone(of_two, false, "two values and a third");
  of_two[of_two.size() - 1] = std::numeric_limits<K>::max();
  keys_alone(of_two, false, "two values and the largest");
}

TEST(EasySort, OrderedInputsNeedOneLookAndOthersStay) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {512, 2049, 100'003}) {
    looks_at<std::int32_t>(n);
    looks_at<std::int64_t>(n);
    looks_at<float>(n);
    looks_at<double>(n);
  }
  looks_at<std::uint32_t>(100'003);
  looks_at<std::uint64_t>(100'003);
}

TEST(EasySort, FewValuesAreCounted) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {20'000, 1'000'003}) {
    counts<std::int32_t>(n);
    counts<std::uint32_t>(n);
    counts<std::int64_t>(n);
    counts<std::uint64_t>(n);
    counts<float>(n);
    counts<double>(n);
  }
  keys_alone(keys_of<std::uint32_t>(100'000, [](std::int64_t i) { return i % 33 * 5; }),
             false,
             "one value too many");
}

TEST(EasySort, FloatsWhoseBitsDoNotTellTheirOrderGoTheLongWay) {
  YUPANA_NEEDS_GPU();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto three = [](float a, float b, float c) {
    return keys_of<float>(
        50'000, [&](std::int64_t i) { return word(i) % 3 == 0 ? a : (word(i) % 3 == 1 ? b : c); });
  };
  keys_alone(three(-0.0f, 1, nan), true, "-0, 1 and NaN");
  keys_alone(three(-std::numeric_limits<float>::infinity(), 0, 1e-45f), true, "extremes");
  keys_alone(three(-0.0f, 0, 1), false, "zeros of both signs");
  keys_alone(three(1, nan, std::bit_cast<float>(0x7fc00001u)), false, "two NaN");
}

TEST(EasySort, LongArraysTakeTheShortcutWithTheSameBytes) {
  YUPANA_NEEDS_GPU();
  const std::int64_t n = cuda::easy_sort_min<std::int32_t, NoValue> + 3;
  const auto sorts = [&](const std::vector<std::int32_t>& in) {
    Workspace space;
    There<std::int32_t> keys(in);
    cuda::sort_by_key(space, nullptr, Columns<std::int32_t>{keys.data(), nullptr}, n);
    std::vector<std::int32_t> want = in;
    std::sort(want.begin(), want.end());
    EXPECT_TRUE(keys.back() == want);
  };
  sorts(keys_of<std::int32_t>(n, [](std::int64_t i) { return i - 1000; }));
  sorts(keys_of<std::int32_t>(n, [](std::int64_t i) { return -i; }));
  sorts(keys_of<std::int32_t>(n, [](std::int64_t i) { return word(i) % 16; }));
  sorts(
      keys_of<std::int32_t>(n, [](std::int64_t i) { return i == 9'000'000 ? 17 : word(i) % 16; }));
  sorts(keys_of<std::int32_t>(n, [](std::int64_t i) { return word(i); }));
}

}  // namespace
}  // namespace yupana::arrays
