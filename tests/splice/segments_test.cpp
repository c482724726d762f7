#include "yupana/splice/segments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "tests/splice/cases.hpp"
#include "yupana/splice/loci.hpp"
#include "yupana/splice/substitution.hpp"

namespace yupana::splice {
namespace {

constexpr std::string_view all_aminos = "ACDEFGHIKLMNPQRSTVWY";

std::string other_strand(std::string_view bases) {
  std::string text(bases.rbegin(), bases.rend());
  for (char& base : text) base = "TGCA"[std::string_view("ACGT").find(base)];
  return text;
}

/// Codons of a protein of which a share of the letters is drawn anew.
std::string codons_of_relative(Draw& draw,
                               const GeneticCode& code,
                               std::string_view protein,
                               int percent = 40) {
  std::string bases;
  for (const char amino : protein) {
    const char other = draw.below(100) < percent ? draw.letters(1, all_aminos)[0] : amino;
    std::string codon;
    do {
      codon = draw.letters(3);
    } while (code.translate(codon[0], codon[1], codon[2]) != other);
    bases += codon;
  }
  return bases;
}

auto all_of(const FarSegment& s) {
  return std::tuple(s.strand, s.score, s.letter, s.letters, s.place);
}

void expect_same(const std::vector<FarSegment>& a, const std::vector<FarSegment>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(all_of(a[i]), all_of(b[i])) << i;
}

/// A protein's letters against a strand's codons, column by column.
std::vector<int> columns(std::string_view strand,
                         std::string_view protein,
                         const GeneticCode& code,
                         std::int64_t place,
                         std::int64_t letter) {
  const Substitution blosum = Substitution::blosum62();
  std::vector<int> scores;
  for (; letter < std::ssize(protein) && place + 3 <= std::ssize(strand); ++letter, place += 3) {
    scores.push_back(blosum.score(
        code.translate(strand[place], strand[place + 1], strand[place + 2]), protein[letter]));
  }
  return scores;
}

TEST(ProteinSegments, ScoreWhatTheirColumnsDoAndFindFarRelatives) {
  for (const int table : {1, 2}) {
    Draw draw(10 + table);
    const GeneticCode code(table);
    std::vector<std::string> proteins;
    std::string bases = draw.letters(4'000);
    std::vector<std::pair<std::int64_t, bool>> planted;
    for (int p = 0; p < 12; ++p) {
      proteins.push_back(draw.letters(90, all_aminos));
      const std::string relative = codons_of_relative(draw, code, proteins.back());
      planted.emplace_back(std::ssize(bases), p % 2 == 1);
      bases += (p % 2 ? other_strand(relative) : relative) + draw.letters(3'001);
    }
    const std::string minus = other_strand(bases), empty;
    const std::string_view sequences[] = {empty, bases};
    const std::vector<std::string_view> views(proteins.begin(), proteins.end());
    Context context;
    const auto found = protein_segments(context, sequences, views, code);
    ASSERT_EQ(found.size(), proteins.size());
    for (std::size_t p = 0; p < found.size(); ++p) {
      for (const FarSegment& s : found[p]) {
        ASSERT_GE(s.strand, 2u);
        const std::vector<int> scores =
            columns(s.strand == 2 ? bases : minus, proteins[p], code, s.place, s.letter);
        ASSERT_GE(std::ssize(scores), s.letters);
        int sum = 0;
        for (int k = 0; k < s.letters; ++k) {
          EXPECT_GT(sum, -16) << "it ends where its score falls so far";
          sum += scores[k];
        }
        EXPECT_EQ(sum, s.score);
        EXPECT_GT(scores[s.letters - 1], 0);
      }
      const auto [place, is_minus] = planted[p];
      ASSERT_FALSE(found[p].empty()) << p;
      const FarSegment& best = found[p].front();
      EXPECT_EQ(best.strand, is_minus ? 3u : 2u);
      const std::int64_t first = is_minus ? std::ssize(bases) - place - 3 * 90 : place;
      EXPECT_EQ(best.place - 3 * best.letter, first) << p;
      EXPECT_GT(best.letters, 40);
    }
  }
}

TEST(ProteinSegments, OverTheEdgesOfPiecesAreFoundOnceAndWhole) {
  constexpr std::int64_t piece = 1 << 19;
  Draw draw(13);
  const GeneticCode code;
  const std::string protein = draw.letters(300, all_aminos);
  for (const std::int64_t before : {1, 300, 450, 899}) {
    const std::string left = draw.letters(piece - before);
    const std::string bases =
        left + codons_of_relative(draw, code, protein, 10) + draw.letters(2'000);
    const std::string_view sequences[] = {bases};
    const std::string_view proteins[] = {protein};
    Context context;
    const auto found = protein_segments(context, sequences, proteins, code);
    const auto own = std::count_if(found[0].begin(), found[0].end(), [&](const auto& s) {
      return s.strand == 0 && s.place - 3 * s.letter == std::ssize(left);
    });
    EXPECT_EQ(own, 1) << before;
    EXPECT_GT(found[0].front().letters, 250) << before;
  }
}

TEST(ProteinSegments, AreTheSameForAllThreadsAndWhateverOtherProteinsAreSearchedFor) {
  Draw draw(14);
  const GeneticCode code;
  std::string bases = draw.letters(600'000);
  std::vector<std::string> letters;
  for (int p = 0; p < 40; ++p) {
    letters.push_back(draw.letters(draw.between(1, 250), all_aminos));
    bases += codons_of_relative(draw, code, letters.back()) + draw.letters(1'000);
  }
  const std::vector<std::string_view> proteins(letters.begin(), letters.end());
  const std::string_view sequences[] = {bases};
  Context one({.threads = 1}), three({.threads = 3});
  const auto expected = protein_segments(one, sequences, proteins, code);
  const auto got = protein_segments(three, sequences, proteins, code);
  for (std::size_t p = 0; p < proteins.size(); ++p) {
    expect_same(expected[p], got[p]);
    expect_same(expected[p],
                protein_segments(three, sequences, std::span(proteins).subspan(p, 1), code)[0]);
  }
}

TEST(ProteinSegments, ChanceHasAsManyAsItsFormulaSays) {
  Draw draw(15);
  const std::string bases = draw.letters(1'000'000);
  std::vector<std::string> letters;
  for (int p = 0; p < 10; ++p) letters.push_back(draw.letters(400, all_aminos));
  const std::vector<std::string_view> proteins(letters.begin(), letters.end());
  const std::string_view sequences[] = {bases};
  Context context;
  std::size_t all = 0;
  for (const auto& found : protein_segments(context, sequences, proteins, GeneticCode())) {
    for (const FarSegment& s : found) EXPECT_LT(s.score, 100);
    all += found.size();
  }
  EXPECT_LT(all, 10u * 64u);
  EXPECT_GT(all, 0u);
}

TEST(ProteinSegments, RepeatsShortProteinsAndUnknownLettersHaveNone) {
  Draw draw(16);
  const GeneticCode code;
  const std::string repeat(60, 'Q'), unknown(40, 'X');
  std::string bases = draw.letters(20'000);
  for (int i = 0; i < 90; ++i) bases += "CAG";
  bases += std::string(300, 'N') + draw.letters(1'000);
  const std::string_view sequences[] = {"", "A", "AC", "ACG", bases};
  const std::string_view proteins[] = {repeat, unknown, "MKV", "", "*"};
  Context context;
  for (const auto& found : protein_segments(context, sequences, proteins, code)) {
    EXPECT_TRUE(found.empty());
  }
  EXPECT_TRUE(protein_segments(context, sequences, {}, code).empty());
  EXPECT_TRUE(protein_segments(context, {}, proteins, code)[0].empty());
}

TEST(ProteinSegments, LowerCaseIsTheSame) {
  Draw draw(17);
  const GeneticCode code;
  std::string protein = draw.letters(200, all_aminos);
  std::string bases = draw.letters(5'000) + codons_of_relative(draw, code, protein);
  const auto search = [&] {
    const std::string_view sequences[] = {bases};
    const std::string_view proteins[] = {protein};
    Context context;
    return protein_segments(context, sequences, proteins, code)[0];
  };
  const auto upper = search();
  for (char& c : protein) c = static_cast<char>(c - 'A' + 'a');
  for (char& c : bases) c = static_cast<char>(c - 'A' + 'a');
  ASSERT_FALSE(upper.empty());
  expect_same(upper, search());
}

}  // namespace
}  // namespace yupana::splice
