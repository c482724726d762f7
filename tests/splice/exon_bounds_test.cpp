#include "yupana/splice/exon_bounds.hpp"

#include <gtest/gtest.h>

#include "tests/splice/cases.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::splice {
namespace {

/// The alignment of the competitive exons is that of all; returns how many they are.
std::size_t expect_same(const OwnCase& c, const AlignParams& params) {
  Context context({.device = "cpu", .threads = 1});
  const SplicedAlignment all = align(context, c.view(), params);
  const ExonBounds bounds(context, c.view(), params);
  EXPECT_GE(bounds.best(), all.score);
  const std::vector<std::int64_t> of_exons = bounds.of_exons();
  for (const ExonAlignment& part : all.chain) EXPECT_GE(of_exons[part.exon], all.score);
  const CompetitiveExons few = competitive_exons(context, c.view(), params, bounds);
  EXPECT_LE(few.score, all.score);
  const SplicedAlignment some = align(context, {c.bases, few.exons, c.target}, params);
  EXPECT_EQ(some.score, all.score);
  EXPECT_EQ(some.chain.size(), all.chain.size());
  for (std::size_t i = 0; i < std::min(some.chain.size(), all.chain.size()); ++i) {
    EXPECT_EQ(few.exons[some.chain[i].exon], c.exons[all.chain[i].exon]);
    EXPECT_EQ(some.chain[i].target_begin, all.chain[i].target_begin);
    EXPECT_EQ(some.chain[i].runs, all.chain[i].runs);
  }
  return few.exons.size();
}

TEST(ExonBounds, LeaveTheAlignmentOfRandomProblemsAsItIs) {
  Draw draw(21);
  std::size_t all = 0, kept = 0;
  for (int i = 0; i < 3000; ++i) {
    const Shape shape{draw.between(1, 60),
                      draw.between(0, 25),
                      draw.between(1, 40),
                      draw.between(1, 20),
                      static_cast<int>(draw.below(2) * draw.below(12))};
    const OwnCase c = random_case(draw, shape);
    AlignParams params;
    params.gap_open = static_cast<int>(-draw.below(2) * draw.below(8));
    params.gap_extend = static_cast<int>(-draw.below(4));
    params.min_intron = draw.below(2) * draw.below(10);
    SCOPED_TRACE(i);
    all += c.exons.size();
    kept += expect_same(c, params);
    if (HasFailure()) return;
  }
  EXPECT_LT(kept, all);
}

TEST(ExonBounds, LeaveFewExonsOfAGeneWithItsOwnCdna) {
  Draw draw(22);
  std::string exons[3] = {"ATG", "", ""};
  for (std::string& exon : exons) {
    for (int codon = 0; codon < 50; ++codon) exon += draw.below(2) ? "GCT" : "AAG";
  }
  const std::string intron = "GTAAGT" + draw.letters(400) + "TTTTCTTTTCCTTTTTTTGCAG";
  OwnCase c;
  c.target = exons[0] + exons[1] + exons[2] + "TAA";
  c.bases = draw.letters(500) + exons[0] + intron + exons[1] + intron + exons[2] + "TAA" +
            draw.letters(500);
  c.exons = candidate_exons(c.bases, {}, c.target);
  const AlignParams params = scaled_for_candidates({}, {});
  EXPECT_LT(20 * expect_same(c, params), c.exons.size());
  // Another species: letters and gaps differ.
  for (std::size_t i = 5; i < c.target.size(); i += 9) c.target[i] = draw.letters(1)[0];
  c.target.erase(200, 7);
  c.exons = candidate_exons(c.bases, {}, c.target);
  EXPECT_LT(expect_same(c, params), c.exons.size());
}

TEST(ExonBounds, HoldBeyondSixteenBits) {
  Draw draw(23);
  OwnCase c;
  c.bases = draw.letters(6000);
  c.target = c.bases.substr(100, 2000) + c.bases.substr(3000, 2500);
  for (int k = 0; k < 60; ++k) {
    const std::int64_t first = draw.between(1, 5000);
    c.exons.push_back(exon(first, first + draw.below(900)));
  }
  c.exons.push_back(exon(101, 2100));
  c.exons.push_back(exon(3001, 5500));
  EXPECT_LT(expect_same(c, scaled_for_candidates({}, {})), 10u);
  // Introns that gain far more than the letters: intermediate sums exceed 16 bits.
  c.exons.clear();
  for (std::int64_t first = 1; first < 5900; first += 50) {
    c.exons.push_back(exon(first, first + 20));
    c.exons.back().entry = 3000;
    c.exons.back().exit = 900;
  }
  c.target.resize(900);
  expect_same(c, scaled_for_candidates({}, {}));
}

TEST(ExonBounds, OfNoExonAreNoneAndLeaveNone) {
  Context context({.device = "cpu", .threads = 1});
  const AlignParams params;
  const Case none{"ACGT", {}, "ACG"};
  const ExonBounds bounds(context, none, params);
  EXPECT_TRUE(bounds.of_exons().empty());
  EXPECT_TRUE(competitive_exons(context, none, params, bounds).exons.empty());
}

}  // namespace
}  // namespace yupana::splice
