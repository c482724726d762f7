#include "yupana/job/plan.hpp"

#include <gtest/gtest.h>

#include "yupana/core/error.hpp"
#include "yupana/genotype/pair_counts.hpp"

namespace yupana::job {
namespace {

constexpr std::uint64_t mega = std::uint64_t{1} << 20;

Plan plan_of(std::uint64_t memory, PlanParams sizes) {
  Context context({.device = "cpu", .threads = 1, .memory = memory});
  return make_plan(context, sizes);
}

std::uint64_t triangle_bytes(std::int64_t samples) {
  return genotype::PairCounter::bytes({0, samples}, true, false);
}

TEST(PlanOfRanks, CutsTheSitesWhereThereAreMany) {
  const Plan plan = plan_of(4096 * mega, {.samples = 2000, .sites = 100'000'000, .ranks = 8});
  EXPECT_EQ(plan.pair_groups, 1);
  EXPECT_EQ(plan.bands.size(), 1u);
}

TEST(PlanOfRanks, CutsThePairsWhereTheSumsWouldCostMoreThanReadingAgain) {
  const Plan plan = plan_of(8192 * mega, {.samples = 20000, .sites = 5000, .ranks = 8});
  EXPECT_EQ(plan.pair_groups, 8);
}

TEST(PlanOfRanks, CutsThePairsWhereOneRankCannotHoldThemAll) {
  constexpr std::int64_t n = 20000;
  const PlanParams sizes = {.samples = n, .sites = 100'000'000, .ranks = 8};
  // A third of the triangle beside blocks and program.
  const Plan plan = plan_of(triangle_bytes(n) / 3 + 128 * mega, sizes);
  EXPECT_GE(plan.pair_groups, 4);
  EXPECT_EQ(plan.bands.size(), 1u) << "one pass over the sites, where a rank alone needs four";
  EXPECT_LE(plan.total_bytes, triangle_bytes(n) / 3 + 128 * mega);
}

TEST(PlanOfRanks, AddsPassesWhereAllRanksTogetherCannotHoldThePairs) {
  constexpr std::int64_t n = 20000;
  const PlanParams sizes = {.samples = n, .sites = 100'000'000, .ranks = 4};
  const Plan plan = plan_of(triangle_bytes(n) / 10 + 128 * mega, sizes);
  EXPECT_EQ(plan.pair_groups, 4);
  EXPECT_EQ(plan.bands.size(), 3u);
  std::int64_t next = 0;
  for (const Range band : plan.bands) {
    EXPECT_EQ(band.begin, next);
    for (const Range rows : genotype::triangle_shares(band, 4)) {
      EXPECT_GT(rows.size(), 0);
      EXPECT_LE(genotype::PairCounter::bytes(rows, true, false), plan.count_bytes);
    }
    next = band.end;
  }
  EXPECT_EQ(next, n);
}

TEST(PlanOfRanks, ReadsTextOnceIfItCan) {
  constexpr std::int64_t n = 20000;
  const Plan plan =
      plan_of(triangle_bytes(n) / 3 + 128 * mega, {.samples = n, .sites = -1, .ranks = 8});
  EXPECT_EQ(plan.bands.size(), 1u);
  EXPECT_EQ(plan.pair_groups, 4) << "no more groups than one pass needs";
}

TEST(PlanOfRanks, LeavesNoGroupWithoutRows) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 16, 17, 100}) {
    const Plan plan = plan_of(1024 * mega, {.samples = n, .sites = 1, .ranks = 8});
    for (const Range band : plan.bands) {
      for (const Range rows : genotype::triangle_shares(band, plan.pair_groups)) {
        EXPECT_GT(rows.size(), 0) << n;
      }
    }
  }
}

TEST(PlanOfRanks, KeepsAllPairsTogetherWhereTheFirstNeedsThem) {
  const Plan plan =
      plan_of(8192 * mega, {.samples = 20000, .sites = 100, .one_band = true, .ranks = 8});
  EXPECT_EQ(plan.pair_groups, 1);
}

TEST(PlanOfRanks, RefusesGroupsThatCannotBe) {
  const auto code_of = [](PlanParams sizes) {
    try {
      plan_of(1024 * mega, sizes);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::device;  // nothing was thrown
  };
  EXPECT_EQ(code_of({.samples = 100, .sites = 10, .ranks = 6, .pair_groups = 4}), ErrorCode::usage);
  EXPECT_EQ(code_of({.samples = 100, .sites = 10, .one_band = true, .ranks = 6, .pair_groups = 2}),
            ErrorCode::usage);
  EXPECT_EQ(code_of({.samples = 3, .sites = 10, .ranks = 6, .pair_groups = 6}), ErrorCode::usage);
}

}  // namespace
}  // namespace yupana::job
