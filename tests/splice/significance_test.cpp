#include "yupana/splice/significance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/splice/cases.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::splice {
namespace {

const Composition quarters = base_composition("");

TEST(Significance, LambdaOfOneAndMinusOneIsTheLogarithmOfThree) {
  EXPECT_NEAR(karlin_lambda(Substitution::dna(), quarters, quarters), std::log(3), 1e-12);
  EXPECT_NEAR(karlin_lambda(Substitution::dna(4, -4), quarters, quarters), std::log(3) / 4, 1e-12);
  // 5 and -4: BLAST's own figure.
  EXPECT_NEAR(karlin_lambda(Substitution::dna(5, -4), quarters, quarters), 0.192, 5e-4);
}

TEST(Significance, ScoresThatGainByChanceHaveNoLambda) {
  EXPECT_EQ(karlin_lambda(Substitution::dna(3, -1), quarters, quarters), 0);
  EXPECT_EQ(
      karlin_lambda(Substitution::dna(1, -1), base_composition("AAAA"), base_composition("a")), 0);
}

TEST(Significance, CodonsOfEvenBasesMakeAminoAcidsByTheirNumber) {
  const Composition amino = codon_composition(quarters, GeneticCode());
  EXPECT_DOUBLE_EQ(amino.shares[amino.letters.find('L')], 6.0 / 64);
  EXPECT_DOUBLE_EQ(amino.shares[amino.letters.find('*')], 3.0 / 64);
  const double lambda =
      karlin_lambda(Substitution::blosum62(), amino, amino_composition("ACDEFGHIKLMNPQRSTVWY"));
  EXPECT_NEAR(lambda, 0.32, 0.05);
}

TEST(Significance, SegmentsEndAtGapsAndExonsAndAreTheBestWithin) {
  //                       0123456789
  const std::string text = "ACGTACGTAC", target = "ACTTACTAC";
  std::vector<ExonAlignment> chain(2);
  chain[0].target_end = 4;
  chain[0].runs = {{'=', 2}, {'X', 1}, {'=', 1}};
  chain[1].target_begin = 4;
  chain[1].target_end = 9;
  chain[1].runs = {{'=', 2}, {'D', 1}, {'=', 3}};
  EXPECT_EQ(segment_scores(text, target, chain, Substitution::dna(1, -3), low_complexity_bases),
            (std::vector<std::int64_t>{2, 2, 3}));
}

TEST(Significance, RepeatsGainNothingAndLoseWhatTheyDo) {
  const std::string text = "ACGTCAAAAAAAAGTC", target = "ACGTCAAAACAAAGTC";
  std::vector<ExonAlignment> chain(1);
  chain[0].target_end = 16;
  chain[0].runs = {{'=', 9}, {'X', 1}, {'=', 6}};
  EXPECT_EQ(segment_scores(text, target, chain, Substitution::dna(), low_complexity_bases),
            (std::vector<std::int64_t>{7}));
  EXPECT_EQ(segment_scores(text, target, chain, Substitution::dna(1, -9), low_complexity_bases),
            (std::vector<std::int64_t>{5}));
}

TEST(Significance, OneSegmentHasTheTailOfExtremeValues) {
  // ln E = ln 2 + ln(K m n) - lambda S
  EXPECT_NEAR(expected_by_chance({30}, 1, 3000, 1000), 2e6 * std::exp(-30), 1e-12);
  EXPECT_GE(expected_by_chance({}, 1, 3000, 1000), 1);
}

TEST(Significance, SegmentsTogetherSayMoreThanTheBest) {
  const double one = expected_by_chance({30}, 1, 3000, 1000);
  const double three = expected_by_chance({30, 29, 28}, 1, 3000, 1000);
  EXPECT_LT(three, one * 1e-6);
  EXPECT_DOUBLE_EQ(expected_by_chance({28, 30, 29}, 1, 3000, 1000), three);
  EXPECT_DOUBLE_EQ(expected_by_chance({30, 2, 1, 1}, 1, 3000, 1000), one)
      << "weak ones change nothing";
}

TEST(Significance, RandomTargetsAgainstRandomBasesHaveNone) {
  Draw draw(3);
  Context context({.device = "cpu", .threads = 2});
  const std::string bases = draw.letters(20'000);
  const AlignParams params = scaled_for_candidates({}, {});
  for (int i = 0; i < 20; ++i) {
    const std::string target = draw.letters(300);
    const auto exons = candidate_exons(bases, {}, target);
    const Case problem{bases, exons, target};
    const auto got = align(context, problem, params);
    const double lambda = karlin_lambda(params.substitution, quarters, quarters);
    const auto segments = segment_scores(spliced_bases(problem, got.chain),
                                         target,
                                         got.chain,
                                         params.substitution,
                                         low_complexity_bases);
    EXPECT_GT(expected_by_chance(segments, lambda, 20'000, 300), 0.05) << i;
  }
}

}  // namespace
}  // namespace yupana::splice
