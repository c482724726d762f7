#include "yupana/splice/align.hpp"

#include <gtest/gtest.h>

#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/splice/align_backends.hpp"

namespace yupana::splice {
namespace {

Context reference_context({.device = "reference"});

TEST(Align, WorkedExampleHasItsScoreChainAndLastRows) {
  for (const char* device : {"reference", "cpu"}) {
    SCOPED_TRACE(device);
    Context context({.device = device, .threads = 1});
    expect_worked_example(context);
  }
}

TEST(Align, EqualsTheBestOfAllChainsOfThousandsOfTinyCasesOnBothBackends) {
  Context cpu({.device = "cpu", .threads = 1});
  Draw draw(1);
  for (int round = 0; round < 4000; ++round) {
    // Two letters and small scores make ties the rule.
    const OwnCase c = random_case(draw,
                                  {.bases = draw.between(1, 12),
                                   .letters = draw.below(9),
                                   .exons = draw.between(1, 6),
                                   .longest = draw.between(1, 6),
                                   .junction = static_cast<int>(draw.below(2) * draw.below(4)),
                                   .alphabet = draw.below(2) == 0 ? "AC" : "ACGTN"});
    AlignParams params;
    params.gap_open = -static_cast<int>(draw.below(2) * draw.below(4));
    params.gap_extend = -static_cast<int>(draw.below(3));
    params.min_intron = draw.below(3);
    params.substitution = Substitution::dna(static_cast<int>(draw.below(3)) + 1, -1);
    const SplicedAlignment expected = align(reference_context, c.view(), params);
    const auto score_of = [&](const std::string& text) {
      return global_score(text, c.target, params);
    };
    ASSERT_EQ(expected.score, best_of_all_chains(c, params.min_intron, score_of))
        << "round " << round;
    expect_equal(align(cpu, c.view(), params), expected);
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

TEST(Align, CpuEqualsTheReferenceInScoreChainAndColumnsForAnyBlocksSlabsThreadsAndWidth) {
  Draw draw(2);
  for (int round = 0; round < 150; ++round) {
    const OwnCase c = random_case(draw,
                                  {.bases = draw.between(30, 500),
                                   .letters = draw.between(0, 150),
                                   .exons = draw.between(1, 40),
                                   .longest = draw.between(1, 60),
                                   .junction = static_cast<int>(draw.below(2) * 8),
                                   .alphabet = draw.below(2) == 0 ? "AC" : "ACGT"});
    AlignParams params;
    params.gap_open = -static_cast<int>(draw.below(2) * 3);
    params.gap_extend = -static_cast<int>(draw.between(1, 2));
    params.min_intron = draw.below(2) * 10;
    const SplicedAlignment expected = align(reference_context, c.view(), params);
    const Case view = c.view();
    for (const int threads : {1, 2, 7}) {
      Context cpu({.device = "cpu", .threads = threads});
      for (const std::int64_t columns : {0, 1, 33, 64}) {
        for (const std::int64_t saved :
             {std::int64_t{1} << 26, std::int64_t{1}, std::int64_t{3000}}) {
          for (const bool wide : {false, true}) {
            const auto got = cpu::align(cpu, std::span(&view, 1), params, {columns, saved, wide});
            expect_equal(got.front(), expected);
          }
        }
      }
    }
    params.alignment = false;
    Context cpu({.device = "cpu", .threads = 2});
    EXPECT_EQ(align(cpu, c.view(), params).score, expected.score);
    if (testing::Test::HasFailure()) FAIL() << "round " << round;
  }
}

TEST(Align, LengthsAroundTheVectorsOfABlockAgreeWithTheReference) {
  Draw draw(3);
  Context cpu({.device = "cpu", .threads = 2});
  for (const std::int64_t letters :
       {0, 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 509, 2047, 2048, 2049, 4100}) {
    for (const int open : {0, -4}) {
      const OwnCase c =
          random_case(draw, {.bases = 300, .letters = letters, .exons = 12, .longest = 50});
      AlignParams params;
      params.gap_open = open;
      expect_equal(align(cpu, c.view(), params), align(reference_context, c.view(), params));
    }
  }
}

TEST(Align, ScoresBeyondSixteenBitsAreDoneInThirtyTwo) {
  Draw draw(4);
  Context cpu({.device = "cpu", .threads = 1});
  OwnCase c = random_case(draw, {.bases = 400, .letters = 300, .exons = 10, .longest = 100});
  EXPECT_FALSE(align(cpu, c.view()).wide);
  AlignParams params;
  params.substitution = Substitution::dna(200, -200);
  params.gap_extend = -20;
  const SplicedAlignment got = align(cpu, c.view(), params);
  EXPECT_TRUE(got.wide);
  expect_equal(got, align(reference_context, c.view(), params));
  // Here only the sum of many junctions passes 16 bits, which is seen on the way.
  c.exons.clear();
  for (int k = 0; k < 40; ++k) {
    c.exons.push_back(exon(1 + 10 * k, 5 + 10 * k));
    c.exons.back().exit = 2000;
  }
  const SplicedAlignment chained = align(cpu, c.view());
  EXPECT_TRUE(chained.wide);
  EXPECT_GT(chained.score, 70000);
  expect_equal(chained, align(reference_context, c.view()));
}

// Scores in quarters of a match took 32 bits from 2,400 letters on, where 16 hold 3,100.
TEST(Align, SixteenBitsAreUsedAsFarAsTheyReach) {
  Draw draw(8);
  Context cpu({.device = "cpu", .threads = 1});
  AlignParams params;
  params.substitution = Substitution::dna(4, -4);
  params.gap_extend = -8;
  OwnCase c{draw.letters(3'120), {exon(5, 1'500), exon(1'521, 3'119), exon(7, 3'100)}, ""};
  c.target = c.bases.substr(4, 1'496) + c.bases.substr(1'520, 1'599);
  const SplicedAlignment got = align(cpu, c.view(), params);
  EXPECT_FALSE(got.wide);
  EXPECT_EQ(got.score, 4 * std::ssize(c.target));
  expect_equal(got, align(reference_context, c.view(), params));
  c.target += c.target;
  EXPECT_TRUE(align(cpu, c.view(), params).wide);
}

TEST(Align, ExonsOfManySizesLongestTwentyThousandBases) {
  Draw draw(5);
  Context cpu({.device = "cpu", .threads = 2});
  OwnCase c{draw.letters(20'100), {exon(50, 20'049), exon(1, 1), exon(20'100, 20'100)}, "ACGTAC"};
  c.exons.push_back(exon(2, 20'000));  // overlapping giants
  const SplicedAlignment got = align(cpu, c.view());
  expect_equal(got, align(reference_context, c.view()));
  // A chain that must hold a giant scores far below what 16 bits hold.
  c.exons = {exon(50, 20'049), exon(20'060, 20'062)};
  expect_equal(align(cpu, c.view()), align(reference_context, c.view()));
  EXPECT_LT(align(cpu, {c.bases, std::span(c.exons).first(1), c.target}).score, -39'000);
}

TEST(Align, AGapOfBasesGoesOnOverAJunctionOpenedOnce) {
  // The chain has to be both exons; GG and GG are one gap of four.
  OwnCase c{"AAGGTTTGGCC", {exon(1, 4), exon(8, 11)}, "AACC"};
  c.exons[0].exit = 1000;
  AlignParams params;
  params.gap_open = -5;
  params.gap_extend = -1;
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    const SplicedAlignment got = align(context, c.view(), params);
    EXPECT_EQ(got.score, 1000 + 4 - 5 - 4) << device;
    ASSERT_EQ(got.chain.size(), 2u);
    EXPECT_EQ(got.chain[0].runs, (std::vector<splice::Run>{{'=', 2}, {'D', 2}}));
    EXPECT_EQ(got.chain[1].runs, (std::vector<splice::Run>{{'D', 2}, {'=', 2}}));
  }
}

TEST(Align, WithoutExonsTheScoreIsThatOfTheEmptyChain) {
  for (const char* device : {"reference", "cpu"}) {
    Context context({.device = device, .threads = 1});
    EXPECT_EQ(align(context, Case{"ACGT", {}, "ACG"}).score, -6) << device;
    EXPECT_EQ(align(context, Case{"", {}, ""}).score, 0) << device;
  }
}

TEST(Align, OrderAndCopiesOfExonsDoNotMatterNorDoesCase) {
  OwnCase c = worked_example();
  std::reverse(c.exons.begin(), c.exons.end());
  c.exons.push_back(c.exons.front());
  c.bases = "accgtaTGU";
  c.target = "ccGGu";
  Context cpu({.device = "cpu", .threads = 1});
  const SplicedAlignment got = align(cpu, c.view());
  EXPECT_EQ(got.score, 3);
  ASSERT_EQ(got.chain.size(), 3u);
  EXPECT_EQ(got.chain[0].exon, 4);
  EXPECT_EQ(got.chain[1].exon, 3);
  EXPECT_EQ(got.chain[2].exon, 0);
}

TEST(Align, ManyCasesGiveWhatEachGivesAlone) {
  Draw draw(6);
  std::vector<OwnCase> cases;
  for (int i = 0; i < 60; ++i) {
    cases.push_back(random_case(draw,
                                {.bases = draw.between(1, 300),
                                 .letters = draw.below(100),
                                 .exons = draw.below(20),
                                 .longest = 40}));
  }
  const std::vector<Case> all = views(cases);
  for (const int threads : {1, 2, 7}) {
    Context cpu({.device = "cpu", .threads = threads});
    const auto got = align(cpu, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      expect_equal(got[i], align(reference_context, all[i]));
    }
  }
}

TEST(Align, BadInputIsRefusedWithItsPlace) {
  Context cpu({.device = "cpu", .threads = 1});
  const auto says = [&](const Case& c, const AlignParams& params, const char* words) {
    test::expect_refusal([&] { align(cpu, c, params); }, words);
  };
  std::vector<Exon> exons{exon(2, 5)};
  says({"ACGT", exons, "A"}, {}, "exon 1: expected 1 <= first <= last <= 4, got 2..5");
  exons = {exon(1, 2), exon(3, 2)};
  says({"ACGT", exons, "A"}, {}, "exon 2: expected 1 <= first <= last <= 4, got 3..2");
  exons = {exon(2, 3)};
  says({"AC!T", exons, "A"}, {}, "base 3 is '!'");
  says({"ACGT", exons, "AC-"}, {}, "target letter 3 is '-'");
  says({"ACGT", exons, "A"}, {.gap_extend = 1}, "gap_extend: expected");
  EXPECT_EQ(align(cpu, Case{"!CG!", exons, "CG"}).score, 2) << "only the bases of exons are read";
}

TEST(Rescore, RefusesWhatDoesNotAddUp) {
  const OwnCase c = worked_example();
  const AlignParams params;
  auto chain = align(reference_context, c.view()).chain;
  EXPECT_EQ(rescore(c.view(), chain, params), 3);
  auto broken = chain;
  broken[0].runs[0].operation = 'X';
  EXPECT_THROW(rescore(c.view(), broken, params), Error);
  broken = chain;
  broken.pop_back();
  EXPECT_THROW(rescore(c.view(), broken, params), Error);
  broken = chain;
  std::swap(broken[0], broken[1]);
  EXPECT_THROW(rescore(c.view(), broken, params), Error);
}

}  // namespace
}  // namespace yupana::splice
