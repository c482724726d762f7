#include "yupana/splice/exon_evidence.hpp"

#include <gtest/gtest.h>

#include "tests/splice/cases.hpp"
#include "yupana/splice/protein.hpp"

namespace yupana::splice {
namespace {

std::vector<bool> none_marked(std::string_view text) { return std::vector<bool>(text.size()); }
/// Marks every A.
std::vector<bool> marks_a(std::string_view text) {
  std::vector<bool> marks;
  for (const char letter : text) marks.push_back(letter == 'A');
  return marks;
}

/// The best score of a text against a target without a gap.
std::int64_t best_segment(std::string_view text,
                          std::string_view target,
                          const Substitution& substitution,
                          Mask mask) {
  const std::vector<bool> of_text = mask(text), of_target = mask(target);
  std::int64_t best = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (std::size_t j = 0; j < target.size(); ++j) {
      std::int64_t sum = 0;
      for (std::size_t k = 0; i + k < text.size() && j + k < target.size(); ++k) {
        const int score = substitution.score(text[i + k], target[j + k]);
        sum += of_text[i + k] || of_target[j + k] ? std::min(score, 0) : score;
        best = std::max(best, sum);
      }
    }
  }
  return best;
}

/// Each stretch of an exon's bases that no exon of the chain has.
std::vector<std::string> own_texts(const OwnCase& c,
                                   const Exon& exon,
                                   const std::vector<Exon>& chain) {
  std::vector<std::string> texts;
  bool in_stretch = false;
  for (std::int64_t base = exon.first; base <= exon.last; ++base) {
    const bool read = std::any_of(chain.begin(), chain.end(), [&](const Exon& one) {
      return one.first <= base && base <= one.last;
    });
    if (!read && !in_stretch) texts.emplace_back();
    if (!read) texts.back() += c.bases[base - 1];
    in_stretch = !read;
  }
  return texts;
}

std::vector<ExonAlignment> chain_of_two(const OwnCase& c) {
  std::vector<ExonAlignment> chain(2);
  chain[1].exon = 1;
  if (c.exons[0].first > c.exons[1].first) std::swap(chain[0].exon, chain[1].exon);
  return chain;
}

TEST(ExonEvidence, IsAnAlignmentWithoutAGapInEachStretchOfAnExonsOwnBases) {
  Draw draw(41);
  int with = 0, without = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    OwnCase c = random_case(draw, {80, 30, 12, 30, 0, "ACGT"});
    c.exons[0] = exon(draw.between(1, 10), draw.between(15, 30));
    c.exons[1] = exon(draw.between(35, 45), draw.between(50, 60));
    const Mask mask = i % 2 ? marks_a : none_marked;
    const Substitution substitution = Substitution::dna(2, -1);
    const EvidenceParams params{draw.between(1, 20), nullptr, mask};
    const auto found = exons_with_evidence(c.view(), chain_of_two(c), substitution, params);
    ASSERT_EQ(found.size(), c.exons.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      bool all = true;
      for (const std::string& text : own_texts(c, c.exons[k], {c.exons[0], c.exons[1]})) {
        all = all && best_segment(text, c.target, substitution, mask) >= params.least_score;
      }
      EXPECT_EQ(found[k], all) << c.exons[k].first << "-" << c.exons[k].last;
      ++(all ? with : without);
    }
    EXPECT_TRUE(found[0] && found[1]);
  }
  EXPECT_GT(with, 900);
  EXPECT_GT(without, 500);
}

TEST(ExonEvidence, OfProteinsIsInOneOfThreeFrames) {
  Draw draw(42);
  int with = 0, without = 0;
  const GeneticCode code;
  const Substitution substitution = Substitution::blosum62();
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    OwnCase c = random_case(draw, {120, 1, 12, 40, 0, "ACGT"});
    c.target = draw.letters(12, "ARNDCQEGHILKMFPSTWYV");
    c.exons[0] = exon(draw.between(1, 10), draw.between(15, 30));
    c.exons[1] = exon(draw.between(35, 45), draw.between(50, 60));
    const EvidenceParams params{draw.between(5, 25), &code, none_marked};
    const auto found = exons_with_evidence(c.view(), chain_of_two(c), substitution, params);
    for (std::size_t k = 0; k < found.size(); ++k) {
      bool all = true;
      for (const std::string& text : own_texts(c, c.exons[k], {c.exons[0], c.exons[1]})) {
        std::int64_t best = 0;
        for (std::size_t frame = 0; frame < 3 && frame < text.size(); ++frame) {
          best = std::max(best,
                          best_segment(translation(std::string_view(text).substr(frame), code),
                                       c.target,
                                       substitution,
                                       none_marked));
        }
        all = all && best >= params.least_score;
      }
      EXPECT_EQ(found[k], all);
      ++(all ? with : without);
    }
  }
  EXPECT_GT(with, 500);
  EXPECT_GT(without, 300);
}

TEST(ExonEvidence, OfAnAlignmentIsInItsOwnColumns) {
  OwnCase c;
  //         1234567890123456789012345678901234567890
  c.bases = "ACGTACGTGGGGGGGGCCATCCATCCATGGGGTTGATTGA";
  c.target = "ACGTACGTCCATCCATCCATTTGATTGA";
  c.exons = {exon(1, 8), exon(17, 28), exon(33, 40), exon(5, 8), exon(1, 4)};
  const std::vector<ExonAlignment> best = {{0, 0, 8, {{'=', 8}}},
                                           {2, 8, 28, {{'I', 12}, {'=', 8}}}};
  const auto holds = [&](std::vector<splice::Run> runs, std::int64_t least) {
    const std::vector<ExonAlignment> other = {
        {4, 0, 4, {{'=', 4}}}, {1, 4, 20, std::move(runs)}, {2, 20, 28, {{'=', 8}}}};
    return holds_evidence(
        c.view(), best, other, Substitution::dna(), {least, nullptr, none_marked});
  };
  EXPECT_TRUE(holds({{'I', 4}, {'=', 12}}, 12));
  EXPECT_FALSE(holds({{'I', 4}, {'=', 12}}, 13));
  // A gap ends what is added up, whatever the exon could gain elsewhere.
  EXPECT_TRUE(holds({{'I', 4}, {'=', 5}, {'I', 1}, {'D', 1}, {'=', 6}}, 6));
  EXPECT_FALSE(holds({{'I', 4}, {'=', 5}, {'I', 1}, {'D', 1}, {'=', 6}}, 7));
  EXPECT_TRUE(
      exons_with_evidence(c.view(), best, Substitution::dna(), {12, nullptr, none_marked})[1]);
}

}  // namespace
}  // namespace yupana::splice
