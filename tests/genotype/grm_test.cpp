#include "yupana/genotype/grm.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/genotype/grm_cases.hpp"
#include "tests/support/instruction_sets.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/grm_backends.hpp"
#include "yupana/genotype/grm_product.hpp"
#include "yupana/genotype/grm_words.hpp"

namespace yupana::genotype {
namespace {

using namespace testing;

/// The definition, in long double.
long double by_definition(const SiteBlock& block,
                          Standardize scale,
                          std::int64_t j,
                          std::int64_t k) {
  long double sum = 0;
  std::int64_t shared = 0;
  constexpr int copies[4] = {2, -1, 1, 0};
  for (std::int64_t site = 0; site < block.sites; ++site) {
    std::int64_t alleles = 0, total = 0;
    for (std::int64_t i = 0; i < block.samples; ++i) {
      const int x = copies[block.at(site, i)];
      if (x >= 0) alleles += x, total += 2;
    }
    const int x = copies[block.at(site, j)], y = copies[block.at(site, k)];
    if (x < 0 || y < 0) continue;
    ++shared;
    if (alleles == 0 || alleles == total) continue;
    const long double p = static_cast<long double>(alleles) / total;
    const long double q = (1.0L + alleles) / (2.0L + total);
    const long double variance = scale == Standardize::gcta ? 2 * p * (1 - p) : q * (1 - q);
    sum += (x - 2 * p) * (y - 2 * p) / variance;
  }
  return sum / shared;
}

TEST(Grm, AHandMadeCase) {
  // x: 0 1 2, so p = 1/2 and the weight is 2; then a site whose middle call is missing, p = 1/4:
  // 8/3 times (0 - 1/2) and (1 - 1/2).
  SiteBlock block = random_block(3, 2, 1, 0);
  const int codes[2][3] = {{homozygous_a2, heterozygous, homozygous_a1},
                           {homozygous_a2, missing_call, heterozygous}};
  for (int site = 0; site < 2; ++site) {
    for (int i = 0; i < 3; ++i) set_code(block, site, i, codes[site][i]);
  }
  for (const char* device : {"reference", "cpu"}) {
    const Grm grm = grm_of(block, {.device = device});
    EXPECT_NEAR(grm.at(0, 0), (2 + 2.0 / 3) / 2, 1e-6) << device;
    EXPECT_NEAR(grm.at(1, 0), 0, 1e-6) << device;
    EXPECT_NEAR(grm.at(1, 1), 0, 1e-6) << device;
    EXPECT_NEAR(grm.at(2, 0), (-2 - 2.0 / 3) / 2, 1e-6) << device;
    EXPECT_EQ(grm.shared(1, 0), 1) << device;
    EXPECT_EQ(grm.shared(2, 0), 2) << device;
  }
}

TEST(Grm, IsTheDefinitionWithinItsBound) {
  for (const double missing : {0.0, 0.05}) {
    const SiteBlock block = mixed_block(37, 2000, missing, 5);
    for (const Standardize scale : {Standardize::gcta, Standardize::eigensoft}) {
      const Grm grm = grm_of(block, {.params = {.standardize = scale}});
      for (std::int64_t i = 0; i < 37; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          const double bound = 0x1p-24 * std::sqrt(grm.at(i, i) * grm.at(j, j)) + 0x1p-20;
          ASSERT_NEAR(grm.at(i, j), by_definition(block, scale, i, j), bound) << i << ' ' << j;
        }
      }
    }
  }
}

TEST(Grm, EveryTargetEqualsTheReference) {
  for (const std::int64_t samples : {1, 2, 3, 63, 64, 67, 257}) {
    for (const std::int64_t sites : {1, 15, 17, 700}) {
      for (const double missing : {0.0, 0.03}) {
        const SiteBlock block = mixed_block(samples, sites, missing, 7);
        const Grm expected = grm_of(block, {.device = "reference"});
        on_each_instruction_set([&] { expect_same(grm_of(block, {}), expected); });
      }
    }
  }
}

TEST(Grm, ManyMissingCallsOfASampleEqualTheReference) {
  // More of them than are summed in 32 bits, and than a byte counts.
  const SiteBlock block = mixed_block(300, 900, 0.6, 23);
  for (const Standardize scale : {Standardize::gcta, Standardize::eigensoft}) {
    const GrmParams params = {.standardize = scale};
    const Grm expected = grm_of(block, {.device = "reference", .params = params});
    on_each_instruction_set([&] { expect_same(grm_of(block, {.params = params}), expected); });
  }
}

TEST(Grm, CorrectionsOfMissingCallsSumIn32Bits) {
  for (const Standardize scale : {Standardize::gcta, Standardize::eigensoft}) {
    for (const std::int64_t calls : {1, 2, 3, 100, 1'000'000}) {
      for (std::int64_t copies = 1; copies < 2 * calls;
           copies += std::max<std::int64_t>(1, calls / 50)) {
        const SiteCounts counts = {.homozygous_a1 = copies / 2,
                                   .heterozygous = copies % 2,
                                   .homozygous_a2 = calls - copies / 2 - copies % 2};
        for (const std::int64_t correction : grm_site(counts, scale).correction) {
          ASSERT_LE(64 * std::abs(std::int64_t{correction}),
                    std::numeric_limits<std::int32_t>::max());
        }
      }
    }
  }
}

TEST(Grm, SeveralSlabsEqualTheReference) {
  const SiteBlock block = mixed_block(9, 40000, 0.01, 11);
  expect_same(grm_of(block, {}), grm_of(block, {.device = "reference"}));
}

TEST(Grm, SameBitsForAnyThreadsBlocksAndBands) {
  const SiteBlock block = mixed_block(300, 900, 0.02, 13);
  const Grm whole = grm_of(block, {.threads = 1});
  for (const int threads : {2, 7}) expect_same(grm_of(block, {.threads = threads}), whole);
  for (const std::int64_t sites : {1, 97, 512}) {
    expect_same(grm_of(block, {.block_sites = sites}), whole);
  }
  for (const Range rows : {Range{0, 100}, {100, 101}, {101, 300}}) {
    expect_same(grm_of(block, {.params = {.rows = rows}}), whole);
  }
}

TEST(Grm, CountsTheKeptSamplesAlone) {
  const SiteBlock block = mixed_block(50, 300, 0.1, 17);
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < 50; i += 1 + i % 3) kept.push_back(i);
  SiteBlock alone = random_block(std::ssize(kept), block.sites, 1);
  for (std::int64_t site = 0; site < block.sites; ++site) {
    for (std::size_t i = 0; i < kept.size(); ++i) set_code(alone, site, i, block.at(site, kept[i]));
  }
  expect_same(grm_of(block, {}, kept), grm_of(alone, {}));
}

TEST(Grm, ABlockOfOtherSamplesIsRefused) {
  const SiteBlock block = mixed_block(5, 3, 0, 1);
  Context context;
  GrmCounter counter(context, 4);
  EXPECT_THROW(counter.add(calls_of(block, {0, 3}, identity(5))), Error);
}

TEST(GrmProduct, IsTheMatrixTimesVectors) {
  const SiteBlock block = mixed_block(70, 300, 0, 19);
  Matrix<double> x(70, 3);
  const Random random(4);
  for (std::int64_t i = 0; i < 210; ++i) x.data()[i] = random.uniform(i);
  for (const Standardize scale : {Standardize::gcta, Standardize::eigensoft}) {
    const Grm grm = grm_of(block, {.params = {.standardize = scale}});
    Matrix<double> sums(70, 3);
    std::vector<double> first;
    for (const int threads : {1, 2, 7}) {
      std::fill_n(sums.data(), 210, 0.0);
      Context context({.device = "cpu", .threads = threads});
      double squares = 0;
      for (const Range sites : {Range{0, 128}, {128, 300}}) {
        const CallBlock calls = calls_of(block, sites, identity(70));
        squares += add_grm_product(context, calls, scale, x.view(), sums.view());
      }
      double trace = 0;
      for (std::int64_t i = 0; i < 70; ++i) {
        trace += 300 * grm.at(i, i);
        for (std::int64_t c = 0; c < 3; ++c) {
          double sum = 0;
          for (std::int64_t j = 0; j < 70; ++j) {
            sum += 300 * grm.at(std::max(i, j), std::min(i, j)) * x(j, c);
          }
          ASSERT_NEAR(sums(i, c), sum, 1e-2) << i;
        }
      }
      EXPECT_NEAR(squares, trace, 1e-2);
      const std::vector<double> got(sums.data(), sums.data() + 210);
      if (first.empty()) first = got;
      EXPECT_EQ(got, first);
    }
  }
}

TEST(GrmProduct, MissingCallsKeptSamplesAndManyColumnsOnEveryTarget) {
  const SiteBlock block = mixed_block(203, 150, 0.05, 23);
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < 203; i += 1 + i % 3 / 2) kept.push_back(i);
  const CallBlock calls = calls_of(block, {0, 150}, kept);
  constexpr std::int64_t columns = 26;
  const std::int64_t n = std::ssize(kept);
  Matrix<double> x(n, columns);
  const Random random(5);
  for (std::int64_t i = 0; i < n * columns; ++i) x.data()[i] = random.uniform(i) - 0.5;
  // By definition: z, its products with x, and the sums of both.
  constexpr int copies[4] = {2, -1, 1, 0};
  std::vector<long double> expected(static_cast<std::size_t>(n * columns));
  for (std::int64_t site = 0; site < 150; ++site) {
    std::int64_t alleles = 0, total = 0;
    for (const std::int64_t i : kept) {
      const int value = copies[block.at(site, i)];
      if (value >= 0) alleles += value, total += 2;
    }
    if (alleles == 0 || alleles == total) continue;
    const long double p = static_cast<long double>(alleles) / total;
    const auto z = [&](std::int64_t i) {
      const int value = copies[block.at(site, kept[static_cast<std::size_t>(i)])];
      return value < 0 ? 0.0L : (value - 2 * p) / std::sqrt(2 * p * (1 - p));
    };
    for (std::int64_t c = 0; c < columns; ++c) {
      long double product = 0;
      for (std::int64_t i = 0; i < n; ++i) product += z(i) * x(i, c);
      for (std::int64_t i = 0; i < n; ++i) expected[i * columns + c] += z(i) * product;
    }
  }
  std::vector<double> first;
  on_each_instruction_set([&] {
    Context context({.device = "cpu", .threads = 2});
    Matrix<double> sums(n, columns);
    std::fill_n(sums.data(), n * columns, 0.0);
    add_grm_product(context, calls, Standardize::gcta, x.view(), sums.view());
    const std::vector<double> got(sums.data(), sums.data() + n * columns);
    for (std::size_t k = 0; k < got.size(); ++k) {
      ASSERT_NEAR(got[k], expected[k], 1e-9) << k;
    }
    if (first.empty()) first = got;
    EXPECT_EQ(got, first);
  });
}

/// Weights that are floats of at least 2, in units of 2^-22.
std::vector<std::int64_t> random_weights(std::int64_t count, double most, int distinct) {
  std::vector<std::int64_t> weights;
  const Random random(3);
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = distinct > 0 ? static_cast<double>(random.word(i) % distinct) / distinct
                                      : random.uniform(i);
    const double weight = 2 + (most - 2) * share * share * share;
    weights.push_back(i % 50 == 0 ? 0 : std::llround(std::ldexp(static_cast<float>(weight), 22)));
  }
  return weights;
}

TEST(GrmWords, PartsOfEverySiteSumToItsWeight) {
  for (const int distinct : {0, 40}) {
    for (const double most : {2.0, 1e6}) {
      for (const std::int64_t sites : {0, 1, 3000, 20000}) {
        const auto weights = random_weights(sites, most, distinct);
        const WeightWords words = weight_words(weights, sites);
        std::vector<std::int64_t> sums(static_cast<std::size_t>(sites) + 1);
        std::int64_t next = 0;
        for (const auto& slab : words.slabs) {
          ASSERT_EQ(slab.sites.begin, next);
          ASSERT_LE(slab.sites.size(), slab_sites);
          ASSERT_EQ(slab.sites.size() % 512, 0);
          next = slab.sites.end;
          for (std::int64_t at = slab.sites.begin; at < slab.sites.end; ++at) {
            const auto word = static_cast<std::size_t>(at / word_sites);
            ASSERT_GE(words.low[word], 0);
            ASSERT_GE(words.high[word], 0);
            sums[static_cast<std::size_t>(words.sites[at])] +=
                (words.low[word] + words.high[word] * (std::int64_t{1} << 15)) << slab.shift;
          }
        }
        ASSERT_EQ(next, std::ssize(words.sites));
        sums.pop_back();
        EXPECT_EQ(sums, weights);
      }
    }
  }
}

TEST(GrmWords, WeightsOfManySitesFillWords) {
  // 40 weights of 500 sites need one part; as many weights as sites need several.
  EXPECT_LT(std::ssize(weight_words(random_weights(20000, 100, 40), 20000).sites), 22000);
  EXPECT_LT(std::ssize(weight_words(random_weights(20000, 100, 0), 20000).sites), 4 * 20000);
}

}  // namespace
}  // namespace yupana::genotype
