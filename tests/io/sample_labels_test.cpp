#include <gtest/gtest.h>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::io {
namespace {

using Ids = std::vector<std::string>;
using Places = std::vector<std::int64_t>;

class SampleLabelsTest : public testing::Test {
 protected:
  SampleLabels labels(const std::string& text,
                      const SampleNames& names,
                      const std::string& column = {}) {
    return read_labels(folder_.put("labels", text), names, column);
  }
  /// The message of the usage error.
  std::string usage(const std::string& text,
                    const SampleNames& names,
                    const std::string& column = {}) {
    try {
      labels(text, names, column);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
      return error.what();
    }
    return {};
  }

  test::Folder folder_;
  const SampleNames vcf_{{"a", "b", "c"}, {}, {}, {}};
  const SampleNames plink_{{"1", "2", "3"}, {"F", "F", "2"}, {"1", "2", "3"}, {}};
};

TEST_F(SampleLabelsTest, MissingCodesAreNoPopulation) {
  for (const char* code :
       {"NA", "na", "n/a", "NaN", "nan", "null", "Unknown", "missing", ".", "-", "?", "-9", ""}) {
    const SampleLabels got = labels(std::string("a\tX\nb\t") + code + "\nc\tY\n", vcf_);
    EXPECT_EQ(got.names, (Ids{"X", "Y"})) << code;
    EXPECT_EQ(got.of, (Places{0, -1, 1})) << code;
    EXPECT_EQ(got.unlabelled, 1) << code;
    ASSERT_EQ(got.notes.size(), 1u) << code;
    EXPECT_NE(got.notes[0].find(": 1 sample without label, where it is missing"),
              std::string::npos);
  }
  EXPECT_EQ(labels("a\tNAM\nb\t-1\n", vcf_).names, (Ids{"NAM", "-1"}));
}

TEST_F(SampleLabelsTest, RanksAreThoseOfTheFileWhicheverSamplesAreThere) {
  const std::string file = "c\tY\nother\tA\nb\tX\na\tZ\nd\tNA\n";
  EXPECT_EQ(labels(file, vcf_).names, (Ids{"Y", "X", "Z"}));
  EXPECT_EQ(labels(file, vcf_).ranks, (std::vector<std::int32_t>{2, 1, 3}));
  EXPECT_EQ(labels(file, {{"a", "c"}, {}, {}, {}}).ranks, (std::vector<std::int32_t>{2, 3}));
}

TEST_F(SampleLabelsTest, NumbersOfManyValuesAreACovariate) {
  std::string file = "sample\tage\na\t-1.5\nb\tNA\nc\t3\n";
  for (int i = 0; i < 18; ++i)
    file += "x" + std::to_string(i) + "\t" + std::to_string(10 + i) + "\n";
  EXPECT_TRUE(labels(file, vcf_).numbers.empty()) << "20 values are classes";
  file += "y\t1e2\n";
  const SampleLabels got = labels(file, vcf_);
  EXPECT_EQ(got.numbers, (std::vector<double>{-1.5, 3}));
  EXPECT_EQ(got.of, (Places{0, -1, 1}));
  EXPECT_EQ(got.low, -1.5);
  EXPECT_EQ(got.high, 100);
  EXPECT_EQ(got.column, "age");
  EXPECT_TRUE(labels(file + "z\tone\n", vcf_).numbers.empty()) << "a word among the numbers";
  EXPECT_TRUE(labels(file + "z\tinf\n", vcf_).numbers.empty());
}

TEST_F(SampleLabelsTest, ALabelLeftOutAtTheEndIsMissing) {
  EXPECT_EQ(labels("a X\nb\nc Y\n", vcf_).of, (Places{0, -1, 1}));
  EXPECT_EQ(labels("a\tu\tX\nb\tv\t\nc\tw\n", vcf_, "3").of, (Places{0, -1, -1}));
}

TEST_F(SampleLabelsTest, FamilyAndIndividualAreRecognised) {
  for (const char* header : {"", "FID\tIID\tPOP\n", "#FID\tIID\tpop\n"}) {
    const SampleLabels got = labels(std::string(header) + "F\t1\tX\nF\t2\tY\n2\t3\tX\n", plink_);
    EXPECT_EQ(got.names, (Ids{"X", "Y"})) << header;
    EXPECT_EQ(got.of, (Places{0, 1, 0})) << header;
    EXPECT_EQ(got.unknown, 0) << header;
  }
  EXPECT_EQ(labels("0 a X\n0 b Y\n", vcf_).of, (Places{0, 1, -1}));
  EXPECT_EQ(labels("a a X\nb b Y\n", vcf_).of, (Places{0, 1, -1}));
  EXPECT_EQ(labels("f a X\ng b Y\n", vcf_, "3").of, (Places{0, 1, -1}));
}

TEST_F(SampleLabelsTest, LabelsOfAnotherCohortAreNotTakenForSeveralColumns) {
  const std::string refusal = test::refusal([&] { labels("x\tX\tu\ny\tY\tv\n", vcf_); });
  EXPECT_NE(refusal.find("none of its lines names one of the 3 samples"), std::string::npos);
  EXPECT_EQ(refusal.find("commas"), std::string::npos);
}

TEST_F(SampleLabelsTest, AFileWithoutLabelsWasSaidToNameNoSample) {
  const auto refusal = [&](const char* text) { return test::refusal([&] { labels(text, vcf_); }); };
  EXPECT_NE(refusal("a\nb\nc\n").find("expected a label in column 2"), std::string::npos);
  EXPECT_NE(refusal("a\tNA\nb\t\n").find("every label is missing"), std::string::npos);
  EXPECT_NE(refusal("a,X\nb,Y\n").find("not commas"), std::string::npos);
}

TEST_F(SampleLabelsTest, SeveralLabelColumnsAreNotChosenWithoutAWord) {
  const std::string plain = "a\tX\tu\nb\tY\tv\n";
  EXPECT_NE(usage(plain, vcf_).find("several columns may hold the labels (2, 3)"),
            std::string::npos);
  EXPECT_EQ(labels(plain, vcf_, "3").names, (Ids{"u", "v"}));
  const std::string family = "sample\tfamily\tsex\n" + plain;
  EXPECT_NE(usage(family, vcf_).find("2 'family', 3 'sex'"), std::string::npos);
  const SampleLabels named = labels("sample\tsex\tpopulation\n" + plain, vcf_);
  EXPECT_EQ(named.names, (Ids{"u", "v"}));
  ASSERT_EQ(named.notes.size(), 1u);
  EXPECT_NE(named.notes[0].find("column 3 'population'"), std::string::npos);
  EXPECT_NE(usage(plain, vcf_, "1").find("names the samples"), std::string::npos);
}

}  // namespace
}  // namespace yupana::io
