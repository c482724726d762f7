#include "yupana/io/sample_lists.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/text_files.hpp"

namespace yupana::io {
namespace {

using test::refusal;
using Ids = std::vector<std::string>;

class SampleListsTest : public testing::Test {
 protected:
  Ids list(const std::string& text, const SampleNames& names) {
    return read_sample_list(folder_.put("list", text), names).ids;
  }
  SampleLabels labels(const std::string& text,
                      const SampleNames& names,
                      const std::string& column = {}) {
    return read_labels(folder_.put("labels", text), names, column);
  }

  test::Folder folder_;
  const SampleNames vcf_{{"a", "b", "c d"}, {}, {}};
  const SampleNames unique_{{"1", "2", "3"}, {"F", "F", "G"}, {"1", "2", "3"}};
  const SampleNames shared_{{"F_1", "F_2", "G_1"}, {"F", "F", "G"}, {"1", "2", "1"}};
};

TEST_F(SampleListsTest, OneColumnIsTheIdentifierTwoAreFamilyAndIndividual) {
  EXPECT_EQ(list("b\r\n\n# note\na\n", vcf_), (Ids{"b", "a"}));
  EXPECT_EQ(list("0 b\nb b\nc d\n", vcf_), (Ids{"b", "b", "c d"}));
  EXPECT_EQ(list("2\nG 3\nF\t1\tx\ty", unique_), (Ids{"2", "3", "1"}));
  EXPECT_EQ(list("G_1\nF 1\n2\n", shared_), (Ids{"G_1", "F_1", "F_2"}));
}

TEST_F(SampleListsTest, UnknownSamplesAreCountedAsPlinkDoes) {
  const SampleList read = read_sample_list(folder_.put("list", "a\n\nz\nG 2\nb\n"), vcf_);
  EXPECT_EQ(read.ids, (Ids{"a", "b"}));
  EXPECT_EQ(read.unknown, 2);
  EXPECT_EQ(read.first_unknown, "'z' in line 3");
  EXPECT_EQ(list("G 2\n", unique_), Ids{});
}

TEST_F(SampleListsTest, AmbiguousSamplesAndBinaryFilesAreRefusedWithTheLine) {
  EXPECT_NE(refusal([&] { list("1\n", shared_); }).find("several samples are '1'; write FID, IID"),
            std::string::npos);
  const std::string binary("a\nb\0c\n", 6);
  EXPECT_NE(refusal([&] { list(binary, vcf_); }).find("list:2: expected text, got a NUL byte"),
            std::string::npos);
  EXPECT_NE(refusal([&] { labels(binary, vcf_); }).find("labels:2: expected text"),
            std::string::npos);
}

TEST_F(SampleListsTest, LabelsWithAndWithoutHeader) {
  for (const char* header : {"", "sample\tpop\n", "ID\tpop\n", "#IID\tpop\n"}) {
    const SampleLabels got = labels(std::string(header) + "b\tX\nnobody\tX\na\tY Z\n", vcf_);
    EXPECT_EQ(got.names, (Ids{"X", "Y Z"})) << header;
    EXPECT_EQ(got.of, (std::vector<std::int64_t>{1, 0, -1}));
    EXPECT_EQ(got.unlabelled, 1);
    EXPECT_EQ(got.unknown, 1);
  }
}

TEST_F(SampleListsTest, ColumnsByNameAndNumber) {
  const std::string text =
      "sample\tpop\tsuper_pop\tgender\t\t\na\tGBR\tEUR\tmale\nb\tYRI\tAFR\tx\n";
  EXPECT_EQ(labels(text, vcf_, "super_pop").names, (Ids{"EUR", "AFR"}));
  EXPECT_EQ(labels(text, vcf_, "3").names, (Ids{"EUR", "AFR"}));
  EXPECT_EQ(labels(text, vcf_).names, (Ids{"GBR", "YRI"}));
  EXPECT_NE(refusal([&] { labels(text, vcf_, "nation"); }).find("no column 'nation'"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] { labels(text, vcf_, "9"); }).find("labels:2: expected a label in column 9"),
      std::string::npos);
  EXPECT_EQ(labels("a  X 1\nb Y 2\n", vcf_, "3").names, (Ids{"1", "2"}));
}

TEST_F(SampleListsTest, LabelFaultsAreRefused) {
  EXPECT_NE(refusal([&] { labels("a\tX\na\tY\n", vcf_); }).find("labels:2: a second label, 'Y'"),
            std::string::npos);
  EXPECT_EQ(labels("a\tX\na\tX\n", vcf_).unlabelled, 2);
  EXPECT_NE(refusal([&] { labels("a\tNA\n", vcf_); }).find("every label is missing"),
            std::string::npos);
  EXPECT_NE(refusal([&] { labels("z\tX\n", vcf_); }).find("names one of the 3 samples"),
            std::string::npos);
  refusal([&] { labels("", vcf_); });
  refusal([&] { labels("a\n", vcf_); });
}

TEST_F(SampleListsTest, ThousandGenomesPanelIsRead) {
  const std::string panel =
      YUPANA_SHARED_DATA "/genotypes/kg_chr21/integrated_call_samples_v3.20130502.ALL.panel";
  if (!std::filesystem::exists(panel)) GTEST_SKIP() << "no " << panel;
  const SampleNames names{{"HG00096", "NA21144", "nobody"}, {}, {}};
  const SampleLabels pops = read_labels(panel, names);
  EXPECT_EQ(pops.names, (Ids{"GBR", "GIH"}));
  EXPECT_EQ(pops.of, (std::vector<std::int64_t>{0, 1, -1}));
  EXPECT_EQ(pops.unknown, 2533);
  EXPECT_EQ(read_labels(panel, names, "super_pop").names, (Ids{"EUR", "SAS"}));
}

}  // namespace
}  // namespace yupana::io
