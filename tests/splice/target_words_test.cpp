#include <gtest/gtest.h>

#include <string>

#include "yupana/splice/exon_ends.hpp"
#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

std::vector<std::int8_t> codes_of(const std::string& text) {
  std::vector<std::int8_t> codes;
  for (const char letter : text) codes.push_back(static_cast<std::int8_t>(base_code(letter)));
  return codes;
}

const std::string left = "ACGTTGCAAGCTGATCCGTA", right = "TTGACCATGGCAGTCAATCG";
const std::string intron = "CACACCTTTTGGGAGAGAACCCT";

TEST(TargetWords, AreTenBasesOfTheTarget) {
  const TargetWords words(left + right);
  const auto codes = codes_of("GG" + left);

  EXPECT_FALSE(words.has(codes, 1));
  EXPECT_TRUE(words.has(codes, 2));
  EXPECT_TRUE(words.has(codes, 12));
  EXPECT_FALSE(words.has(codes, 13));  // nine bases are left
  EXPECT_FALSE(TargetWords("ACGTACGTA").has(codes_of("ACGTACGTAC"), 0));
}

TEST(TargetWords, LeaveATextWhereAnIntronIs) {
  const TargetWords words(left + right);
  const auto codes = codes_of(left + intron + right);
  const auto end = static_cast<std::int64_t>(left.size());
  const auto begin = static_cast<std::int64_t>((left + intron).size());
  for (std::int64_t at = 0; at < std::ssize(codes); ++at) {
    EXPECT_EQ(words.leaves_behind(codes, at), at == end - TargetWords::length ? 0 : -1) << at;
    EXPECT_EQ(words.leaves_before(codes, at), at == begin ? 0 : -1) << at;
  }
}

TEST(TargetWords, GoOnBehindOneLetterThatIsAnotherLacksOrIsAdded) {
  const TargetWords words(left + right);
  const std::string after = right.substr(1);
  for (const std::string& text : {left + "A" + after, left + after, left + "G" + right}) {
    const auto codes = codes_of(text);
    for (std::int64_t at = 0; at < std::ssize(codes); ++at) {
      EXPECT_EQ(words.leaves_behind(codes, at), -1) << text << " " << at;
      EXPECT_EQ(words.leaves_before(codes, at), -1) << text << " " << at;
    }
  }
}

TEST(TargetWords, LeaveATextBehindALetterThatIsAnotherNextToAnIntron) {
  const TargetWords words(left + right);
  std::string first = left, last = right;
  first[14] = 'A';  // a T; five letters follow
  last[7] = 'A';    // a T; seven letters precede
  const auto codes = codes_of(first + intron + last);
  const auto begin = static_cast<std::int64_t>((left + intron).size());
  for (std::int64_t at = 0; at < std::ssize(codes); ++at) {
    EXPECT_EQ(words.leaves_behind(codes, at), at + TargetWords::length == 14 ? 6 : -1) << at;
    EXPECT_EQ(words.leaves_before(codes, at), at == begin + 8 ? 8 : -1) << at;
  }
}

}  // namespace
}  // namespace yupana::splice
