#include "yupana/genotype/metric.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/pack_planes.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::genotype {
namespace {

using testing::Genotypes;
using testing::pack_planes;
using testing::random_genotypes;

PairCounts count(Context& context, const Genotypes& genotypes, bool hethet = true) {
  PairCounter counter(context, genotypes.samples, {hethet, {}});
  counter.add(pack_planes(genotypes));
  return counter.take();
}

/// The metric's definition, from the genotypes themselves.
double expected(const Genotypes& g, Metric metric, std::int64_t i, std::int64_t j) {
  double squared = 0, absolute = 0, discordant = 0, shared = 0, het_i = 0, het_j = 0;
  double sum_i = 0, sum_j = 0;
  for (std::int64_t k = 0; k < g.sites; ++k) {
    const int x = g.at(i, k), y = g.at(j, k);
    if (x < 0 || y < 0) continue;
    shared += 1;
    squared += (x - y) * (x - y);
    absolute += std::abs(x - y);
    discordant += x != y;
    het_i += x == 1;
    het_j += y == 1;
    sum_i += x;
    sum_j += y;
  }
  const double up = static_cast<double>(g.sites) / shared;
  switch (metric) {
    case Metric::squared_euclidean:
      return squared * up;
    case Metric::euclidean:
      return std::sqrt(squared * up);
    case Metric::manhattan:
      return absolute * up;
    case Metric::ibs:
      return 1 - absolute / (2 * shared);
    case Metric::one_minus_ibs:
      return absolute / (2 * shared);
    case Metric::hamming:
      return discordant * up;
    case Metric::king:
      return i == j ? 0.5 : 0.5 - squared / (4 * std::min(het_i, het_j));
    case Metric::normalized: {
      double value = 0;
      for (std::int64_t k = 0; k < g.sites; ++k) {
        const double difference = g.at(i, k) / sum_i - g.at(j, k) / sum_j;
        value += difference * difference;
      }
      return value;
    }
  }
  return 0;
}

TEST(Metric, EveryNameIsItsDefinition) {
  Context context({"cpu", 2});
  for (const double missing : {0.0, 0.1}) {
    const Genotypes g = random_genotypes(70, 300, missing, 4);
    const PairCounts counts = count(context, g);
    for (const std::string_view name : metric_names()) {
      const Metric metric = metric_from_name(name);
      EXPECT_EQ(metric_name(metric), name);
      if (metric == Metric::normalized && missing > 0) continue;
      const SquareMatrix<double> d = distances(context, counts, {metric});
      std::vector<double> row(70);
      for (std::int64_t i = 0; i < 70; ++i) {
        metric_row(counts, {metric}, i, row.data());
        for (std::int64_t j = 0; j < 70; ++j) {
          const double want = expected(g, metric, i, j);
          ASSERT_NEAR(d(i, j), want, 1e-12 * (1 + std::abs(want))) << name << i << ", " << j;
          ASSERT_EQ(d(i, j), d(j, i));
          ASSERT_EQ(row[static_cast<std::size_t>(j)], d(i, j));
        }
      }
    }
  }
}

TEST(Metric, UnscaledDistancesAreTheCounts) {
  Context context({"cpu", 1});
  const PairCounts counts = count(context, random_genotypes(9, 200, 0.3, 5));
  const auto d = distances(context, counts, {Metric::manhattan, false});
  for (std::int64_t i = 0; i < 9; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      EXPECT_EQ(d(i, j), static_cast<double>(counts.ibs1.at(i, j) + 2 * counts.ibs0.at(i, j)));
    }
  }
}

TEST(Metric, DuplicatesAreAtDistanceZeroAndKinshipOneHalf) {
  Context context({"cpu", 1});
  Genotypes g = random_genotypes(4, 200, 0, 6);
  for (std::int64_t k = 0; k < 200; ++k) g.at(3, k) = g.at(0, k);
  const PairCounts counts = count(context, g);
  EXPECT_EQ(distances(context, counts, {Metric::squared_euclidean})(3, 0), 0.0);
  EXPECT_EQ(distances(context, counts, {Metric::normalized})(3, 0), 0.0);
  EXPECT_EQ(distances(context, counts, {Metric::ibs})(3, 0), 1.0);
  EXPECT_EQ(distances(context, counts, {Metric::king})(3, 0), 0.5);
}

TEST(Metric, PairsWithoutASharedSiteAreNaNAndCountedInANote) {
  Context context({"cpu", 1});
  std::string note;
  context.on_note([&](const std::string& text) { note = text; });
  Genotypes g = random_genotypes(5, 50, 0, 7);
  for (std::int64_t k = 0; k < 50; ++k) g.at(2, k) = -1;
  const PairCounts counts = count(context, g);
  EXPECT_EQ(pairs_without_shared_site(context, counts), 4);
  const auto d = distances(context, counts, {Metric::ibs});
  EXPECT_TRUE(std::isnan(d(2, 0)));
  EXPECT_TRUE(std::isnan(d(4, 2)));
  EXPECT_EQ(d(2, 2), 1.0);
  EXPECT_EQ(note, "ibs is NaN where a pair shares no called site: 4 of 10 pairs");
}

TEST(Metric, KingWithMissingCallsNeedsTheHeterozygousCounts) {
  Context context({"cpu", 1});
  const PairCounts counts = count(context, random_genotypes(3, 40, 0.2, 8), false);
  EXPECT_THROW(distances(context, counts, {Metric::king}), Error);
  const PairCounts whole = count(context, random_genotypes(3, 40, 0.0, 8), false);
  EXPECT_NO_THROW(distances(context, whole, {Metric::king}));
}

TEST(Metric, NormalizedRefusesMissingCallsAndNamesTheAllZeroSample) {
  Context context({"cpu", 1});
  const PairCounts missing = count(context, random_genotypes(3, 40, 0.2, 9));
  EXPECT_THROW(distances(context, missing, {Metric::normalized}), Error);
  Genotypes g = random_genotypes(3, 40, 0, 9);
  for (std::int64_t k = 0; k < 40; ++k) g.at(1, k) = 0;
  const PairCounts counts = count(context, g);
  test::expect_refusal([&] { distances(context, counts, {Metric::normalized}); }, "sample 2 ");
}

TEST(Metric, ACountOfABandOfRowsIsRefused) {
  Context context({"cpu", 1});
  PairCounter counter(context, 6, {false, {2, 6}});
  EXPECT_THROW(distances(context, counter.counts(), {}), Error);
}

TEST(Metric, AnUnknownNameIsAUsageErrorThatListsTheNames) {
  test::expect_refusal([&] { metric_from_name("cosine"); }, "1-ibs", ErrorCode::usage);
}

TEST(IntegerSquaredDistances, EqualTheFloatingPointOnes) {
  Context context({"cpu", 2});
  const PairCounts counts = count(context, random_genotypes(130, 700, 0, 10));
  const auto exact = integer_squared_distances(context, counts);
  const auto d = distances(context, counts);
  for (std::int64_t i = 0; i < 130; ++i) {
    for (std::int64_t j = 0; j < 130; ++j) ASSERT_EQ(exact(i, j), d(i, j));
  }
}

TEST(IntegerSquaredDistances, RefuseMissingCallsAndOverflow) {
  Context context({"cpu", 1});
  const PairCounts missing = count(context, random_genotypes(3, 40, 0.2, 11));
  EXPECT_THROW(integer_squared_distances(context, missing), Error);
  Genotypes far(2, 8);
  for (std::int64_t k = 0; k < 8; ++k) far.at(1, k) = 2;
  PairCounts counts = count(context, far);
  EXPECT_EQ(integer_squared_distances(context, counts)(1, 0), 32);
  counts.ibs0.low()[counts.ibs0.offset(1)] = 1u << 29;
  EXPECT_THROW(integer_squared_distances(context, counts), Error);
}

TEST(Metric, OneSampleAndNoneGiveTrivialMatrices) {
  Context context({"cpu", 1});
  EXPECT_EQ(distances(context, count(context, Genotypes(0, 0))).size(), 0);
  const auto d = distances(context, count(context, random_genotypes(1, 10, 0, 1)));
  ASSERT_EQ(d.size(), 1);
  EXPECT_EQ(d(0, 0), 0.0);
}

}  // namespace
}  // namespace yupana::genotype
