#include "yupana/splice/protein_loci.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "tests/splice/cases.hpp"
#include "yupana/splice/loci.hpp"

namespace yupana::splice {
namespace {

constexpr std::string_view amino_acids = "ACDEFGHIKLMNPQRSTVWY";

std::string reversed(std::string_view bases) {
  std::string text(bases.rbegin(), bases.rend());
  for (char& base : text) base = "TGCA"[std::string_view("ACGT").find(base)];
  return text;
}

/// Codons of a protein, each drawn from those of its amino acid.
std::string codons_of(Draw& draw, const GeneticCode& code, std::string_view protein) {
  std::string bases;
  for (const char amino : protein) {
    std::string codon;
    do {
      codon = draw.letters(3);
    } while (code.translate(codon[0], codon[1], codon[2]) != amino);
    bases += codon;
  }
  return bases;
}

/// A protein and a gene of three exons, whose introns split codons.
struct Gene {
  std::string protein, bases;
  Gene(Draw& draw, const GeneticCode& code, std::int64_t intron)
      : protein("M" + draw.letters(179, amino_acids)) {
    const std::string coding = codons_of(draw, code, protein);
    bases = coding.substr(0, 181) + draw.letters(intron) + coding.substr(181, 180) +
            draw.letters(intron) + coding.substr(361);
  }
};

TEST(ProteinLoci, AreWhereTheGeneIsOnItsOwnStrand) {
  for (const int table : {1, 2}) {
    Draw draw(table);
    const GeneticCode code(table);
    const Gene gene(draw, code, 900);
    const std::string other = draw.letters(100'000);
    const std::string left = draw.letters(150'000), right = draw.letters(90'000);
    for (const bool minus : {false, true}) {
      const std::string bases = left + (minus ? reversed(gene.bases) : gene.bases) + right;
      const std::string_view sequences[] = {other, bases};
      const std::string_view proteins[] = {gene.protein};
      Context context;
      const auto loci = protein_loci(context, sequences, proteins, code, {});
      ASSERT_EQ(loci.size(), 1u);
      ASSERT_GE(loci[0].size(), 1u);
      const Locus& best = loci[0][0];
      EXPECT_EQ(best.sequence, 1u);
      EXPECT_EQ(best.strand, minus ? '-' : '+');
      const std::int64_t first = (minus ? std::ssize(right) : std::ssize(left)) + 1;
      EXPECT_LE(best.first, first);
      EXPECT_GE(best.last, first + std::ssize(gene.bases) - 1);
      EXPECT_LT(best.last - best.first, 30'000);
      EXPECT_GT(best.letters, 400);  // of 540 bases
      EXPECT_TRUE(std::is_sorted(best.words.begin(), best.words.end()));
    }
  }
}

TEST(ProteinLoci, ChanceMakesNoChainsOfThreeWords) {
  Draw draw(3);
  const std::string bases = draw.letters(1'000'000);
  std::vector<std::string> letters;
  for (int i = 0; i < 20; ++i) letters.push_back(draw.letters(400, amino_acids));
  const std::vector<std::string_view> proteins(letters.begin(), letters.end());
  const std::string_view sequences[] = {bases};
  Context context;
  for (const auto& loci : protein_loci(context, sequences, proteins, GeneticCode(), {})) {
    for (const Locus& locus : loci) EXPECT_LT(locus.letters, 9 * protein_word);
  }
}

/// All that a locus says.
auto all_of(const Locus& locus) {
  return std::tuple(
      locus.sequence, locus.strand, locus.first, locus.last, locus.letters, locus.words);
}

TEST(ProteinLoci, AreTheSameForAllThreadsAndBytesAndOfAnIndex) {
  Draw draw(4);
  const GeneticCode code;
  std::string bases = draw.letters(50'000);
  std::vector<std::string> letters;
  for (int i = 0; i < 12; ++i) {
    const Gene gene(draw, code, 500);
    // A word that spans two pieces of the sequence is found too.
    bases += (i % 2 ? reversed(gene.bases) : gene.bases) + draw.letters(45'000);
    letters.push_back(gene.protein);
  }
  ASSERT_GT(bases.size(), std::size_t{1} << 19);
  const std::vector<std::string_view> proteins(letters.begin(), letters.end());
  const std::string_view sequences[] = {bases};
  const LocusParams params;
  Context one({.threads = 1}), three({.threads = 3});
  const auto expected = protein_loci(one, sequences, proteins, code, params);
  for (const std::uint64_t bytes : {0, 1, 1 << 16}) {
    const auto got = bytes == 0 ? protein_loci(three, SeedIndex(sequences, &code), proteins, params)
                                : protein_loci(three, sequences, proteins, code, params, bytes);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t p = 0; p < got.size(); ++p) {
      ASSERT_EQ(got[p].size(), expected[p].size()) << p;
      for (std::size_t l = 0; l < got[p].size(); ++l) {
        EXPECT_EQ(all_of(got[p][l]), all_of(expected[p][l])) << p;
      }
    }
  }
  for (const auto& loci : expected) EXPECT_GT(loci.at(0).letters, 400);
}

TEST(ProteinLoci, RepeatsAndShortProteinsHaveNone) {
  Draw draw(5);
  const std::string bases = draw.letters(200'000) +
                            codons_of(draw, GeneticCode(), std::string(60, 'Q')) +
                            draw.letters(1000);
  const std::string_view sequences[] = {bases};
  const std::string repeat(60, 'Q'), shorter = "MKV", unknown(40, 'X');
  const std::string_view proteins[] = {repeat, shorter, unknown, ""};
  Context context;
  const GeneticCode code;
  const LocusParams params;
  for (const auto& found : {protein_loci(context, sequences, proteins, code, params),
                            protein_loci(context, SeedIndex(sequences, &code), proteins, params)}) {
    for (const auto& loci : found) EXPECT_TRUE(loci.empty());
  }
}

/// A protein of which a share of the letters is drawn anew.
std::string relative_of(Draw& draw, const std::string& protein, int percent) {
  std::string other = protein;
  for (char& amino : other) {
    if (draw.below(100) < percent) amino = draw.letters(1, amino_acids)[0];
  }
  return other;
}

TEST(ProteinLoci, OfFarRelativesWereLookedForInWholeSequences) {
  Draw draw(6);
  const GeneticCode code;
  std::string bases = draw.letters(60'000);
  std::vector<std::string> letters;
  std::vector<std::int64_t> firsts, lasts;
  for (int i = 0; i < 12; ++i) {
    const Gene gene(draw, code, 700);
    firsts.push_back(std::ssize(bases) + 1);
    bases += i % 2 ? reversed(gene.bases) : gene.bases;
    lasts.push_back(std::ssize(bases));
    bases += draw.letters(40'000);
    letters.push_back(relative_of(draw, gene.protein, 45));
  }
  for (int i = 0; i < 60; ++i) letters.push_back(draw.letters(300, amino_acids));
  const std::vector<std::string_view> proteins(letters.begin(), letters.end());
  const std::string_view sequences[] = {"ACGT", bases};
  const LocusParams params;
  Context one({.threads = 1}), three({.threads = 3});
  const auto expected = far_protein_loci(one, sequences, proteins, code, params);
  const auto got = far_protein_loci(three, sequences, proteins, code, params);
  ASSERT_EQ(expected.size(), proteins.size());
  ASSERT_EQ(got.size(), proteins.size());
  for (std::size_t p = 0; p < proteins.size(); ++p) {
    ASSERT_EQ(got[p].size(), expected[p].size()) << p;
    for (std::size_t l = 0; l < got[p].size(); ++l) {
      EXPECT_EQ(all_of(got[p][l]), all_of(expected[p][l])) << p;
    }
    if (p >= firsts.size()) {
      EXPECT_LE(got[p].size(), 2u) << "chance has two";
      for (const Locus& locus : got[p]) EXPECT_LT(locus.letters, 9 * protein_word);
      continue;
    }
    ASSERT_FALSE(got[p].empty()) << p;
    const Locus& best = got[p][0];
    EXPECT_EQ(best.sequence, 1u);
    EXPECT_EQ(best.strand, p % 2 ? '-' : '+');
    EXPECT_GE(best.letters, 9 * protein_word) << p;
    const std::int64_t size = std::ssize(bases);
    const std::int64_t first = p % 2 ? size + 1 - lasts[p] : firsts[p];
    EXPECT_LE(best.first, first) << p;
    EXPECT_GE(best.last, first + lasts[p] - firsts[p]) << p;
    EXPECT_TRUE(std::is_sorted(best.words.begin(), best.words.end()));
  }
}

TEST(ProteinLoci, IntronsOfMoreThanTenKilobasesEndedThemInShortSequences) {
  Draw draw(7);
  const GeneticCode code;
  const Gene gene(draw, code, 70'000);
  const std::string left = draw.letters(60'000), right = draw.letters(60'000);
  const std::string bases = left + gene.bases + right;
  const std::string_view sequences[] = {bases};
  const std::string far = relative_of(draw, gene.protein, 40);
  const std::string_view proteins[] = {gene.protein, far};
  Context context;
  const std::int64_t first = std::ssize(left) + 1;
  const std::int64_t last = std::ssize(left) + std::ssize(gene.bases);
  for (const auto& loci : {protein_loci(context, sequences, proteins, code, {})[0],
                           far_protein_loci(context, sequences, proteins, code, {})[1]}) {
    ASSERT_FALSE(loci.empty());
    const Locus& best = loci[0];
    EXPECT_LE(best.first, first);
    EXPECT_GE(best.last, last);
    // Where nothing of the protein is left for it no exon is looked for.
    std::int64_t left_out = 0;
    for (const auto& [begin, end] : best.gaps) {
      EXPECT_LE(begin, end);
      left_out += end - begin + 1;
      for (const std::int64_t word : best.words) EXPECT_TRUE(word < begin || word > end);
    }
    EXPECT_GT(left_out, 0);
    EXPECT_LE(left_out, 2 * 50'100);
  }
}

TEST(ProteinLoci, OfChanceReachNoFurtherThanTenKilobasesBeyondTheirWords) {
  Draw draw(8);
  const std::string bases = draw.letters(1'000'000);
  const std::string_view sequences[] = {bases};
  const std::string protein = draw.letters(900, amino_acids);
  const std::string_view proteins[] = {protein};
  Context context;
  const GeneticCode code;
  for (const auto& all : {protein_loci(context, sequences, proteins, code, {}),
                          far_protein_loci(context, sequences, proteins, code, {})}) {
    for (const Locus& locus : all[0]) {
      EXPECT_GE(locus.first, locus.words.front() - 10'000);
      EXPECT_LE(locus.last, locus.words.back() + 3 * protein_word + 10'000);
    }
  }
}

}  // namespace
}  // namespace yupana::splice
