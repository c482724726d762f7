#include <gtest/gtest.h>

#include "tests/support/pack_planes.hpp"
#include "tests/support/pair_counting.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::genotype {
namespace {

using testing::count;
using testing::expect_same;
using testing::Genotypes;
using testing::pack_planes;
using testing::random_genotypes;

std::int64_t cells_of(Range rows) { return triangle_cells(rows.end) - triangle_cells(rows.begin); }

/// Sites [parts[r], parts[r + 1]) are counted by rank r; its share of the rows stands in the
/// result.
std::vector<PairCounts> summed(const Genotypes& genotypes,
                               const std::vector<std::int64_t>& parts,
                               bool hethet,
                               Range rows,
                               const std::vector<Range>& shares) {
  std::vector<PairCounts> sums(parts.size() - 1);
  ThreadRanks(static_cast<int>(sums.size())).run([&](Comm& comm) {
    const auto rank = static_cast<std::size_t>(comm.rank());
    Context context({.device = "cpu", .threads = 1});
    PairCounter counter(context, genotypes.samples, {.hethet = hethet, .rows = rows});
    if (parts[rank] < parts[rank + 1]) {
      counter.add(pack_planes(genotypes, parts[rank], parts[rank + 1]));
    }
    sums[rank] = sum_over_ranks(comm, counter.take(), hethet, shares);
  });
  return sums;
}

/// Every rank has the counts of one process in its rows.
void expect_shares(const std::vector<PairCounts>& sums,
                   const PairCounts& whole,
                   const std::vector<Range>& shares) {
  for (std::size_t rank = 0; rank < sums.size(); ++rank) {
    SCOPED_TRACE(rank);
    EXPECT_EQ(sums[rank].rows.begin, shares[rank].begin);
    EXPECT_EQ(sums[rank].rows.end, shares[rank].end);
    EXPECT_EQ(sums[rank].sites, whole.sites);
    EXPECT_EQ(sums[rank].called, whole.called);
    if (shares[rank].size() > 0) expect_same(sums[rank], whole);
  }
}

TEST(PairCountsOfRanks, SharesFollowOnEachOtherAndHoldAboutAsManyCells) {
  for (const std::int64_t n : {0, 1, 2, 7, 100, 1009}) {
    for (const int parts : {1, 2, 3, 7, 64}) {
      const Range rows = {n / 3, n};
      const std::vector<Range> shares = triangle_shares(rows, parts);
      ASSERT_EQ(std::ssize(shares), parts);
      EXPECT_EQ(shares.front().begin, rows.begin);
      EXPECT_EQ(shares.back().end, rows.end);
      for (std::size_t r = 1; r < shares.size(); ++r) {
        EXPECT_EQ(shares[r].begin, shares[r - 1].end);
      }
      for (const Range share : shares) {
        EXPECT_GE(share.size(), 0);
        EXPECT_LE(cells_of(share), cells_of(rows) / parts + n + 1) << n << " rows, " << parts;
      }
    }
  }
}

TEST(PairCountsOfRanks, AreThoseOfOneProcess) {
  for (const double missing : {0.0, 0.2}) {
    for (const bool hethet : {false, true}) {
      const Genotypes g = random_genotypes(37, 2000, missing, 5);
      for (const auto& parts : std::vector<std::vector<std::int64_t>>{
               {0, 2000}, {0, 700, 2000}, {0, 0, 1999, 2000}, {0, 513, 514, 1024, 1024, 2000}}) {
        for (const Range rows : {Range{0, 37}, Range{11, 29}}) {
          const auto shares = triangle_shares(rows, static_cast<int>(parts.size()) - 1);
          const PairCounts whole = count(g, {"cpu", 2}, 2000, {hethet, rows});
          expect_shares(summed(g, parts, hethet, rows, shares), whole, shares);
        }
      }
    }
  }
}

TEST(PairCountsOfRanks, WhereOnlyOneRankMetAMissingCallAllCountSharedSites) {
  Genotypes g = random_genotypes(20, 1500, 0, 6);
  g.values[static_cast<std::size_t>(3 * g.sites + 1200)] = -1;  // of sample 3, in the last part
  for (const bool hethet : {false, true}) {
    const auto shares = triangle_shares({0, 20}, 3);
    const PairCounts whole = count(g, {"cpu", 1}, 1500, {hethet, {}});
    ASSERT_FALSE(whole.shared.empty());
    expect_shares(summed(g, {0, 500, 1000, 1500}, hethet, {0, 20}, shares), whole, shares);
  }
}

TEST(PairCountsOfRanks, TheFirstMayKeepAll) {
  const Genotypes g = random_genotypes(25, 1000, 0.1, 7);
  const std::vector<Range> shares = {{0, 25}, {25, 25}, {25, 25}};
  const auto sums = summed(g, {0, 300, 600, 1000}, false, {0, 25}, shares);
  expect_shares(sums, count(g, {"cpu", 1}, 1000), shares);
}

TEST(PairCountsOfRanks, SumsPastThirtyTwoBitsAreWhole) {
  constexpr std::int64_t sites = 3'000'000'000;
  ThreadRanks(3).run([&](Comm& comm) {
    PairCounts counts;
    counts.samples = 3;
    counts.sites = sites;
    counts.rows = {0, 3};
    counts.ibs1 = CountTriangle(counts.rows);
    counts.ibs0 = CountTriangle(counts.rows);
    counts.called = counts.heterozygous = counts.homozygous = std::vector<std::uint64_t>(3, sites);
    for (std::int64_t cell = 0; cell < 6; ++cell) {
      counts.ibs1.low()[cell] = 2'900'000'000 + static_cast<std::uint32_t>(cell);
    }
    if (comm.rank() == 1) {  // one that has needed more already
      counts.sites = 2 * sites;
      counts.ibs1.widen();
      counts.ibs1.high()[4] = 1;
    }
    const auto shares = triangle_shares(counts.rows, 3);
    const PairCounts sum = sum_over_ranks(comm, std::move(counts), false, shares);
    EXPECT_EQ(sum.sites, 4 * sites);
    EXPECT_EQ(sum.called, std::vector<std::uint64_t>(3, 3 * sites));
    for (std::int64_t i = sum.rows.begin; i < sum.rows.end; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        const auto cell = static_cast<std::uint64_t>(triangle_cells(i) + j);
        const std::uint64_t more = cell == 4 ? std::uint64_t{1} << 32 : 0;
        EXPECT_EQ(sum.ibs1.at(i, j), 3 * (2'900'000'000 + cell) + more) << i << ", " << j;
        EXPECT_EQ(sum.ibs0.at(i, j), 0u);
      }
    }
  });
}

}  // namespace
}  // namespace yupana::genotype
