#include "yupana/splice/loci.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/splice/cases.hpp"

namespace yupana::splice {
namespace {

/// Three exons with introns of 1,000 bases.
struct Gene {
  std::string bases, cdna;
  explicit Gene(Draw& draw) {
    for (int k = 0; k < 3; ++k) {
      const std::string exon = draw.letters(150);
      bases += (k > 0 ? draw.letters(1000) : "") + exon;
      cdna += exon;
    }
  }
};

std::string reversed(std::string_view bases) {
  std::string text(bases.rbegin(), bases.rend());
  for (char& base : text) base = "TGCA"[std::string_view("ACGT").find(base)];
  return text;
}

TEST(Loci, AreWhereTheGeneIsOnItsOwnStrand) {
  Draw draw(1);
  const Gene gene(draw);
  for (const std::int64_t around : {50'000, 600'000}) {  // all words are kept, or a fourth of them
    const std::string other = draw.letters(around);
    const std::string bases = draw.letters(around) + gene.bases + draw.letters(40'000);
    const std::string_view sequences[] = {other, bases};
    const SeedIndex index(sequences);
    const auto along = index.loci(gene.cdna), against = index.loci(reversed(gene.cdna));
    ASSERT_GE(along.size(), 1u);
    ASSERT_GE(against.size(), 1u);
    EXPECT_EQ(along[0].sequence, 1u);
    EXPECT_EQ(along[0].strand, '+');
    EXPECT_GT(along[0].letters, 300);
    EXPECT_LE(along[0].first, around + 1);
    EXPECT_GE(along[0].last, around + std::ssize(gene.bases));
    EXPECT_LT(along[0].last - along[0].first, 60'000);
    // The same bases, counted from the other end.
    EXPECT_EQ(against[0].sequence, 1u);
    EXPECT_EQ(against[0].strand, '-');
    EXPECT_LE(against[0].first, 40'001);
    EXPECT_GE(against[0].last, 40'000 + std::ssize(gene.bases));
  }
}

TEST(Loci, ChanceMakesNoChainOfWords) {
  Draw draw(2);
  const std::string bases = draw.letters(300'000);
  const std::string_view sequences[] = {bases};
  const SeedIndex index(sequences);
  for (int i = 0; i < 20; ++i) {
    for (const Locus& locus : index.loci(draw.letters(600))) {
      EXPECT_LT(locus.letters, 3 * index.word_length()) << i;
    }
  }
}

TEST(Loci, TwoCopiesAreTwo) {
  Draw draw(3);
  const Gene gene(draw);
  const std::string bases = draw.letters(300'000) + gene.bases + draw.letters(300'000) + gene.bases;
  const std::string_view sequences[] = {bases};
  const auto loci = SeedIndex(sequences).loci(gene.cdna);
  ASSERT_EQ(loci.size(), 2u);
  EXPECT_EQ(loci[0].letters, loci[1].letters);
  EXPECT_EQ(loci[0].strand, loci[1].strand);
}

TEST(Loci, RepeatsAndTargetsShorterThanAWordHaveNone) {
  Draw draw(4);
  const std::string unit = draw.letters(100);
  std::string bases;
  for (int i = 0; i < 60; ++i) bases += unit + draw.letters(200);
  const std::string_view sequences[] = {bases, ""};
  const SeedIndex index(sequences);
  EXPECT_TRUE(index.loci(unit).empty()) << "60 places";
  EXPECT_TRUE(index.loci("ACGT").empty());
  EXPECT_TRUE(index.loci("").empty());
  EXPECT_TRUE(SeedIndex({}).loci(unit).empty());
}

}  // namespace
}  // namespace yupana::splice
