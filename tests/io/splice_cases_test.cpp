#include <gtest/gtest.h>

#include "tests/support/text_files.hpp"
#include "yupana/io/exons.hpp"

namespace yupana::io {
namespace {

class SpliceCasesTest : public testing::Test {
 protected:
  std::vector<SpliceCase> read(const std::string& text) {
    return read_splice_cases(folder_.put("cases.tsv", text));
  }
  void refuse(const std::string& text, const char* words) {
    test::expect_refusal([&] { read(text); }, words);
  }
  test::Folder folder_;
};

TEST_F(SpliceCasesTest, NamesAreBesideTheListAndAutoIsNone) {
  const auto cases = read(
      "genome\texons\ttarget\n# a comment\n\ng.fa\tauto\tt.fa\r\n"
      "g.fa e.gff3 p.fa protein\n/g.fa e.tsv t.fa cdna");
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].genome, folder_ / "g.fa");
  EXPECT_EQ(cases[0].exons, "auto");
  EXPECT_EQ(cases[0].target, folder_ / "t.fa");
  EXPECT_FALSE(cases[0].is_protein);
  EXPECT_EQ(cases[1].exons, folder_ / "e.gff3");
  EXPECT_TRUE(cases[1].is_protein);
  EXPECT_EQ(cases[2].genome, "/g.fa");
  EXPECT_FALSE(cases[2].is_protein);
}

TEST_F(SpliceCasesTest, NamesWithBlanksAreBetweenTabs) {
  const auto cases =
      read("gen ome.fa\t e 1.tsv \tt.fa\tprotein\n  g.fa   e.tsv t.fa \ng.fa\t\te.tsv\tt.fa\n");
  ASSERT_EQ(cases.size(), 3u);
  EXPECT_EQ(cases[0].genome, folder_ / "gen ome.fa");
  EXPECT_EQ(cases[0].exons, folder_ / "e 1.tsv");
  EXPECT_TRUE(cases[0].is_protein);
  for (const SpliceCase& one : {cases[1], cases[2]}) {
    EXPECT_EQ(one.genome, folder_ / "g.fa");
    EXPECT_EQ(one.exons, folder_ / "e.tsv");
    EXPECT_EQ(one.target, folder_ / "t.fa");
  }
  refuse("g 1.fa\t \tt.fa\n", "got 2 columns");
}

TEST_F(SpliceCasesTest, FaultsNameFileAndLine) {
  refuse("", "cases.tsv: expected lines of genome");
  refuse("genome exons target\n", "cases.tsv: expected lines of genome");
  refuse("g.fa t.fa\n", "cases.tsv:1: expected genome, exons (or auto), target");
  refuse("g e t\ng e t protein x\n", "got 5 columns");
  refuse("g e t peptide\n", "cases.tsv:1: expected protein or cdna in column 4, got 'peptide'");
  refuse("g e\x01 t\n", "cases.tsv:1: expected file names, got a control character");
}

}  // namespace
}  // namespace yupana::io
