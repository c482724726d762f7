#include "yupana/spectral/fft_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "yupana/spectral/plan_cache.hpp"

namespace yupana::spectral::cpu {
namespace {

/// Distance in units of the last place of `want` as a double.
double ulps(double got, long double want) {
  const double near = std::fabs(static_cast<double>(want));
  const double unit = std::nextafter(near, HUGE_VAL) - near;
  return static_cast<double>(std::fabs(got - want)) / unit;
}

TEST(FftPlan, RootsAreWithinAnUlpAndATenth) {
  const long double turn = -2 * std::acos(-1.0L);
  double worst = 0;
  for (const std::int64_t n : {3, 8, 12, 100, 1000, 1024, 4096, 65537, 1000003, 1 << 24}) {
    const std::int64_t step = std::max<std::int64_t>(1, n / 5000);
    for (std::int64_t k = 0; k < n; k += step) {
      const auto w = unit_root(k, n);
      // The long double angle is good to 4e-19, 0.06 ulp of parts above 1/32.
      const long double angle = turn * static_cast<long double>(k) / static_cast<long double>(n);
      const long double re = std::cos(angle), im = std::sin(angle);
      if (std::fabs(re) > 0.03125L) worst = std::max(worst, ulps(w.real(), re));
      if (std::fabs(im) > 0.03125L) worst = std::max(worst, ulps(w.imag(), im));
    }
  }
  EXPECT_LE(worst, 1.1);
}

TEST(FftPlan, RootsOnTheAxesAreExact) {
  for (const std::int64_t n : {4, 12, 1 << 20}) {
    EXPECT_EQ(unit_root(0, n), std::complex<double>(1, 0));
    EXPECT_EQ(unit_root(n / 4, n), std::complex<double>(0, -1));
    EXPECT_EQ(unit_root(n / 2, n), std::complex<double>(-1, 0));
    EXPECT_EQ(unit_root(3 * (n / 4), n), std::complex<double>(0, 1));
  }
}

TEST(FftPlan, TablesHoldEveryRoot) {
  for (const std::int64_t n : {60, 1009, 4096}) {
    for (const std::int64_t low : {1, 16, 60}) {
      const RootTable table(n, low);
      for (std::int64_t k = 0; k < n; ++k) {
        ASSERT_LT(std::abs(table(k) - unit_root(k, n)), 4e-16) << n << " " << low << " " << k;
      }
    }
  }
}

TEST(FftPlan, RadicesMultiplyToTheLengthAndRowsGoEverywhere) {
  for (std::int64_t n = 1; n <= 5000; ++n) {
    if (!is_smooth(n)) continue;
    std::int64_t product = 1;
    for (const int radix : radices_of(n)) product *= radix;
    ASSERT_EQ(product, n);
    if (n > 600) continue;
    const RowPlan<double> plan(n);
    const std::int64_t last = plan.passes.back().radix;
    std::vector<int> seen(static_cast<std::size_t>(n), 0);
    for (const std::int64_t first : plan.to) {
      for (std::int64_t q = 0; q < last; ++q)
        ++seen[static_cast<std::size_t>(first + q * (n / last))];
    }
    ASSERT_EQ(std::accumulate(seen.begin(), seen.end(), 0), n);
    for (const int times : seen) ASSERT_EQ(times, 1) << n;
  }
}

TEST(FftPlan, SplitsAreFactors) {
  for (const std::int64_t n : {33, 1000, 4096, 1 << 20, 1 << 24}) {
    if (!is_smooth(n)) continue;
    const Split split = split_of(n, 16);
    ASSERT_EQ(split.rows * split.columns, n);
  }
  EXPECT_EQ(split_of(1 << 24, 8).rows, 4096);
}

/// A plan of as many bytes as its length says, which counts the plans that were made.
struct Counted {
  explicit Counted(std::int64_t length_) : length(length_) { ++made; }
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(length) + grown; }
  std::int64_t length;
  std::uint64_t grown = 0;
  static inline int made = 0;
};

TEST(PlanCache, KeepsTheLastUsedWithinItsBytes) {
  PlanCache<Counted> cache(100);
  const auto use = [&](std::int64_t length) {
    const int before = Counted::made;
    cache.with(length, [&](Counted& plan) { EXPECT_EQ(plan.length, length); });
    return Counted::made > before;
  };
  EXPECT_TRUE(use(40));
  EXPECT_TRUE(use(50));
  EXPECT_EQ(cache.bytes(), 90u);
  EXPECT_FALSE(use(40));  // now 50 is the oldest
  EXPECT_TRUE(use(60));
  EXPECT_EQ(cache.bytes(), 100u);
  EXPECT_FALSE(use(40));
  EXPECT_TRUE(use(50));
  EXPECT_EQ(cache.bytes(), 90u);
}

TEST(PlanCache, DropsAPlanThatIsOrGrowsTooLarge) {
  PlanCache<Counted> cache(100);
  cache.with(101, [](Counted&) {});
  EXPECT_EQ(cache.bytes(), 0u);
  cache.with(10, [](Counted& plan) { plan.grown = 50; });
  EXPECT_EQ(cache.bytes(), 60u);
  cache.with(10, [](Counted& plan) { plan.grown = 200; });
  EXPECT_EQ(cache.bytes(), 0u);
}

TEST(PlanCache, KeepsFewPlansHoweverSmall) {
  PlanCache<Counted> cache(1 << 20);
  for (std::int64_t length = 1; length <= 1000; ++length) cache.with(length, [](Counted&) {});
  EXPECT_LE(cache.bytes(), 64u * 1000);
  const int before = Counted::made;
  cache.with(1000, [](Counted&) {});
  EXPECT_EQ(Counted::made, before);
}

}  // namespace
}  // namespace yupana::spectral::cpu
