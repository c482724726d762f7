#include <gtest/gtest.h>

#include <numeric>

#include "tests/analysis/matrices.hpp"
#include "yupana/analysis/histogram.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

using test::view;

std::vector<std::int64_t> backwards(std::int64_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

TEST(Reduced, IsTheMatrixInItsOrderWhereCellsSuffice) {
  Context context;
  const auto d = test::seven_points();
  for (const std::int64_t cells : {7, 8, 512}) {
    const auto got = reduced(context, view(d), backwards(7), cells);
    ASSERT_EQ(got.size(), 7);
    for (std::int64_t a = 0; a < 7; ++a) {
      for (std::int64_t b = 0; b < 7; ++b) {
        EXPECT_EQ(got(a, b), static_cast<float>(d(6 - a, 6 - b)));
      }
    }
  }
}

TEST(Reduced, CellsAreMeansOfDifferentIndividuals) {
  Context context;
  // Order 0 1 | 2 3 4 of five on a line at 0, 1, 2, 3, 4.
  const auto d = test::symmetric<std::int32_t>(5, [](auto i, auto j) { return j - i; });
  const auto got = reduced(context, view(d), {0, 1, 2, 3, 4}, 2);
  ASSERT_EQ(got.size(), 2);
  EXPECT_EQ(got(0, 0), 1);
  EXPECT_FLOAT_EQ(got(1, 1), 4.0f / 3);
  EXPECT_FLOAT_EQ(got(0, 1), 15.0f / 6);
}

TEST(Reduced, IsSymmetricAndTheSameForAnyThreads) {
  const auto d = test::random_distances<float>(101, 0, 1);
  Context one({.device = "cpu", .threads = 1});
  const auto want = reduced(one, view(d), backwards(101), 30);
  for (const int threads : {2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    const auto got = reduced(context, view(d), backwards(101), 30);
    for (std::int64_t a = 0; a < 30; ++a) {
      for (std::int64_t b = 0; b < 30; ++b) {
        EXPECT_EQ(got(a, b), want(a, b));
        EXPECT_EQ(got(a, b), got(b, a));
      }
    }
  }
}

TEST(Reduced, MissingPairsAreLeftOut) {
  Context context;
  const auto d = test::symmetric<float>(6, [](auto i, auto j) {
    return i < 3 && j >= 3 ? test::infinity : j == 2 ? 8.0 : 4.0;
  });
  const auto got = reduced(context, view(d), {0, 1, 2, 3, 4, 5}, 2);
  EXPECT_FLOAT_EQ(got(0, 0), 20.0f / 3);
  EXPECT_EQ(got(0, 1), std::numeric_limits<float>::infinity());
  EXPECT_EQ(got(1, 1), 4);
}

TEST(Reduced, RefusesWhatIsNoOrder) {
  Context context;
  const auto d = test::seven_points();
  EXPECT_THROW(reduced(context, view(d), {0, 1, 2}, 5), Error);
  EXPECT_THROW(reduced(context, view(d), {0, 1, 2, 3, 4, 5, 5}, 5), Error);
  EXPECT_THROW(reduced(context, view(d), {0, 1, 2, 3, 4, 5, 7}, 5), Error);
  EXPECT_THROW(reduced(context, view(d), backwards(7), 0), Error);
  EXPECT_EQ(reduced(context, MatrixView<const float>(), {}, 512).size(), 0);
}

}  // namespace
}  // namespace yupana::analysis
