#include "yupana/genotype/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/site_blocks.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/frequencies.hpp"
#include "yupana/genotype/site_counts.hpp"

namespace yupana::genotype {
namespace {

std::vector<std::uint8_t> all_codes(SimulatedSource& source, std::int64_t block_sites) {
  std::vector<std::uint8_t> bytes;
  SiteBlock block(std::ssize(source.samples()), block_sites);
  std::memset(block.codes.data(), 0xff, block.codes.bytes());
  source.rewind();
  while (source.read(block)) {
    bytes.insert(bytes.end(), block.row(0), block.row(0) + block.sites * block.stride);
  }
  return bytes;
}

TEST(Simulate, EverySimdTargetAndBlockSizeEqualsReference) {
  for (const std::int64_t samples : {1, 2, 3, 63, 64, 65, 255, 256, 257, 511, 513, 1031}) {
    for (const double missing : {0.0, 0.03, 1.0}) {
      const SimulateParams params{.samples = samples,
                                  .sites = 23,
                                  .populations = 5,
                                  .structure = missing == 0 ? Structure::line : Structure::island,
                                  .missing = missing,
                                  .family_size = samples % 2 == 0 ? 1 : 5};
      SimulatedSource reference(params, Backend::reference);
      const auto wanted = all_codes(reference, 23);
      on_each_instruction_set([&] {
        SimulatedSource source(params);
        EXPECT_EQ(all_codes(source, 23), wanted) << samples;
        EXPECT_EQ(all_codes(source, 4), wanted) << samples;
        EXPECT_EQ(source.account().kept, 23);
      });
    }
  }
}

TEST(Simulate, ThreadsDrawTheSameRows) {
  const SimulateParams params{
      .samples = 70001, .sites = 37, .missing = 0.01, .family_size = 4};  // several pieces of rows
  SimulatedSource alone(params);
  const auto wanted = all_codes(alone, 37);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    SimulatedSource source(context, params);
    EXPECT_EQ(all_codes(source, 37), wanted) << threads;
    EXPECT_EQ(all_codes(source, 5), wanted) << threads;
  }
}

// A child has an allele of each parent, whatever of them was called; as many as not when a parent
// has both. Families do not cross the border of two populations.
TEST(Simulate, ChildrenHaveAnAlleleOfEachParent) {
  const SimulateParams params{.samples = 29, .sites = 4000, .populations = 2, .family_size = 4};
  SimulatedSource source(params);
  SiteBlock block(29, 4000);
  ASSERT_TRUE(source.read(block));
  const auto copies = [&](std::int64_t site, std::int64_t i) {
    return std::vector{2, -1, 1, 0}[block.at(site, i)];
  };
  std::int64_t children = 0, choices = 0, handed = 0;
  for (std::int64_t i = 0; i < 29; ++i) {
    EXPECT_EQ(source.nonfounders()[static_cast<std::size_t>(i)], source.families().is_child(i));
    if (!source.families().is_child(i)) continue;
    ++children;
    const std::int64_t father = source.families().father_of_family(i);
    EXPECT_EQ(source.population(father), source.population(i));
    for (std::int64_t site = 0; site < 4000; ++site) {
      const int a = copies(site, father), b = copies(site, father + 1), x = copies(site, i);
      ASSERT_GE(x, (a == 2) + (b == 2));
      ASSERT_LE(x, (a > 0) + (b > 0));
      if (a != 1 || b == 1) continue;
      ++choices;
      handed += x - (b == 2);
    }
  }
  EXPECT_EQ(children, 12);  // of 15 and 14 samples three families each
  const auto n = static_cast<double>(choices);
  EXPECT_NEAR(static_cast<double>(handed), n / 2, 5 * std::sqrt(n / 4));
  SimulateParams lossy = params;
  lossy.missing = 0.2;
  SimulatedSource lost(lossy), unrelated({.samples = 29, .sites = 4000, .missing = 0.2});
  SiteBlock other(29, 4000), plain(29, 4000);
  ASSERT_TRUE(lost.read(other) && unrelated.read(plain));
  for (std::int64_t site = 0; site < 4000; ++site) {
    for (std::int64_t i = 0; i < 29; ++i) {
      const bool missing = plain.at(site, i) == missing_call;
      ASSERT_EQ(other.at(site, i), missing ? missing_call : block.at(site, i));
    }
  }
}

TEST(Simulate, PadBitsAreZero) {
  SimulatedSource source({.samples = 5, .sites = 9, .missing = 0.5});
  SiteBlock block(5, 9);
  ASSERT_TRUE(source.read(block));
  for (int site = 0; site < 9; ++site) {
    for (int i = 5; i < 4 * block.stride; ++i) ASSERT_EQ(block.at(site, i), 0);
  }
}

TEST(Simulate, SeedsAndParametersChangeTheGenotypes) {
  const SimulateParams params{.samples = 50, .sites = 50};
  SimulatedSource first(params);
  const auto codes = all_codes(first, 50);
  SimulateParams other = params;
  other.seed = 2;
  SimulatedSource second(other);
  EXPECT_NE(all_codes(second, 50), codes);
}

TEST(Simulate, PopulationsAreContiguousAndEven) {
  const SimulatedSource source({.samples = 10, .sites = 1, .populations = 3});
  const std::vector<int> wanted{0, 0, 0, 0, 1, 1, 1, 2, 2, 2};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(source.population(i), wanted[i]);
    EXPECT_EQ(source.population(i), i * 3 / 10);
  }
  EXPECT_EQ(source.labels()[4], "pop2");
  const SimulatedSource few({.samples = 2, .sites = 1, .populations = 9});
  EXPECT_EQ(few.population(1), 1);
}

/// Hudson's F_ST between populations 0 and 1 from true frequencies: sum (p - q)^2 over
/// sum p (1 - q) + q (1 - p); its expectation under the model is F.
TEST(Simulate, FrequenciesHaveTheFstAskedFor) {
  for (const double fst : {0.01, 0.1, 0.4}) {
    const SimulatedSource source({.samples = 2, .sites = 1, .populations = 2, .fst = fst});
    std::vector<double> p;
    double between = 0;
    double total = 0;
    double mean = 0;
    constexpr int sites = 40000;
    for (int site = 0; site < sites; ++site) {
      source.frequencies(site, p);
      between += (p[0] - p[1]) * (p[0] - p[1]);
      total += p[0] * (1 - p[1]) + p[1] * (1 - p[0]);
      mean += p[0] / sites;
    }
    EXPECT_NEAR(between / total, fst, 0.03 * fst + 0.001);
    EXPECT_NEAR(mean, 0.5, 0.01);
  }
}

TEST(Simulate, GenotypesFollowTheirFrequencies) {
  constexpr std::int64_t samples = 30000;
  SimulatedSource source({.samples = samples, .sites = 40, .populations = 2, .missing = 0.02});
  SiteBlock block(samples, 40);
  ASSERT_TRUE(source.read(block));
  std::vector<std::int64_t> members(samples / 2);
  for (int k = 0; k < 2; ++k) {
    for (std::int64_t i = 0; i < samples / 2; ++i) members[i] = k * samples / 2 + i;
    std::vector<SiteCounts> counts(40);
    site_counts(Backend::cpu, block, SampleMask(samples, members), counts);
    std::vector<double> p;
    for (int site = 0; site < 40; ++site) {
      source.frequencies(site, p);
      const SiteCounts& c = counts[site];
      const auto called = static_cast<double>(c.called());
      const double q = p[k];
      // Five standard deviations of each binomial share.
      const auto near = [&](std::int64_t count, double share, double of) {
        EXPECT_NEAR(static_cast<double>(count), share * of, 5 * std::sqrt(share * of) + 3) << site;
      };
      near(c.homozygous_a1, q * q, called);
      near(c.heterozygous, 2 * q * (1 - q), called);
      near(c.homozygous_a2, (1 - q) * (1 - q), called);
      near(c.missing, 0.02, samples / 2);
    }
  }
}

TEST(Simulate, FstZeroGivesEveryPopulationTheSameFrequency) {
  const SimulatedSource source({.samples = 6, .sites = 9, .fst = 0});
  std::vector<double> p;
  source.frequencies(7, p);
  EXPECT_EQ(p[0], p[1]);
  EXPECT_EQ(p[1], p[2]);
  EXPECT_GE(p[0], 0.05);
  EXPECT_LE(p[0], 0.95);
}

TEST(Simulate, NormalAndGammaHaveTheirMoments) {
  RandomSequence random(3);
  constexpr int draws = 400000;
  double moments[5] = {};
  int beyond = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = Normal::draw(random);
    for (int k = 1; k <= 4; ++k) moments[k] += std::pow(x, k) / draws;
    beyond += std::abs(x) > 3.442619855899;
  }
  EXPECT_NEAR(moments[1], 0, 0.008);
  EXPECT_NEAR(moments[2], 1, 0.012);
  EXPECT_NEAR(moments[3], 0, 0.03);
  EXPECT_NEAR(moments[4], 3, 0.08);
  EXPECT_NEAR(beyond, draws * 5.76e-4, 5 * std::sqrt(draws * 5.76e-4));
  for (const double shape : {0.3, 1.0, 4.5}) {
    const Gamma gamma(shape);
    double mean = 0;
    double square = 0;
    for (int i = 0; i < draws; ++i) {
      const double x = gamma.draw(random);
      mean += x / draws;
      square += x * x / draws;
    }
    EXPECT_NEAR(mean, shape, 5 * std::sqrt(shape / draws));
    EXPECT_NEAR(square - mean * mean, shape, 0.03 * shape);
  }
}

TEST(Simulate, TextNamesSizesAndKeys) {
  const SimulateParams params = simulate_params(
      "2kx1.2M,fst=0.05,missing=0.01,populations=4,seed=9,structure=ring,family-size=5");
  EXPECT_EQ(params.samples, 2000);
  EXPECT_EQ(params.sites, 1200000);
  EXPECT_EQ(params.populations, 4);
  EXPECT_EQ(params.fst, 0.05);
  EXPECT_EQ(params.missing, 0.01);
  EXPECT_EQ(params.seed, 9u);
  EXPECT_EQ(params.family_size, 5);
  EXPECT_EQ(params.structure, Structure::ring);
  EXPECT_EQ(simulate_params("3x3G").sites, 3000000000);
  EXPECT_EQ(simulate_params("3x3,seed=2k").seed, 2000u);
  for (const char* bad : {"",
                          "5",
                          "x",
                          "3x",
                          "0x5",
                          "5x0",
                          "5x1.5",
                          "5x5,",
                          "5x5,fst",
                          "5x5,fst=x",
                          "5x5,fst=1",
                          "5x5,missing=2",
                          "5x5,structure=",
                          "5x5,structure=circle",
                          "5x5,colour=1",
                          "5x5q",
                          "-5x5",
                          "nanx5",
                          "5x5,populations=0",
                          "5x5,family-size=2",
                          "5x1e99",
                          "5x5,fst=nan"}) {
    SCOPED_TRACE(bad);
    test::refusal([&] { simulate_params(bad); }, ErrorCode::usage);
  }
}

TEST(Simulate, ASeedInTextWasRoundedToADouble) {
  EXPECT_EQ(simulate_params("3x3,seed=9007199254740993").seed, 9007199254740993u);
  EXPECT_EQ(simulate_params("3x3,seed=18446744073709551615").seed, ~std::uint64_t{0});
  for (const char* bad : {"3x3,seed=18446744073709551616", "3x3,seed=-1", "3x3,seed=0.5"}) {
    SCOPED_TRACE(bad);
    test::refusal([&] { simulate_params(bad); }, ErrorCode::usage);
  }
}

TEST(Simulate, TheLastOfTwoValuesOfAKeyWasTaken) {
  test::refusal([] { simulate_params("3x3,fst=0.1,seed=2,fst=0.2"); }, ErrorCode::usage);
}

}  // namespace
}  // namespace yupana::genotype
