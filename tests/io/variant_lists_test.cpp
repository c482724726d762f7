#include "yupana/io/variant_lists.hpp"

#include <gtest/gtest.h>

#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"

namespace yupana::io {
namespace {

using test::refusal;

class VariantListsTest : public testing::Test {
 protected:
  VariantSet set(const std::string& text, VariantLines lines) {
    return VariantSet({folder_.put("list", text), lines}, genotype::human_autosomes);
  }
  test::Folder folder_;
};

TEST_F(VariantListsTest, NamesStandBetweenBlanksAndMayRepeat) {
  const VariantSet names = set("rs1 rs2\n\n\trs3\r\nrs1\n#x", VariantLines::ids);
  for (const char* name : {"rs1", "rs2", "rs3", "#x"}) EXPECT_TRUE(names.contains("1", 1, name));
  for (const char* name : {"rs", "rs4", ".", ""}) EXPECT_FALSE(names.contains("1", 1, name));
}

TEST_F(VariantListsTest, IntervalsBeginAtZeroOrOne) {
  const std::string text = "#contig start end\ntrack x\n1 9 12 name more\n\nchrX\t5\t5\n";
  const VariantSet bed0 = set(text, VariantLines::bed0), bed1 = set(text, VariantLines::bed1);
  for (const std::int64_t position : {8, 9, 10, 12, 13}) {
    EXPECT_EQ(bed0.contains("chr1", position, "."), position >= 10 && position <= 12) << position;
    EXPECT_EQ(bed1.contains("chr1", position, "."), position >= 9 && position <= 12) << position;
  }
  EXPECT_FALSE(bed0.contains("23", 5, ".")) << "an interval of no place";
  EXPECT_TRUE(bed1.contains("23", 5, "."));
  EXPECT_FALSE(bed1.contains("2", 10, "."));
}

TEST_F(VariantListsTest, IntervalsMayOverlap) {
  const Random random(3);
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::string text;
    std::vector<bool> inside(121, false);
    for (std::uint64_t k = 0; k < 12; ++k) {
      const std::uint64_t start = random.word(100 * round + 2 * k) % 100;
      const std::uint64_t end = start + random.word(100 * round + 2 * k + 1) % 20;
      text += fmt::format("7 {} {}\n", start, end);
      for (std::uint64_t p = start; p <= end; ++p) inside[p] = true;
    }
    const VariantSet set_of = set(text, VariantLines::bed1);
    for (std::size_t p = 0; p < inside.size(); ++p) {
      EXPECT_EQ(set_of.contains("7", static_cast<std::int64_t>(p), "."), inside[p]) << p;
    }
  }
}

TEST_F(VariantListsTest, EveryFaultSaysWhatIsWrong) {
  const auto says = [&](const std::string& text, VariantLines lines, const std::string& part) {
    test::expect_refusal([&] { set(text, lines); }, part);
  };
  says("\n \n", VariantLines::ids, "list: names no variant");
  says("# nothing\n", VariantLines::bed1, "list: holds no interval");
  says("1 2 3\n1 2\n", VariantLines::bed0, "list:2: expected contig, start and end, got 2 columns");
  says("1 2 x\n", VariantLines::bed0, "list:1: column 3: expected a place");
  says("1 -2 3\n", VariantLines::bed0, "list:1: column 2: expected a place");
  says("1 5 3\n", VariantLines::bed1, "list:1: the interval ends at 3, before its start 5");
  says(std::string("rs\0", 3), VariantLines::ids, "NUL");
  refusal([] { variant_lines_from_name("--extract", "bed2"); }, ErrorCode::usage);
}

}  // namespace
}  // namespace yupana::io
