#include "yupana/genotype/frequencies.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "yupana/core/random.hpp"

namespace yupana::genotype {
namespace {

/// Sources of a population: those at first, first + 1, ..., taken round a ring.
struct Windows {
  std::int64_t length, sources;
};

/// The formula of the header, one population after the other.
std::vector<double> plain_frequencies(
    const Windows& windows, std::int64_t populations, double fst, std::uint64_t seed, int site) {
  RandomSequence random(seed, 2 * static_cast<std::uint64_t>(site));
  const double p = 0.05 + 0.9 * random.uniform();
  const double shape = (1 - fst) / fst / static_cast<double>(windows.length);
  std::vector<double> a, b, result;
  for (std::int64_t k = 0; k < windows.sources; ++k) {
    a.push_back(Gamma(p * shape).draw(random));
    b.push_back(Gamma((1 - p) * shape).draw(random));
  }
  for (std::int64_t k = 0; k < populations; ++k) {
    double one = 0, other = 0;
    for (std::int64_t j = k; j < k + windows.length; ++j) {
      one += a[static_cast<std::size_t>(j % windows.sources)];
      other += b[static_cast<std::size_t>(j % windows.sources)];
    }
    result.push_back(one / (one + other));
  }
  return result;
}

/// Hudson's F_ST of each population and the first, from true frequencies: sum (p - q)^2 over
/// sum p (1 - q) + q (1 - p).
std::vector<double> fst_to_first(const PopulationFrequencies& model, int sites) {
  std::vector<double> q, between, total;
  for (int site = 0; site < sites; ++site) {
    model.draw(site, q);
    between.resize(q.size());
    total.resize(q.size());
    for (std::size_t k = 0; k < q.size(); ++k) {
      between[k] += (q[0] - q[k]) * (q[0] - q[k]);
      total[k] += q[0] * (1 - q[k]) + q[k] * (1 - q[0]);
    }
  }
  for (std::size_t k = 0; k < between.size(); ++k) between[k] /= total[k];
  return between;
}

TEST(Frequencies, EqualThePlainFormula) {
  for (const double fst : {0.02, 0.3, 0.6}) {
    for (const std::int64_t populations : {1, 2, 3, 4, 5, 12, 31}) {
      const std::int64_t line = std::max<std::int64_t>(1, populations - 1);
      const std::int64_t ring = std::max<std::int64_t>(1, populations / 2);
      const std::vector<std::pair<Structure, Windows>> cases = {
          {Structure::island, {1, populations}},
          {Structure::line, {line, populations + line - 1}},
          {Structure::ring, {ring, populations}}};
      for (const auto& [structure, windows] : cases) {
        const PopulationFrequencies model(structure, populations, fst, 5);
        std::vector<double> q;
        for (const int site : {0, 1, 1000000}) {
          model.draw(site, q);
          const std::vector<double> expected =
              plain_frequencies(windows, populations, fst, 5, site);
          ASSERT_EQ(q.size(), expected.size());
          for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(q[k], expected[k], 1e-12);
        }
      }
    }
  }
}

TEST(Frequencies, FstGrowsWithTheStepsBetweenPopulations) {
  constexpr double fst = 0.3;
  constexpr int sites = 30000;
  const std::vector<double> line =
      fst_to_first(PopulationFrequencies(Structure::line, 7, fst, 1), sites);
  for (std::size_t k = 1; k < 7; ++k) EXPECT_GT(line[k], line[k - 1] + 0.02) << k;
  EXPECT_NEAR(line[6], fst, 0.01);
  const std::vector<double> ring =
      fst_to_first(PopulationFrequencies(Structure::ring, 8, fst, 1), sites);
  for (std::size_t k = 1; k <= 4; ++k) {
    EXPECT_GT(ring[k], ring[k - 1] + 0.02) << k;
    EXPECT_NEAR(ring[8 - k], ring[k], 0.01) << k;  // either way round
  }
  EXPECT_NEAR(ring[4], fst, 0.01);
}

/// Populations that share a part s of their sources have frequencies of correlation c, from
/// s^2 / (F + s (1 - F)), as if the shared parts were independent, to s, as if they were one; then
/// F_ST = F (1 - c) / (1 - F c).
TEST(Frequencies, NeighborsOfALineAreNearlyProportionallyClose) {
  constexpr int populations = 12;
  constexpr double f = 0.1;
  const std::vector<double> fst =
      fst_to_first(PopulationFrequencies(Structure::line, populations, f, 3), 30000);
  for (int k = 1; k < populations; ++k) {
    const double shared = 1 - k / (populations - 1.0);
    const double correlation = shared * shared / (f + shared * (1 - f));
    const double low = f * (1 - shared) / (1 - f * shared);
    const double high = f * (1 - correlation) / (1 - f * correlation);
    EXPECT_GT(fst[static_cast<std::size_t>(k)], 0.97 * low) << k;
    EXPECT_LT(fst[static_cast<std::size_t>(k)], 1.03 * high) << k;
  }
}

TEST(Frequencies, EveryPopulationHasTheSameFstToItsAncestors) {
  for (const Structure structure : {Structure::line, Structure::ring}) {
    const PopulationFrequencies model(structure, 6, 0.25, 9);
    std::vector<double> q, square(6);
    double variance = 0;
    constexpr int sites = 40000;
    for (int site = 0; site < sites; ++site) {
      const double p = 0.05 + 0.9 * Random(9, 2 * site).uniform(0);
      model.draw(site, q);
      for (std::size_t k = 0; k < 6; ++k) square[k] += (q[k] - p) * (q[k] - p);
      variance += p * (1 - p);
    }
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(square[k] / variance, 0.25, 0.01) << k;
  }
}

TEST(Frequencies, ExtremeFstGivesFrequencies) {
  for (const Structure structure : {Structure::island, Structure::line, Structure::ring}) {
    std::vector<double> q;
    for (const double fst : {0.0, 1e-300, 1e-9, 0.999, 1 - 1e-15}) {
      const PopulationFrequencies model(structure, 9, fst, 2);
      for (int site = 0; site < 50; ++site) {
        model.draw(site, q);
        for (const double x : q) EXPECT_TRUE(x >= 0 && x <= 1) << fst << ' ' << x;
      }
    }
  }
}

TEST(WindowSums, AreThoseOfEveryWindow) {
  for (const std::int64_t window : {1, 2, 3, 7, 40}) {
    for (const std::int64_t count : {1, 2, 6, 7, 8, 21, 41}) {
      std::vector<double> values, sums(static_cast<std::size_t>(count));
      for (std::int64_t k = 0; k < count + window - 1; ++k) {
        values.push_back(static_cast<double>(k * k % 101));
      }
      window_sums(values, window, sums);
      for (std::int64_t k = 0; k < count; ++k) {
        double expected = 0;
        for (std::int64_t j = k; j < k + window; ++j)
          expected += values[static_cast<std::size_t>(j)];
        EXPECT_EQ(sums[static_cast<std::size_t>(k)], expected)
            << window << ' ' << count << ' ' << k;
      }
    }
  }
}

}  // namespace
}  // namespace yupana::genotype
