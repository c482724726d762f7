#include <gtest/gtest.h>

#include <string>

#include "tests/splice/cases.hpp"
#include "yupana/splice/loci.hpp"

namespace yupana::splice {
namespace {

/// Some of the bases exchanged, every `step`-th.
std::string changed(std::string text, std::size_t step) {
  for (std::size_t i = step / 2; i < text.size(); i += step) text[i] = text[i] == 'A' ? 'C' : 'A';
  return text;
}

TEST(LocusFlanks, ChanceIsNoEvidence) {
  Draw draw(1);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string letters = draw.letters(draw.between(8, 60));
    found += furthest_evidence(draw.letters(20'000), letters) > 0;
  }
  EXPECT_LE(found, 12) << "of 200, once in 32 expected at most";
}

TEST(LocusFlanks, ExonsBeforeTheChainAreEvidence) {
  Draw draw(2);
  for (const std::int64_t length : {16, 30, 100, 400}) {
    const std::string exon = draw.letters(length);
    const std::string before = draw.letters(3000) + "TC", after = draw.letters(9000);
    const std::string text = before + exon + after;
    EXPECT_EQ(furthest_evidence(text, exon), length + 9000 + nearest_bases(0)) << length;
    EXPECT_EQ(furthest_evidence(text, "GA" + exon), length + 9000 + nearest_bases(2)) << length;
    // Letters between the exon and the chain lie anywhere.
    EXPECT_EQ(furthest_evidence(text, exon + draw.letters(20)), length + 9000 + nearest_bases(0));
  }
}

TEST(LocusFlanks, RelativesAreEvidence) {
  Draw draw(3);
  for (int i = 0; i < 20; ++i) {
    const std::string exon = draw.letters(120);
    const std::string text = draw.letters(3000) + exon + draw.letters(9000);
    EXPECT_GT(furthest_evidence(text, changed(exon, 10)), 9000) << i;
  }
}

TEST(LocusFlanks, RepeatsAreNoEvidence) {
  Draw draw(4);
  const std::string text = draw.letters(500) + std::string(40, 'A') + draw.letters(5000);
  EXPECT_EQ(furthest_evidence(text, std::string(30, 'A')), 0);
  EXPECT_EQ(furthest_evidence(std::string(5000, 'N'), std::string(30, 'N')), 0);
  EXPECT_EQ(furthest_evidence("", draw.letters(30)), 0);
  EXPECT_EQ(furthest_evidence(draw.letters(5000), "ACGTACG"), 0) << "no word";
}

TEST(LocusFlanks, WindowsAreAsWideAsTheEvidenceOnBothSides) {
  Draw draw(5);
  const std::string first = draw.letters(60), middle = draw.letters(200), last = draw.letters(40);
  const std::string strand = draw.letters(30'000) + first + draw.letters(10'000) + middle +
                             draw.letters(15'000) + last + draw.letters(30'000);
  const auto locus_of = [&](std::int64_t first_letter, std::int64_t last_letter) {
    Locus locus;
    locus.words = {40'061, 40'100, 40'247};  // of 14 bases
    locus.first_letter = first_letter;
    locus.last_letter = last_letter;
    locus.first = 1;
    locus.last = std::ssize(strand);
    return locus;
  };
  Locus locus = locus_of(0, 200);
  narrow_locus(locus, strand, middle, 14);
  EXPECT_EQ(locus.first, 40'061 - nearest_bases(0));
  EXPECT_EQ(locus.last, 40'260 + nearest_bases(0));
  locus = locus_of(60, 260);
  narrow_locus(locus, strand, first + middle + last, 14);
  EXPECT_EQ(locus.first, 30'001 - nearest_bases(0));
  EXPECT_EQ(locus.last, 55'300 + nearest_bases(0));
  // Never beyond what the search allows, nor the strand.
  locus = locus_of(60, 260);
  locus.first = 35'000;
  locus.last = 40'300;
  narrow_locus(locus, strand, first + middle + last, 14);
  EXPECT_EQ(locus.first, 40'061 - nearest_bases(60));
  EXPECT_EQ(locus.last, 40'300);
}

}  // namespace
}  // namespace yupana::splice
