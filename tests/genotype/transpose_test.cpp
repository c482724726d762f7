#include "yupana/genotype/transpose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/site_blocks.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"

namespace yupana::genotype {
namespace {

bool same(const PlaneBlock& a, const PlaneBlock& b) {
  return a.samples == b.samples && a.sites == b.sites && a.planes == b.planes &&
         a.stride == b.stride &&
         std::equal(a.bytes.data(), a.bytes.data() + a.samples * a.stride, b.bytes.data());
}

class TransposeTest : public testing::TestWithParam<int> {
 protected:
  Context reference_{{.device = "reference"}};
  Context cpu_{{.device = "cpu", .threads = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Threads, TransposeTest, testing::Values(1, 2, 7));

TEST(TransposePlanes, EveryCodeHasItsBits) {
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device});
    SiteBlock block(4, 1);
    block.sites = 1;
    std::memset(block.codes.data(), 0, block.codes.bytes());
    block.row(0)[0] = homozygous_a1 | missing_call << 2 | heterozygous << 4 | homozygous_a2 << 6;
    PlaneBlock planes;
    transpose(context, block, identity(4), identity(1), 3, planes);
    const bool wanted[4][3] = {
        {true, false, true}, {false, false, false}, {true, true, true}, {false, false, true}};
    for (int sample = 0; sample < 4; ++sample) {
      for (int plane = 0; plane < 3; ++plane) {
        EXPECT_EQ(plane_bit(planes, sample, 0, plane), wanted[sample][plane])
            << sample << ' ' << plane;
      }
      for (int plane = 0; plane < 3; ++plane) {
        for (int site = 1; site < chunk_sites; ++site)
          ASSERT_FALSE(plane_bit(planes, sample, site, plane));
      }
    }
  }
}

TEST_P(TransposeTest, EqualsReferenceAtEdgesOfTilesAndChunks) {
  for (const std::int64_t samples : {0, 1, 2, 3, 5, 63, 64, 65, 127, 128, 129, 257, 521}) {
    for (const std::int64_t sites : {0, 1, 7, 64, 511, 512, 513, 1031}) {
      const SiteBlock block = random_block(samples, sites, 7);
      for (const int planes : {2, 3}) {
        PlaneBlock wanted;
        PlaneBlock got;
        transpose(reference_, block, identity(samples), identity(sites), planes, wanted);
        transpose(cpu_, block, identity(samples), identity(sites), planes, got);
        ASSERT_TRUE(same(wanted, got)) << samples << " x " << sites << ", planes " << planes;
      }
    }
  }
}

TEST_P(TransposeTest, TakesAnyListOfSamplesAndSites) {
  const SiteBlock block = random_block(301, 1100, 3);
  const Random random(5);
  std::vector<std::int64_t> samples{300, 0, 0, 128};
  std::vector<std::int64_t> sites{1099, 5, 5};
  for (int i = 0; i < 90; ++i) samples.push_back(random.word(i) % 301);
  for (int i = 0; i < 700; ++i) sites.push_back(random.word(1000 + i) % 1100);
  PlaneBlock wanted;
  PlaneBlock got;
  transpose(reference_, block, samples, sites, 3, wanted);
  transpose(cpu_, block, samples, sites, 3, got);
  EXPECT_TRUE(same(wanted, got));
  for (std::int64_t r = 0; r < wanted.samples; ++r) {
    for (std::int64_t k = 0; k < wanted.sites; ++k) {
      ASSERT_EQ(plane_bit(got, r, k, 2), block.at(sites[k], samples[r]) != missing_call);
    }
  }
}

TEST_P(TransposeTest, ReusesALargerBlockWithoutLeavingOldBits) {
  PlaneBlock got;
  const SiteBlock large = random_block(200, 2000, 1);
  transpose(cpu_, large, identity(200), identity(2000), 3, got);
  const std::uint8_t* memory = got.bytes.data();
  const SiteBlock small = random_block(70, 100, 2);
  transpose(cpu_, small, identity(70), identity(100), 2, got);
  EXPECT_EQ(got.bytes.data(), memory);
  PlaneBlock wanted;
  transpose(reference_, small, identity(70), identity(100), 2, wanted);
  EXPECT_TRUE(same(wanted, got));
}

TEST_P(TransposeTest, StopsWhenCancelled) {
  const SiteBlock block = random_block(70, 600, 2);
  PlaneBlock result;
  cpu_.cancel();
  EXPECT_THROW(transpose(cpu_, block, identity(70), identity(600), 2, result), Error);
}

TEST(TransposePlanes, EverySimdTargetGivesTheSamePlanes) {
  Context reference({.device = "reference"});
  Context cpu({.device = "cpu"});
  const SiteBlock block = random_block(333, 700, 9);
  for (const int planes : {2, 3}) {
    PlaneBlock wanted;
    transpose(reference, block, identity(333), identity(700), planes, wanted);
    on_each_instruction_set([&] {
      PlaneBlock got;
      transpose(cpu, block, identity(333), identity(700), planes, got);
      EXPECT_TRUE(same(wanted, got));
    });
  }
}

TEST(TransposePlanes, RefusesIndicesOutsideTheBlock) {
  Context context;
  const SiteBlock block = random_block(4, 4, 1);
  PlaneBlock result;
  const std::vector<std::int64_t> bad{4};
  EXPECT_THROW(transpose(context, block, bad, identity(4), 2, result), Error);
  EXPECT_THROW(transpose(context, block, identity(4), bad, 2, result), Error);
  EXPECT_THROW(transpose(context, block, identity(4), identity(4), 1, result), Error);
}

}  // namespace
}  // namespace yupana::genotype
