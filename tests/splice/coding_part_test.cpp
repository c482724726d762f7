#include <gtest/gtest.h>

#include <string>

#include "tests/splice/cases.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

/// Every stretch of whole codons, looked at by itself: what the header says, word by word.
CodingPart obvious(const std::string& text, const GeneticCode& code, std::int64_t min_codons) {
  CodingPart whole, cut;
  const std::int64_t size = std::ssize(text);
  for (std::int64_t begin = 0; begin < size; ++begin) {
    for (std::int64_t end = begin + 3; end <= size; end += 3) {
      std::string amino;
      for (std::int64_t i = begin; i < end; i += 3) {
        amino += code.translate(text[i], text[i + 1], text[i + 2]);
      }
      const bool stops = amino.back() == '*';
      if (stops) amino.pop_back();
      if (amino.empty() || amino.find('*') != std::string::npos) continue;
      const bool starts = text.substr(begin, 3) == "ATG";
      const auto codons = std::ssize(amino);
      const bool at_begin = begin<3, at_end = end + 3> size;
      const bool complete = starts && stops;
      if (!complete && !(at_begin && (stops || at_end)) && !(starts && at_end)) continue;
      const bool all = complete && begin == 0 && end == size;
      if (codons < min_codons && !all) continue;
      CodingPart& best = complete ? whole : cut;
      if (end - begin > best.end - best.begin) best = {begin, end, starts, stops};
    }
  }
  return whole.empty() ? cut : whole;
}

TEST(CodingPart, IsTheLongestOfAllStretches) {
  Draw draw(1);
  for (const int table : {1, 2, 6}) {
    const GeneticCode code(table);
    for (int round = 0; round < 3000; ++round) {
      // Letters of start and stop codons, and few others.
      const std::string text = draw.letters(draw.between(0, 60), round % 2 ? "ATG" : "ATGCN");
      const std::int64_t least = draw.between(1, 6);
      const CodingPart expected = obvious(text, code, least), got = coding_part(text, code, least);
      EXPECT_EQ(got, expected) << text << " " << least << ": " << got.begin << ".." << got.end
                               << " not " << expected.begin << ".." << expected.end;
    }
  }
}

TEST(CodingPart, OfACodingSequenceIsAllOfIt) {
  EXPECT_EQ(coding_part("ATGGCTTAA", GeneticCode(), 100), (CodingPart{0, 9, true, true}));
  EXPECT_EQ(coding_part("auggcuuaa", GeneticCode(), 100), (CodingPart{0, 9, true, true}));
  EXPECT_TRUE(coding_part("CATGGCTTAA", GeneticCode(), 100).empty());
  EXPECT_EQ(coding_part("CATGGCTTAA", GeneticCode(), 2), (CodingPart{1, 10, true, true}));
}

TEST(CodingPart, AFrameThatTheTextCutsOffHasNoEnd) {
  const std::string body = "GCTGACAAGCTG";  // no stop codon in frame 0, and no ATG
  EXPECT_EQ(coding_part(body + "TAA", GeneticCode(), 4), (CodingPart{0, 15, false, true}));
  EXPECT_EQ(coding_part("TAACTAACTAAATG" + body, GeneticCode(), 5),
            (CodingPart{11, 26, true, false}));
}

}  // namespace
}  // namespace yupana::splice
