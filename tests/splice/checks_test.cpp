#include "yupana/splice/checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/splice/cases.hpp"
#include "tests/support/text_files.hpp"

namespace yupana::splice {
namespace {

TEST(BaseSet, TellsWhichLettersATextHas) {
  Draw draw(61);
  for (const std::string alphabet :
       {"ACGT", "acgt", "A", "Gt", "ACGTN", "acgn", "@`\xc1\xe1", "aX"}) {
    for (const std::int64_t size : {0, 1, 2, 15, 16, 17, 31, 64, 100, 1009}) {
      const std::string text = draw.letters(size, alphabet);
      const auto has = [&](char base) {
        return std::any_of(text.begin(), text.end(), [&](char c) { return (c | 0x20) == base; });
      };
      const bool other = text.find_first_not_of("ACGTacgt") != std::string::npos;
      const BaseSet set = base_set(text);
      EXPECT_EQ(set.a, has('a')) << text;
      EXPECT_EQ(set.c, has('c')) << text;
      EXPECT_EQ(set.g, has('g')) << text;
      EXPECT_EQ(set.t, has('t')) << text;
      EXPECT_EQ(set.other, other) << text;
    }
  }
}

TEST(CheckLetters, NamesTheFirstUnknownWhereverItStands) {
  for (const std::size_t size : {1u, 16u, 33u, 200u}) {
    for (std::size_t place = 0; place < size; ++place) {
      std::string text(size, 'G');
      text[place] = '!';
      test::expect_refusal([&] { check_letters(Substitution::dna(), text, 10, "base"); },
                           "base " + std::to_string(10 + place) + " is '!'");
    }
  }
}

// A matrix that does not know T: letters that are bases may still be unknown.
TEST(CheckLetters, BasesThatAMatrixLacksAreRefused) {
  const Substitution matrix = Substitution::matrix("ACG", std::vector<int>(9, 1));
  EXPECT_NO_THROW(check_letters(matrix, "ACGacg", 1, "base"));
  EXPECT_THROW(check_letters(matrix, "ACGT", 1, "base"), Error);
}

}  // namespace
}  // namespace yupana::splice
