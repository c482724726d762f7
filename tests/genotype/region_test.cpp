#include <gtest/gtest.h>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/genotype/chromosome.hpp"

namespace yupana::genotype {
namespace {

TEST(Region, TakesContigsPositionsAndRanges) {
  EXPECT_EQ(parse_region("chr1").contig, "chr1");
  EXPECT_TRUE(parse_region("chr1").covers(1));
  const Region one = parse_region("1:1,005");
  EXPECT_TRUE(one.covers(1005));
  EXPECT_FALSE(one.covers(1004));
  EXPECT_FALSE(one.covers(1006));
  const Region range = parse_region("X:10-1,000");
  EXPECT_FALSE(range.covers(9));
  EXPECT_TRUE(range.covers(10));
  EXPECT_TRUE(range.covers(1000));
  EXPECT_FALSE(range.covers(1001));
  EXPECT_TRUE(parse_region("1:7-").covers(1 << 30));
  EXPECT_EQ(parse_region("{HLA-A*01:01}:5-9").contig, "HLA-A*01:01");
  EXPECT_EQ(parse_region("{HLA-A*01:01}").contig, "HLA-A*01:01");
  EXPECT_TRUE(parse_region("chr21").is_on("21"));
  EXPECT_TRUE(parse_region("21").is_on("chr21"));
}

TEST(Region, MalformedOnesAreUsage) {
  for (const char* text : {"",
                           ":",
                           ":5",
                           "1:",
                           "1:x",
                           "1:5-x",
                           "1:9-3",
                           "1:-5",
                           "1:0",
                           "1:5-6-7",
                           "1:nan",
                           "{1",
                           "{1}5",
                           "{1}:",
                           "1:99999999999999999999"}) {
    SCOPED_TRACE(text);
    test::refusal([&] { parse_region(text); }, ErrorCode::usage);
  }
}

}  // namespace
}  // namespace yupana::genotype
