// 2^31 + 7 elements: counts and places that no int holds. Bytes, so that it takes little memory.
#include <gtest/gtest.h>

#include <cstring>

#include "yupana/arrays/merge.hpp"
#include "yupana/arrays/partition.hpp"
#include "yupana/arrays/reduce.hpp"
#include "yupana/arrays/scan.hpp"
#include "yupana/arrays/sort.hpp"
#include "yupana/core/array.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::arrays {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool watched = true;  // by a sanitizer, many times slower
#else
constexpr bool watched = false;
#endif

constexpr std::int64_t n = (std::int64_t{1} << 31) + 7;

/// Places at which values are not what they should be.
template <class Expected>
std::int64_t wrong(const Array<std::uint8_t>& values, const Expected& expected) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < values.size(); ++i) count += values[i] != expected(i);
  return count;
}

TEST(TwoToThe31AndSevenElements, AreScannedInPlace) {
  if (watched) GTEST_SKIP() << "too slow under a sanitizer";
  if (free_memory() < 3ULL << 30) GTEST_SKIP() << "needs 3 GiB of free memory";
  Context context({.device = "cpu"});
  Array<std::uint8_t> values(n);
  std::memset(values.data(), 1, values.bytes());
  inclusive_scan(context, values.data(), n, values.data());
  // Element i is i + 1 modulo 256.
  EXPECT_EQ(wrong(values, [](std::int64_t i) { return static_cast<std::uint8_t>(i + 1); }), 0);
}

// 0, 1 ... 255, 0, 1 ...: every value 2^23 times, the first seven once more.
TEST(TwoToThe31AndSevenElements, AreSortedMergedPartedAndFolded) {
  if (watched) GTEST_SKIP() << "too slow under a sanitizer";
  if (free_memory() < 9ULL << 30) GTEST_SKIP() << "needs 9 GiB of free memory";
  Context context({.device = "cpu"});
  Array<std::uint8_t> values(n), other(n);
  for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<std::uint8_t>(i);
  constexpr std::int64_t each = std::int64_t{1} << 23;
  const auto sorted = [](std::int64_t i) {
    const std::int64_t long_runs = 7 * (each + 1);
    return static_cast<std::uint8_t>(i < long_runs ? i / (each + 1) : 7 + (i - long_runs) / each);
  };
  EXPECT_EQ(reduce(context, values.data(), n, std::uint8_t{0}, Max{}), 255);
  // 2^23 times the sum of all values, 0 modulo 256, and 0 + 1 + ... + 6.
  EXPECT_EQ(reduce(context, values.data(), n, std::uint8_t{0}), 21);

  const auto odd = [](std::uint8_t x) { return x % 2 == 1; };
  const std::int64_t odds = partition(context, values.data(), n, other.data(), odd);
  EXPECT_EQ(odds, 128 * each + 3);
  EXPECT_EQ(wrong(other,
                  [&](std::int64_t i) {  // both halves keep their order
                    return static_cast<std::uint8_t>(i < odds ? 2 * i + 1 : 2 * (i - odds));
                  }),
            0);

  sort(context, values.data(), n);
  ASSERT_EQ(wrong(values, sorted), 0);
  Array<std::uint8_t> keys(256);
  Array<std::uint8_t> greatest(256);
  ASSERT_EQ(
      reduce_by_key(context, values.data(), values.data(), n, keys.data(), greatest.data(), Max{}),
      256);
  for (int k = 0; k < 256; ++k) EXPECT_TRUE(keys[k] == k && greatest[k] == k) << k;
  // All of the first but for its end is less than the second.
  const std::int64_t half = n / 2 + 1;
  merge(context, values.data() + half, n - half, values.data(), half, other.data());
  EXPECT_EQ(wrong(other, sorted), 0);
}

}  // namespace
}  // namespace yupana::arrays
