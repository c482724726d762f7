// The exact test against the sum over all outcomes.
#include <gtest/gtest.h>

#include <cmath>

#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {
namespace {

/// log of the number of ways to get these genotypes from their alleles.
long double log_ways(std::int64_t a, std::int64_t het, std::int64_t b) {
  const auto factorial = [](std::int64_t n) {
    return std::lgamma(static_cast<long double>(n + 1));
  };
  return static_cast<long double>(het) * std::log(2.0L) - factorial(a) - factorial(het) -
         factorial(b);
}

long double p_by_hand(std::int64_t a, std::int64_t het, std::int64_t b, bool mid_p) {
  const std::int64_t alleles = 2 * a + het, called = a + het + b;
  const long double observed = log_ways(a, het, b);
  long double all = 0, tail = 0;
  for (std::int64_t h = alleles % 2; h <= std::min(alleles, 2 * called - alleles); h += 2) {
    const std::int64_t other_a = (alleles - h) / 2;
    const long double ways = log_ways(other_a, h, called - h - other_a);
    const long double weight = std::exp(ways - observed);
    all += weight;
    if (std::abs(ways - observed) < 1e-9L) {
      tail += mid_p ? weight / 2 : weight;
    } else if (ways < observed) {
      tail += weight;
    }
  }
  return tail / all;
}

TEST(HardyWeinberg, IsTheSumOverAllOutcomes) {
  for (const std::int64_t called : {1, 2, 3, 7, 30, 61}) {
    for (std::int64_t a = 0; a <= called; ++a) {
      for (std::int64_t het = 0; a + het <= called; ++het) {
        for (const bool mid_p : {false, true}) {
          const SiteCounts counts{a, het, called - a - het, 5};
          const auto wanted = static_cast<double>(p_by_hand(a, het, called - a - het, mid_p));
          ASSERT_NEAR(hardy_weinberg_p(counts, mid_p), wanted, 1e-9 * wanted)
              << a << ' ' << het << ' ' << called - a - het << ' ' << mid_p;
        }
      }
    }
  }
}

TEST(HardyWeinberg, LargeCohortsNeitherOverflowNorVanish) {
  EXPECT_EQ(hardy_weinberg_p({0, 0, 0, 9}), 1);
  EXPECT_EQ(hardy_weinberg_p({0, 0, 1'000'000, 0}), 1);
  EXPECT_NEAR(hardy_weinberg_p({250'000, 500'000, 250'000, 0}), 1, 1e-9);
  EXPECT_EQ(hardy_weinberg_p({500'000, 0, 500'000, 0}), 0);
  const SiteCounts rare{20, 9'000, 990'980, 0};
  const auto wanted = static_cast<double>(p_by_hand(20, 9'000, 990'980, false));
  EXPECT_NEAR(hardy_weinberg_p(rare), wanted, 1e-8 * wanted);
}

}  // namespace
}  // namespace yupana::genotype
