#include <gtest/gtest.h>

#include <string>

#include "tests/support/thread_ranks.hpp"
#include "yupana/job/splice.hpp"

namespace yupana::job {
namespace {

using splice::Case;
using splice::SplicedAlignment;

/// An alignment that tells which case it is of: every number of it is another.
SplicedAlignment made_of(const Case& problem) {
  const auto length = std::ssize(problem.target);
  SplicedAlignment alignment{-length, {}, 10 * length, 20 * length, length % 2 == 1};
  for (std::int64_t e = 0; e < length % 4; ++e) {
    alignment.chain.push_back({e, length + e, length + 2 * e, {}});
    for (std::int64_t r = 0; r < e; ++r) alignment.chain.back().runs.push_back({"=XDI"[r], r + 7});
  }
  return alignment;
}

TEST(AlignCases, GivesEveryAlignmentInTheOrderOfTheCases) {
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < 23; ++i) targets.emplace_back(1 + 7 * i % 23, 'A');
  std::vector<Case> cases;
  std::vector<double> cells;
  for (const std::string& target : targets) {
    cases.push_back({"ACGT", {}, target});
    cells.push_back(static_cast<double>(target.size()));
  }
  for (const int ranks : {1, 2, 5, 30}) {
    std::vector<SplicedAlignment> found;
    std::atomic<std::size_t> worked{0};
    ThreadRanks(ranks).run([&](Comm& comm) {
      Context context({.device = "cpu", .threads = 1, .comm = &comm});
      auto mine = align_cases(context, cases, cells, [&](std::span<const Case> own) {
        std::vector<SplicedAlignment> done;
        for (const Case& problem : own) done.push_back(made_of(problem));
        worked += own.size();
        return done;
      });
      if (comm.rank() == 0) found = std::move(mine);
    });
    EXPECT_EQ(worked, cases.size()) << ranks;
    ASSERT_EQ(found.size(), cases.size()) << ranks;
    for (std::size_t c = 0; c < cases.size(); ++c) {
      const SplicedAlignment wanted = made_of(cases[c]);
      EXPECT_EQ(found[c].score, wanted.score);
      EXPECT_EQ(found[c].chain, wanted.chain);
      EXPECT_EQ(found[c].executed_cells, wanted.executed_cells);
      EXPECT_EQ(found[c].traced_cells, wanted.traced_cells);
      EXPECT_EQ(found[c].wide, wanted.wide);
    }
  }
}

}  // namespace
}  // namespace yupana::job
