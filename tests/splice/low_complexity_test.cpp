#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "tests/splice/cases.hpp"
#include "yupana/splice/significance.hpp"

namespace yupana::splice {
namespace {

std::string masked(Mask mask, std::string text) {
  const std::vector<bool> marks = mask(text);
  EXPECT_EQ(marks.size(), text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (marks[i]) text[i] = '-';
  }
  return text;
}

/// Pairs of equal words of [first, first + words), and by what they are divided.
std::pair<std::int64_t, std::int64_t> score(std::string_view text,
                                            std::size_t length,
                                            std::size_t first,
                                            std::size_t words) {
  std::map<std::string_view, std::int64_t> counts;
  std::int64_t pairs = 0;
  for (std::size_t i = first; i < first + words; ++i) pairs += counts[text.substr(i, length)]++;
  return {pairs, std::max<std::int64_t>(static_cast<std::int64_t>(words) - 1, 1)};
}

/// The definition, interval by interval, with words of `length` letters.
std::string masked_by_definition(const std::string& text, std::size_t length, char unknown) {
  const auto more = [](auto a, auto b) { return a.first * b.second > b.first * a.second; };
  std::string result = text;
  for (std::size_t first = 0; first + length <= text.size(); ++first) {
    for (std::size_t words = 1; words <= 62 && first + words + length - 1 <= text.size(); ++words) {
      const std::size_t letters = words + length - 1;
      if (text.substr(first, letters).find(unknown) != text.npos) break;
      const auto whole = score(text, length, first, words);
      bool is_best = more(whole, std::pair(2, 1));
      for (std::size_t a = 0; is_best && a < words; ++a) {
        for (std::size_t n = 1; is_best && a + n <= words; ++n) {
          is_best = !more(score(text, length, first + a, n), whole);
        }
      }
      if (is_best) result.replace(first, letters, letters, '-');
    }
  }
  return result;
}

TEST(LowComplexity, LettersAreMaskedAsDefined) {
  const auto compare = [](Mask mask, std::string_view alphabet, std::size_t length, char unknown) {
    Draw draw(11);
    int texts_marked = 0;
    for (int i = 0; i < 12; ++i) {
      std::string text = draw.letters(30, alphabet);
      const std::string unit = draw.letters(1 + i % 6, alphabet);
      while (text.size() < 70) text += unit;
      text[45] = i % 3 == 0 ? unknown : 'C';
      text += draw.letters(20, alphabet);
      const std::string expected = masked_by_definition(text, length, unknown);
      EXPECT_EQ(masked(mask, text), expected);
      texts_marked += expected != text ? 1 : 0;
    }
    EXPECT_GE(texts_marked, 6);
  };
  compare(low_complexity_bases, "ACGT", 3, 'N');
  compare(low_complexity_amino_acids, "ACDEFGHIKLMNPQRSTVWY*", 2, 'X');
}

TEST(LowComplexity, RunsOfSevenBasesAreMaskedAndOfSixAreNot) {
  EXPECT_EQ(masked(low_complexity_bases, "ACGTaaaaaaCGTC"), "ACGTaaaaaaCGTC");
  EXPECT_EQ(masked(low_complexity_bases, "ACGTUTUTUTUCGC"), "ACG--------CGC");
  EXPECT_EQ(masked(low_complexity_bases, ""), "");
  EXPECT_EQ(masked(low_complexity_bases, "NNNNNNNNNNNNNN"), "NNNNNNNNNNNNNN");
}

TEST(LowComplexity, FewBasesOfRandomTextsAreMasked) {
  Draw draw(12);
  const std::string text = masked(low_complexity_bases, draw.letters(20'000));
  EXPECT_LT(std::count(text.begin(), text.end(), '-'), 400);
}

TEST(LowComplexity, RunsOfSixAminoAcidsAreMaskedAndFewInNoOrderAreNot) {
  EXPECT_EQ(masked(low_complexity_amino_acids, "MKQqQqQqWV"), "MK------WV");
  EXPECT_EQ(masked(low_complexity_amino_acids, "MKQQQQQWV"), "MKQQQQQWV");
  EXPECT_EQ(masked(low_complexity_amino_acids, "XXXXXXXXXX"), "XXXXXXXXXX");
  Draw draw(13);
  const std::string text = masked(low_complexity_amino_acids, draw.letters(20'000, "ADKLS"));
  EXPECT_LT(std::count(text.begin(), text.end(), '-'), 4'000);
}

}  // namespace
}  // namespace yupana::splice
