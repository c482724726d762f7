#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/splice/cases.hpp"
#include "yupana/splice/candidates.hpp"

namespace yupana::splice {
namespace {

/// The letters with another one at every ninth place, so that they share no word of ten with them,
/// but for those from `first` on to `past`.
std::string relative_of(std::string letters, std::size_t first, std::size_t past) {
  for (std::size_t at = 4; at < letters.size(); at += 9) {
    if (at < first || at >= past) letters[at] = letters[at] == 'A' ? 'C' : 'A';
  }
  return letters;
}

TEST(RelativesCdna, UntranslatedExonsOfARelativeWereNoneWhereItsWordsLieFurtherFromTheirSites) {
  Draw draw(5);
  std::string exon = draw.letters(200);
  for (const std::size_t at : {90, 94, 98}) exon.replace(at, 3, "TAA");  // in all frames
  const std::string before = draw.letters(100) + "TTTTTTTTTTTTTTTTTCAG";
  const std::string bases = before + exon + "GTAAGTTTT" + draw.letters(100);
  const auto has_whole = [&](const std::string& target) {
    const std::vector<Exon> exons = candidate_exons(bases, {}, target);
    return std::ranges::any_of(exons, [&](const Exon& x) {
      return x.first == std::ssize(before) + 1 && x.last == std::ssize(before) + 200;
    });
  };
  const std::string around = draw.letters(120);
  EXPECT_TRUE(has_whole(around + relative_of(exon, 80, 120) + around));
  EXPECT_FALSE(has_whole(around + relative_of(exon, 0, 0) + around)) << "no word at all";
}

TEST(RelativesCdna, ARelativeBeganAtAChanceCodonWhereItsFirstWordIsSixtyLettersInside) {
  Draw draw(6);
  const std::string exon = draw.letters(200), before = draw.letters(300);
  const std::string bases = before + exon + draw.letters(300);
  const std::int64_t half = -candidate_scale * 6;  // of the missing signal
  bool begins = false, ends = false;
  for (const Exon& x : candidate_exons(bases, {}, relative_of(exon, 60, 140))) {
    begins = begins || (x.first == std::ssize(before) + 1 && x.begin == half);
    ends = ends || (x.last == std::ssize(before) + 200 && x.end == half);
  }
  EXPECT_TRUE(begins && ends);
}

}  // namespace
}  // namespace yupana::splice
