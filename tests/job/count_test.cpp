#include "yupana/job/count.hpp"

#include <gtest/gtest.h>

#include "tests/support/pair_counting.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/core/error.hpp"

namespace yupana::job {
namespace {

constexpr std::int64_t samples = 61;
constexpr std::int64_t sites = 40000;  // of several pieces, which are what ranks are dealt

InputParams input_of(double missing) {
  InputParams params;
  params.path = fmt::format("simulate:{}x{},seed=3,missing={}", samples, sites, missing);
  return params;
}

struct Cut {
  int ranks;
  int groups;
};

Plan plan_of(Context& context, const Input& input, const InputParams& params) {
  PlanParams sizes = plan_sizes(context, input, params);
  EXPECT_EQ(sizes.samples, samples);
  sizes.hethet = true;
  return make_plan(context, sizes);
}

/// What every rank keeps of all bands but the first, whose numbers follow from the rest.
std::vector<genotype::PairCounts> counted(Cut cut, double missing) {
  std::vector<genotype::PairCounts> kept(static_cast<std::size_t>(cut.ranks));
  ThreadRanks(cut.ranks).run([&](Comm& comm) {
    Context context({.device = "cpu", .threads = 1, .comm = &comm});
    InputParams params = input_of(missing);
    params.pair_groups = cut.groups;
    Input input = open_input(context, params);
    const Plan plan = plan_of(context, input, params);
    ASSERT_EQ(plan.pair_groups, cut.groups);
    ASSERT_EQ(plan.bands.size(), 1u);
    cut_pairs(context, input, plan.pair_groups);
    const auto rank = static_cast<std::size_t>(comm.rank());
    kept[rank] = count_pairs(context, input, plan, plan.bands[0]);
    EXPECT_EQ(kept[rank].rows.begin, rank_rows(plan, plan.bands[0])[rank].kept.begin);
    EXPECT_EQ(whole_summary(context, input, genotype::Missing::pairwise).sites.kept, sites);
  });
  return kept;
}

TEST(CountPairs, OfEveryCutOfPairsAndSitesAreThoseOfOneProcess) {
  for (const double missing : {0.0, 0.1}) {
    Context context({.device = "cpu", .threads = 2});
    const InputParams params = input_of(missing);
    Input input = open_input(context, params);
    const Plan plan = plan_of(context, input, params);
    const genotype::PairCounts whole = count_pairs(context, input, plan, {0, samples});
    for (const Cut cut : {Cut{1, 1}, Cut{2, 1}, Cut{2, 2}, Cut{3, 3}, Cut{4, 2}, Cut{6, 3}}) {
      SCOPED_TRACE(fmt::format("{} ranks, {} groups, missing {}", cut.ranks, cut.groups, missing));
      std::int64_t rows = 0;
      for (const genotype::PairCounts& mine : counted(cut, missing)) {
        rows += mine.rows.size();
        if (mine.rows.size() > 0) testing::expect_same(mine, whole);
      }
      EXPECT_EQ(rows, samples) << "every row is one rank's";
    }
  }
}

TEST(RankRows, OfAGroupAreWhatItsRanksKeepTogether) {
  Plan plan;
  plan.sizes.ranks = 6;
  for (const int groups : {1, 2, 3, 6}) {
    plan.pair_groups = groups;
    const std::vector<RankRows> rows = rank_rows(plan, {100, 1009});
    ASSERT_EQ(rows.size(), 6u);
    std::int64_t next = 100;
    for (int group = 0; group < groups; ++group) {
      for (auto rank = static_cast<std::size_t>(group); rank < 6; rank += groups) {
        EXPECT_EQ(rows[rank].kept.begin, next);
        EXPECT_GE(rows[rank].kept.begin, rows[rank].counted.begin);
        next = rows[rank].kept.end;
        EXPECT_LE(next, rows[rank].counted.end);
      }
      EXPECT_EQ(next, rows[static_cast<std::size_t>(group)].counted.end);
    }
    EXPECT_EQ(next, 1009);
  }
}

TEST(CutPairs, LetsTheRanksThatFollowOnEachOtherReadTheSameSites) {
  ThreadRanks(6).run([](Comm& comm) {
    Context context({.device = "cpu", .threads = 1, .comm = &comm});
    Input input = open_input(context, input_of(0));
    cut_pairs(context, input, 3);
    EXPECT_EQ(input.site_groups(), 2);
    EXPECT_EQ(input.same_pairs->size(), 2);
    EXPECT_EQ(input.same_pairs->rank(), comm.rank() / 3);
  });
}

}  // namespace
}  // namespace yupana::job
