#include "yupana/genotype/grm_dosages.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/site_blocks.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/site_dosages.hpp"

namespace yupana::genotype {
namespace {

/// Dosages near whole numbers and far from them; a site without variation, one without dosages.
SiteBlock dosage_block(std::int64_t samples, std::int64_t sites, double missing) {
  SiteBlock block(samples, sites, true);
  block.sites = sites;
  std::fill_n(block.codes.data(), block.codes.size(), std::uint8_t{0});
  const Random random(7);
  for (std::int64_t k = 0; k < samples * sites; ++k) {
    const std::int64_t site = k / samples;
    const double frequency = Random(9).uniform(site);
    const double x = (random.uniform(3 * k) < frequency) + random.uniform(3 * k + 1);
    const bool is_missing = random.uniform(3 * k + 2) < missing || (site == 5 && missing > 0);
    block.dosages[k] = site == 3    ? std::uint16_t{dosage_unit}
                       : is_missing ? missing_dosage
                                    : static_cast<std::uint16_t>(x * dosage_unit);
  }
  return block;
}

struct Job {
  const char* device = "cpu";
  int threads = 2;
  std::int64_t block_sites = 1000;
  Standardize standardize = Standardize::gcta;
  Range rows = {};
};

Grm grm_of(const SiteBlock& from, const Job& run) {
  Context context({.device = run.device, .threads = run.threads});
  GrmCounter counter(
      context, from.samples, {.standardize = run.standardize, .rows = run.rows, .dosage = true});
  for (std::int64_t begin = 0; begin < from.sites; begin += run.block_sites) {
    CallBlock block;
    block.codes = SiteBlock(from.samples, run.block_sites, true);
    block.codes.sites = std::min(run.block_sites, from.sites - begin);
    std::copy_n(
        from.dosage_row(begin), block.codes.sites * from.samples, block.codes.dosage_row(0));
    block.samples = identity(from.samples);
    counter.add(block);
  }
  return counter.take();
}

void expect_same(const Grm& a, const Grm& b) {
  for (std::int64_t i = a.rows.begin; i < a.rows.end; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      ASSERT_EQ(a.shared(i, j), b.shared(i, j)) << i << ' ' << j;
      if (a.shared(i, j) == 0) continue;
      ASSERT_EQ(a.at(i, j), b.at(i, j)) << i << ' ' << j;
    }
  }
}

long double by_definition(const SiteBlock& block, const Job& run, std::int64_t j, std::int64_t k) {
  long double sum = 0;
  std::int64_t shared = 0;
  for (std::int64_t site = 0; site < block.sites; ++site) {
    long double copies = 0, alleles = 0;
    for (std::int64_t i = 0; i < block.samples; ++i) {
      const double x = dosage_at(block, site, i);
      if (x >= 0) copies += x, alleles += 2;
    }
    const double x = dosage_at(block, site, j), y = dosage_at(block, site, k);
    if (x < 0 || y < 0) continue;
    ++shared;
    if (copies == 0 || copies == alleles) continue;
    const long double p = copies / alleles, q = (1 + copies) / (2 + alleles);
    const long double variance =
        run.standardize == Standardize::gcta ? 2 * p * (1 - p) : q * (1 - q);
    sum += (x - 2 * p) * (y - 2 * p) / variance;
  }
  return sum / shared;
}

TEST(GrmDosages, AreTheDefinitionWithinTheBound) {
  for (const double missing : {0.0, 0.1}) {
    const SiteBlock block = dosage_block(67, 300, missing);
    for (const Standardize scale : {Standardize::gcta, Standardize::eigensoft}) {
      const Job run = {.standardize = scale};
      const Grm grm = grm_of(block, run);
      for (std::int64_t i = 0; i < 67; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
          const double bound = 0x1p-23 * std::sqrt(grm.at(i, i) * grm.at(j, j)) + 1e-12;
          ASSERT_NEAR(grm.at(i, j), by_definition(block, run, i, j), bound) << i << ' ' << j;
        }
      }
    }
  }
}

TEST(GrmDosages, HaveTheReferencesBitsOnEveryTargetForAnyBlocksThreadsAndBands) {
  for (const std::int64_t samples : {1, 2, 63, 64, 65, 197}) {
    for (const std::int64_t sites : {1, 7, 256, 300}) {
      const SiteBlock block = dosage_block(samples, sites, 0.05);
      const Grm expected = grm_of(block, {.device = "reference", .threads = 1});
      on_each_instruction_set([&] { expect_same(grm_of(block, {}), expected); });
      for (const std::int64_t block_sites : {1, 13, 256}) {
        expect_same(grm_of(block, {.threads = 7, .block_sites = block_sites}), expected);
      }
      for (std::int64_t row = 0; row < samples; row += 40) {
        const Range rows = {row, std::min(row + 40, samples)};
        expect_same(grm_of(block, {.rows = rows}), expected);
      }
    }
  }
}

TEST(GrmDosages, BlocksOfHardCallsAreRefused) {
  Context context;
  GrmCounter counter(context, 3, {.dosage = true});
  CallBlock block;
  block.codes = random_block(3, 4, 1);
  block.samples = identity(3);
  EXPECT_THROW(counter.add(block), Error);
}

}  // namespace
}  // namespace yupana::genotype
