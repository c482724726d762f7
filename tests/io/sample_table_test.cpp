// Tables of samples between .fam, .psam and names alone.
#include <gtest/gtest.h>

#include "tests/support/folder.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/sample_lists.hpp"

namespace yupana::io {
namespace {

class SampleTableTest : public testing::Test {
 protected:
  SampleTable read(const std::string& text) { return read_sample_table(folder_.put("x", text)); }
  test::Folder folder_;
};

TEST_F(SampleTableTest, AFamKeepsItsColumns) {
  const SampleTable table = read("f a 0 0 1 -9\n\nf  b\ta 0 2 1.5 more\n");
  EXPECT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(fam_text(table), "f\ta\t0\t0\t1\t-9\nf\tb\ta\t0\t2\t1.5\n");
  EXPECT_EQ(psam_text(table),
            "#FID\tIID\tPAT\tMAT\tSEX\tPHENO1\nf\ta\t0\t0\t1\t-9\nf\tb\ta\t0\t2\t1.5\n");
}

TEST_F(SampleTableTest, APsamKeepsItsColumnsAndGivesAFamWhatItHas) {
  const SampleTable table = read("##x\n#IID SID SEX BMI Q\na 1 F NA 2\nb 1 M 3 4\nc 2 NA -9 5\n");
  EXPECT_EQ(psam_text(table),
            "#IID\tSID\tSEX\tBMI\tQ\na\t1\tF\tNA\t2\nb\t1\tM\t3\t4\nc\t2\tNA\t-9\t5\n");
  EXPECT_EQ(fam_text(table), "a\ta\t0\t0\t2\t-9\nb\tb\t0\t0\t1\t3\nc\tc\t0\t0\t0\t-9\n");
  EXPECT_EQ(fam_text(read("f a 0 0 1\n")), "f\ta\t0\t0\t1\t-9\n");
}

TEST_F(SampleTableTest, NamesAlone) {
  const SampleTable table = SampleTable::of_ids({"a", "b"});
  EXPECT_EQ(fam_text(table), "a\ta\t0\t0\t0\t-9\nb\tb\t0\t0\t0\t-9\n");
  EXPECT_EQ(psam_text(table), "#IID\tSEX\na\tNA\nb\tNA\n");
  const SampleTable blank = SampleTable::of_ids({"a b"});
  EXPECT_THROW(fam_text(blank), Error);
  EXPECT_THROW(psam_text(blank), Error);
}

}  // namespace
}  // namespace yupana::io
