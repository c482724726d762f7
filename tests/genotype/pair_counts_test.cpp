#include "yupana/genotype/pair_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/support/instruction_sets.hpp"
#include "tests/support/pack_planes.hpp"
#include "tests/support/pair_counting.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::genotype {
namespace {

using testing::count;
using testing::expect_same;
using testing::Genotypes;
using testing::pack_planes;
using testing::random_genotypes;

const ContextParams reference = {"reference"};
ContextParams cpu(int threads) { return {"cpu", threads}; }
PairCountsParams with_hethet(Range rows = {}) { return {true, rows}; }

TEST(PairCounts, ReferenceCountsAHandMadeCase) {
  Genotypes g(3, 5);
  g.values = {0,
              1,
              2,
              1,
              -1,  //
              2,
              1,
              0,
              0,
              1,  //
              0,
              2,
              -1,
              1,
              1};
  const PairCounts c = count(g, reference, 5, with_hethet());
  EXPECT_EQ(c.ibs0.at(1, 0), 2u);
  EXPECT_EQ(c.ibs1.at(1, 0), 1u);
  EXPECT_EQ(c.shared_at(1, 0), 4u);
  EXPECT_EQ(c.hethet_at(1, 0), 1u);
  EXPECT_EQ(c.het_at(1, 0), 1u);
  EXPECT_EQ(c.ibs1.at(2, 1), 2u);
  EXPECT_EQ(c.ibs0.at(2, 1), 1u);
  EXPECT_EQ(c.shared_at(2, 1), 4u);
  EXPECT_EQ(c.het_at(2, 1), 2u);
  EXPECT_EQ(c.shared_at(2, 2), 4u);
  EXPECT_EQ(c.called, (std::vector<std::uint64_t>{4, 5, 4}));
  EXPECT_EQ(c.heterozygous, (std::vector<std::uint64_t>{2, 2, 2}));
  EXPECT_EQ(c.homozygous, (std::vector<std::uint64_t>{1, 1, 1}));
}

TEST(PairCounts, EveryTargetEqualsTheReferenceAroundBlocksAndTiles) {
  for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31}) {
    for (const std::int64_t m : {0, 1, 511, 512, 513, 5000}) {
      for (const double missing : {0.0, 0.01, 0.6}) {
        const Genotypes g = random_genotypes(n, m, missing, static_cast<std::uint64_t>(n * m + 1));
        const PairCounts expected = count(g, reference, 10000, with_hethet());
        on_each_instruction_set(
            [&] { expect_same(count(g, cpu(2), 10000, with_hethet()), expected); });
      }
    }
  }
}

TEST(PairCounts, SeveralTilesEqualTheReference) {
  for (const std::int64_t n : {63, 64, 65, 127, 128, 129, 139, 260}) {
    for (const double missing : {0.0, 0.05}) {
      const Genotypes g = random_genotypes(n, 600, missing, static_cast<std::uint64_t>(n));
      const PairCounts expected = count(g, reference, 1000, with_hethet());
      on_each_instruction_set(
          [&] { expect_same(count(g, cpu(2), 1000, with_hethet()), expected); });
    }
  }
}

TEST(PairCounts, ManyChunksEqualTheReferenceForAnyNumberOfThreads) {
  for (const double missing : {0.0, 0.05}) {
    const Genotypes g = random_genotypes(5, 512 * 131 + 17, missing, 8);
    const PairCounts expected = count(g, reference, g.sites, with_hethet());
    for (const int threads : {1, 2, 7}) {
      on_each_instruction_set(
          [&] { expect_same(count(g, cpu(threads), g.sites, with_hethet()), expected); });
    }
  }
}

TEST(PairCounts, DoNotDependOnHowSitesAreCutIntoBlocks) {
  Genotypes g = random_genotypes(9, 3000, 0.02, 4);
  // Blocks with and without missing calls take turns.
  for (std::int64_t k = 0; k < g.sites; ++k) {
    for (std::int64_t i = 0; i < g.samples && k / 700 % 2 == 0; ++i) {
      g.at(i, k) = std::max(g.at(i, k), 0);
    }
  }
  const PairCounts expected = count(g, reference, g.sites, with_hethet());
  for (const std::int64_t block : {1, 100, 512, 700, 1400, 2999, 3000}) {
    expect_same(count(g, cpu(2), block, with_hethet()), expected);
    expect_same(count(g, reference, block, with_hethet()), expected);
  }
}

TEST(PairCounts, BandsOfRowsJoinToTheWhole) {
  for (const double missing : {0.0, 0.1}) {
    const Genotypes g = random_genotypes(300, 1100, missing, 12);
    const PairCounts whole = count(g, cpu(2), 2000, with_hethet());
    for (const std::int64_t step : {1, 37, 128, 299}) {
      for (std::int64_t begin = step == 1 ? 280 : 0; begin < g.samples; begin += step) {
        const Range rows = {begin, std::min(begin + step, g.samples)};
        const PairCounts band = count(g, cpu(2), 600, with_hethet(rows));
        ASSERT_EQ(band.rows.begin, rows.begin);
        expect_same(band, whole);
      }
    }
    expect_same(count(g, reference, 2000, with_hethet({37, 41})), whole);
  }
}

TEST(PairCounts, AnAllMissingSampleSharesNothing) {
  Genotypes g = random_genotypes(6, 700, 0.1, 3);
  for (std::int64_t k = 0; k < g.sites; ++k) g.at(4, k) = -1;
  const PairCounts c = count(g, cpu(2), 700, with_hethet());
  expect_same(c, count(g, reference, 700, with_hethet()));
  for (std::int64_t j = 0; j <= 4; ++j) {
    EXPECT_EQ(c.shared_at(4, j), 0u);
    EXPECT_EQ(c.ibs1.at(4, j) + c.ibs0.at(4, j), 0u);
  }
  EXPECT_EQ(c.called[4], 0u);
}

TEST(PairCounts, DuplicatesDifferNowhere) {
  Genotypes g = random_genotypes(7, 1500, 0.2, 5);
  for (std::int64_t k = 0; k < g.sites; ++k) g.at(6, k) = g.at(2, k);
  const PairCounts c = count(g, cpu(1), 1500);
  EXPECT_EQ(c.ibs1.at(6, 2), 0u);
  EXPECT_EQ(c.ibs0.at(6, 2), 0u);
  EXPECT_EQ(c.shared_at(6, 2), c.called[2]);
  for (std::int64_t i = 0; i < 7; ++i) EXPECT_EQ(c.ibs1.at(i, i) + c.ibs0.at(i, i), 0u);
}

TEST(PairCounts, DoNotDependOnTheOrderOfSamplesOrSites) {
  const Genotypes g = random_genotypes(20, 900, 0.03, 6);
  std::vector<std::int64_t> samples(20), sites(900);
  std::iota(samples.begin(), samples.end(), 0);
  std::iota(sites.begin(), sites.end(), 0);
  std::mt19937 random(1);
  std::shuffle(samples.begin(), samples.end(), random);
  std::shuffle(sites.begin(), sites.end(), random);
  Genotypes shuffled(20, 900);
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t k = 0; k < 900; ++k) {
      shuffled.at(i, k) =
          g.at(samples[static_cast<std::size_t>(i)], sites[static_cast<std::size_t>(k)]);
    }
  }
  const PairCounts a = count(g, cpu(2), 900), b = count(shuffled, cpu(2), 900);
  for (std::int64_t i = 0; i < 20; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      const auto [low, high] =
          std::minmax(samples[static_cast<std::size_t>(i)], samples[static_cast<std::size_t>(j)]);
      EXPECT_EQ(b.ibs1.at(i, j), a.ibs1.at(high, low));
      EXPECT_EQ(b.ibs0.at(i, j), a.ibs0.at(high, low));
      EXPECT_EQ(b.shared_at(i, j), a.shared_at(high, low));
    }
  }
}

TEST(PairCounts, DoNotDependOnWhichAlleleIsCounted) {
  const Genotypes g = random_genotypes(12, 800, 0.05, 7);
  Genotypes swapped = g;
  for (int& x : swapped.values) x = x < 0 ? x : 2 - x;
  const PairCounts a = count(g, cpu(2), 800, with_hethet());
  PairCounts b = count(swapped, cpu(2), 800, with_hethet());
  b.homozygous = a.homozygous;  // the one count that is about an allele
  expect_same(a, b);
}

TEST(PairCounts, GoOnPastTwoToThe32Sites) {
  const Genotypes g = random_genotypes(3, 1 << 22, 0.0, 9);
  const PlaneBlock block = pack_planes(g);
  Context context(cpu(2));
  PairCounter once(context, 3, with_hethet());
  once.add(block);
  PairCounter many(context, 3, with_hethet());
  constexpr std::uint64_t times = 1030;  // of 2^22 sites
  for (std::uint64_t i = 0; i < times; ++i) many.add(block);
  // A missing call now makes every derived count explicit, above 2^32 too.
  Genotypes last(3, 1);
  last.values = {-1, 1, 1};
  many.add(pack_planes(last));
  const PairCounts &a = once.counts(), &b = many.counts();
  EXPECT_EQ(b.sites, static_cast<std::int64_t>(times << 22) + 1);
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const std::uint64_t more = j > 0;
      EXPECT_EQ(b.ibs1.at(i, j), a.ibs1.at(i, j) * times);
      EXPECT_EQ(b.ibs0.at(i, j), a.ibs0.at(i, j) * times);
      EXPECT_EQ(b.shared_at(i, j), (times << 22) + more);
      EXPECT_EQ(b.hethet_at(i, j), a.hethet_at(i, j) * times + more);
      EXPECT_EQ(b.het_at(i, j), a.het_at(i, j) * times + more);
    }
  }
  EXPECT_EQ(b.called[0], times << 22);
}

TEST(PairCounts, CarryIntoTheHighWords) {
  // Two samples that differ at every site: IBS0 itself passes 2^32.
  Genotypes g(3, 1 << 22);
  for (std::int64_t k = 0; k < g.sites; ++k) g.at(1, k) = 2, g.at(2, k) = 1;
  const PlaneBlock block = pack_planes(g);
  Context context(cpu(2));
  PairCounter counter(context, 3);
  for (int i = 0; i < 1025; ++i) counter.add(block);
  EXPECT_EQ(counter.counts().ibs0.at(1, 0), std::uint64_t{1025} << 22);
  EXPECT_EQ(counter.counts().ibs1.at(2, 0), std::uint64_t{1025} << 22);
  EXPECT_EQ(counter.counts().ibs0.at(2, 0), 0u);
}

TEST(PairCounts, ResumedCountsGoOn) {
  const Genotypes g = random_genotypes(10, 1000, 0.1, 10);
  Context context(cpu(2));
  PairCounter first(context, 10, with_hethet());
  first.add(pack_planes(g, 0, 300));
  PairCounter second(context, 10, with_hethet());
  second.resume(first.take());
  second.add(pack_planes(g, 300, 1000));
  expect_same(second.counts(), count(g, reference, 1000, with_hethet()));
}

TEST(PairCounts, CancellationStopsTheCount) {
  const PlaneBlock block = pack_planes(random_genotypes(8, 2000, 0.0, 1));
  Context context(cpu(2));
  PairCounter counter(context, 8);
  context.cancel();
  test::refusal([&] { counter.add(block); }, ErrorCode::interrupted);
}

TEST(PairCounts, ProgressAddsUpToAllPairs) {
  const std::int64_t n = 150, m = 700;
  Context context(cpu(2));
  PairCounter counter(context, n);
  {
    Stage stage(context, "distances", 0, "pair-SNP");
    counter.add(pack_planes(random_genotypes(n, m, 0.0, 2)), &stage);
  }
  // Without those of a sample and itself, as a GPU and the plan count them.
  EXPECT_DOUBLE_EQ(context.stages()[0].work, static_cast<double>(n * (n - 1) / 2 * m));
}

TEST(PairCounts, RefuseBlocksAndRowsThatDoNotFit) {
  Context context(cpu(1));
  EXPECT_THROW(PairCounter(context, 5, with_hethet({3, 6})), Error);
  PairCounter counter(context, 5);
  EXPECT_THROW(counter.add(PlaneBlock(4, 512, 2)), Error);
}

}  // namespace
}  // namespace yupana::genotype
