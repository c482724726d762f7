#include "yupana/splice/align_memory.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/splice/align_backends.hpp"
#include "yupana/splice/estimate.hpp"

namespace yupana::splice {
namespace {

OwnCase long_case(Draw& draw) {
  return random_case(draw,
                     {.bases = 4000, .letters = 300, .exons = 60, .longest = 900, .junction = 20});
}

ContextParams with_memory(std::uint64_t bytes, int threads = 1) {
  return {.device = "cpu", .threads = threads, .memory = bytes};
}

TEST(AlignMemory, TheBoundIsNoLessThanThePlan) {
  Draw draw(1);
  for (int round = 0; round < 20; ++round) {
    const OwnCase c = long_case(draw);
    const TableCounts bound = TableCounts::bound(c.exons);
    const TableCounts made = TableCounts::of(make_plan(c.exons, 0));
    for (const std::int64_t TableCounts::*count : {&TableCounts::readings,
                                                   &TableCounts::starts,
                                                   &TableCounts::slots,
                                                   &TableCounts::versions,
                                                   &TableCounts::ended,
                                                   &TableCounts::rows,
                                                   &TableCounts::longest}) {
      EXPECT_GE(bound.*count + (count == &TableCounts::rows ? bound.starts : 0), made.*count);
    }
  }
}

TEST(AlignMemory, LessThanTheNeedIsRefusedBeforeAnyWorkAndTheNeedSuffices) {
  Draw draw(2);
  Context roomy(ContextParams{.device = "cpu", .threads = 1});
  for (const int open : {0, -3}) {
    const OwnCase c = long_case(draw);
    AlignParams params;
    params.gap_open = open;
    const TableCounts counts = TableCounts::of(make_plan(c.exons, 0));
    std::uint64_t need = 1 << 30;
    // The traceback keeps fewer rows where less is left; the need settles at once.
    for (int turn = 0; turn < 4; ++turn) {
      need = cpu_bytes(c.view(), params, counts, cpu::score_bytes(c.view(), params), need);
    }
    Context enough(with_memory(need)), less(with_memory(need / 2));
    expect_equal(align(enough, c.view(), params), align(roomy, c.view(), params));
    const std::string text =
        test::refusal([&] { check_problems(less, std::vector<Case>{c.view()}, params); },
                      ErrorCode::out_of_resources);
    EXPECT_NE(text.find("--memory"), std::string::npos) << text;
    EXPECT_EQ(text.find(" 0.0 "), std::string::npos) << text;
    params.held_bytes = need / 2;  // the caller's
    test::refusal([&] { align(enough, c.view(), params); }, ErrorCode::out_of_resources);
  }
}

TEST(AlignMemory, ProteinsAndTheReferenceAreRefusedToo) {
  Draw draw(3);
  const OwnCase c = long_case(draw);
  Context small(with_memory(100'000));
  Context reference(ContextParams{.device = "reference", .threads = 1, .memory = 100'000});
  const std::vector<Case> cases = {c.view()};
  test::refusal([&] { check_proteins(small, cases, {}); }, ErrorCode::out_of_resources);
  test::refusal([&] { check_proteins(reference, cases, {}); }, ErrorCode::out_of_resources);
  test::refusal([&] { check_problems(reference, cases, {}); }, ErrorCode::out_of_resources);
}

TEST(AlignMemory, ManyCasesInLittleMemoryHaveTheSameResults) {
  Draw draw(4);
  std::vector<OwnCase> own;
  for (int i = 0; i < 12; ++i) own.push_back(long_case(draw));
  std::vector<Case> cases;
  std::uint64_t most = 0;
  for (const OwnCase& c : own) {
    cases.push_back(c.view());
    most = std::max(most, static_cast<std::uint64_t>(estimate(cases.back()).bytes));
  }
  Context roomy(ContextParams{.device = "cpu", .threads = 4}), tight(with_memory(most, 4));
  const auto wanted = align(roomy, cases), found = align(tight, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) expect_equal(found[i], wanted[i]);
}

TEST(AlignMemory, AsManyProblemsRunAtOnceAsFit) {
  EXPECT_EQ(problems_at_once(8, 100, 1000), 8);
  EXPECT_EQ(problems_at_once(8, 300, 1000), 3);
  EXPECT_EQ(problems_at_once(8, 2000, 1000), 1);
  EXPECT_EQ(problems_at_once(8, 0, 0), 1);
}

TEST(AlignMemory, SlabsNeverOutgrowTheRowsAboveThem) {
  EXPECT_EQ(slab_rows(1000, 10, 50), 50);
  EXPECT_EQ(slab_rows(1000, 10, 500), 100);
  EXPECT_EQ(slab_rows(0, 10, 10'000), 100);
  EXPECT_EQ(slab_rows(0, 10, 1), 1);
}

}  // namespace
}  // namespace yupana::splice
