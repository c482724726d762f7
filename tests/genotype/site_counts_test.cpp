#include "yupana/genotype/site_counts.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/site_blocks.hpp"
#include "yupana/core/error.hpp"

namespace yupana::genotype {
namespace {

std::vector<SiteCounts> counts_of(Backend backend, const SiteBlock& block, const SampleMask& mask) {
  std::vector<SiteCounts> counts(static_cast<std::size_t>(block.sites));
  site_counts(backend, block, mask, counts);
  return counts;
}

TEST(SiteCounts, EveryCodeIsCountedAsItself) {
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    SiteBlock block = random_block(5, 1, 1);
    const int codes[5] = {homozygous_a1, missing_call, heterozygous, homozygous_a2, heterozygous};
    for (int i = 0; i < 5; ++i) set_code(block, 0, i, codes[i]);
    const SampleMask all(5, identity(5));
    EXPECT_EQ(counts_of(backend, block, all)[0], (SiteCounts{1, 2, 1, 1}));
    const SampleMask some(5, std::vector<std::int64_t>{4, 1, 1});
    EXPECT_EQ(some.size(), 2);
    EXPECT_EQ(counts_of(backend, block, some)[0], (SiteCounts{0, 1, 0, 1}));
  }
}

TEST(SiteCounts, EverySimdTargetEqualsReference) {
  for (const std::int64_t samples : {0, 1, 3, 4, 63, 255, 256, 257, 1031}) {
    const SiteBlock block = random_block(samples, 19, 11);
    std::vector<std::int64_t> members;
    for (std::int64_t i = 0; i < samples; i += 1 + i % 3) members.push_back(i);
    for (const SampleMask& mask :
         {SampleMask(samples, identity(samples)), SampleMask(samples, members)}) {
      const auto wanted = counts_of(Backend::reference, block, mask);
      on_each_instruction_set(
          [&] { EXPECT_EQ(counts_of(Backend::cpu, block, mask), wanted) << samples; });
    }
  }
}

TEST(SiteCounts, ModeTakesTheSmallerGenotypeOfATie) {
  EXPECT_EQ((SiteCounts{5, 5, 5, 0}).mode(), homozygous_a2);  // x = 0
  EXPECT_EQ((SiteCounts{5, 5, 4, 9}).mode(), heterozygous);   // x = 1
  EXPECT_EQ((SiteCounts{5, 4, 5, 0}).mode(), homozygous_a2);
  EXPECT_EQ((SiteCounts{6, 5, 5, 0}).mode(), homozygous_a1);
}

TEST(SiteCounts, MinorAllelesAreThoseOfTheRarerAllele) {
  EXPECT_EQ((SiteCounts{3, 2, 10, 1}).minor_alleles(), 8);
  EXPECT_EQ((SiteCounts{10, 2, 3, 1}).minor_alleles(), 8);
  EXPECT_EQ((SiteCounts{0, 0, 4, 1}).minor_alleles(), 0);
}

TEST(SiteCounts, FillMissingChangesMissingCallsOnly) {
  for (const Code code : {homozygous_a1, heterozygous, homozygous_a2}) {
    const SiteBlock before = random_block(300, 3, 5);
    SiteBlock after = random_block(300, 3, 5);
    for (int site = 0; site < 3; ++site) fill_missing(after.row(site), after.stride, code);
    for (int site = 0; site < 3; ++site) {
      for (int i = 0; i < 300; ++i) {
        const Code was = before.at(site, i);
        ASSERT_EQ(after.at(site, i), was == missing_call ? code : was);
      }
      for (int i = 300; i < 4 * after.stride; ++i) ASSERT_EQ(after.at(site, i), 0);
    }
  }
}

TEST(SiteCounts, RefusesAMaskOfOtherSamples) {
  const SiteBlock block = random_block(5, 2, 1);
  EXPECT_THROW(counts_of(Backend::cpu, block, SampleMask(6, identity(6))), Error);
  EXPECT_THROW(SampleMask(5, std::vector<std::int64_t>{5}), Error);
}

}  // namespace
}  // namespace yupana::genotype
