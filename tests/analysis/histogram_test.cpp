#include "yupana/analysis/histogram.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/analysis/matrices.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

using test::view;
using Counts = std::vector<std::int64_t>;

TEST(Histogram, CountsPairsOfEqualBins) {
  // Bins of two from 1 to 11, the largest in the last.
  Context context;
  const Histogram got = histogram(context, view(test::eight_points()), 5);
  EXPECT_EQ(got.low, 1);
  EXPECT_EQ(got.high, 11);
  // 1 four times, 2 twice | 3 | none | 7 three times, 8 six | 9 seven times, 10 four, 11.
  EXPECT_EQ(std::accumulate(got.counts.begin(), got.counts.end(), 0), 28);
  EXPECT_EQ(got.counts, (Counts{6, 1, 0, 9, 12}));
  EXPECT_EQ(got.unreachable, 0);
}

TEST(Histogram, EqualsACountByHandForAnyThreads) {
  for (const std::int64_t n : {2, 31, 32, 33, 101}) {
    const auto d = test::random_distances<float>(n, 3, 7);
    double low = 7, high = 3;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        low = std::min<double>(low, d(i, j));
        high = std::max<double>(high, d(i, j));
      }
    }
    Counts want(10);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) {
        const double bin =
            high > low ? 10 * (static_cast<double>(d(i, j)) - low) / (high - low) : 0;
        ++want[std::min<std::size_t>(static_cast<std::size_t>(bin), 9)];
      }
    }
    for (const int threads : {1, 2, 7}) {
      Context context({.device = "cpu", .threads = threads});
      const Histogram got = histogram(context, view(d), 10);
      EXPECT_EQ(got.counts, want);
      EXPECT_EQ(got.low, low);
      EXPECT_EQ(got.high, high);
    }
  }
}

TEST(Histogram, UnreachablePairsAreCountedApart) {
  Context context;
  const auto d = test::symmetric<std::int32_t>(
      4, [](auto i, auto j) { return i % 2 == j % 2 ? i + j : 0x3fffffff; });
  const Histogram got = histogram(context, view(d), 2);
  EXPECT_EQ(got.counts, (Counts{1, 1}));
  EXPECT_EQ(got.high, 4);
  EXPECT_EQ(got.unreachable, 4);
  const auto none = test::symmetric<double>(3, [](auto, auto) { return test::infinity; });
  EXPECT_EQ(histogram(context, view(none), 2).counts, (Counts{0, 0}));
  EXPECT_EQ(histogram(context, view(none), 2).unreachable, 3);
}

TEST(Histogram, OneValueFillsTheFirstBin) {
  Context context;
  const auto d = test::symmetric<double>(5, [](auto, auto) { return 2.5; });
  EXPECT_EQ(histogram(context, view(d), 3).counts, (Counts{10, 0, 0}));
  EXPECT_EQ(histogram(context, MatrixView<const float>(), 3).counts, (Counts{0, 0, 0}));
  EXPECT_THROW(histogram(context, view(d), 0), Error);
}

}  // namespace
}  // namespace yupana::analysis
