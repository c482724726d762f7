#include "yupana/genotype/chromosome.hpp"

#include <gtest/gtest.h>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::genotype {
namespace {

TEST(ChromosomeFilter, DefaultKeepsAutosomesWithAnyPrefixAndCase) {
  const ChromosomeFilter filter;
  for (int i = 1; i <= 22; ++i) {
    EXPECT_TRUE(filter.keeps(std::to_string(i)));
    EXPECT_TRUE(filter.keeps("chr" + std::to_string(i)));
    EXPECT_TRUE(filter.keeps("CHR" + std::to_string(i)));
    EXPECT_FALSE(filter.keeps_as_unknown(std::to_string(i)));
  }
}

TEST(ChromosomeFilter, DefaultSkipsSexChromosomesAndMitochondriaByNameAndNumber) {
  const ChromosomeFilter filter;
  for (const char* name : {"X",
                           "Y",
                           "MT",
                           "M",
                           "23",
                           "24",
                           "26",
                           "x",
                           "y",
                           "mt",
                           "chrX",
                           "chry",
                           "CHRM",
                           "chrMT",
                           "chr23",
                           "m"}) {
    EXPECT_FALSE(filter.keeps(name)) << name;
  }
  EXPECT_EQ(filter.reason(), "not autosomal");
}

TEST(ChromosomeFilter, DefaultKeepsUnplacedAndUnknownContigs) {
  const ChromosomeFilter filter;
  EXPECT_TRUE(filter.keeps("0"));
  EXPECT_FALSE(filter.keeps_as_unknown("0"));
  for (const char* name :
       {"NC_037328.1", "27", "38", "2L", "scaffold_12", "chrUn", "010", "", "chr"}) {
    EXPECT_TRUE(filter.keeps(name)) << name;
    EXPECT_TRUE(filter.keeps_as_unknown(name)) << name;
  }
}

TEST(ChromosomeFilter, ThePseudoAutosomalRegionIsKeptAsInPlink) {
  const ChromosomeFilter filter;
  for (const char* name : {"25", "XY", "chrXY", "PAR1", "par2", "chr25"}) {
    EXPECT_TRUE(filter.keeps(name)) << name;
    EXPECT_FALSE(filter.keeps_as_unknown(name)) << name;
  }
}

TEST(ChromosomeFilter, OtherSpeciesHaveAutosomesOfTheirOwn) {
  const ChromosomeFilter dog(38);
  for (const char* name : {"23", "24", "26", "38", "chr25", "41", "XY"}) {
    EXPECT_TRUE(dog.keeps(name)) << name;
    EXPECT_FALSE(dog.keeps_as_unknown(name)) << name;
  }
  for (const char* name : {"39", "40", "42", "X", "Y", "MT"}) EXPECT_FALSE(dog.keeps(name)) << name;
  EXPECT_TRUE(dog.keeps_as_unknown("43"));
  const ChromosomeFilter mouse(19);
  EXPECT_FALSE(mouse.keeps("20"));
  EXPECT_TRUE(mouse.keeps("22"));  // XY
  EXPECT_TRUE(ChromosomeFilter::listed("X", 38).keeps("39"));
  EXPECT_FALSE(ChromosomeFilter::listed("X", 38).keeps("23"));
  EXPECT_THROW(ChromosomeFilter(0), Error);
  EXPECT_THROW(ChromosomeFilter(-12), Error);
}

TEST(ChromosomeFilter, NumbersBeyondHumanSayWhatIsLeftOut) {
  const std::string note = unknown_note({"scaffold_1", "27"});
  EXPECT_NE(note.find("23, 24 and 26 are left out"), std::string::npos) << note;
  EXPECT_NE(note.find("--chr-set"), std::string::npos) << note;
  EXPECT_EQ(unknown_note({"2L"}).find("--chr-set"), std::string::npos);
}

TEST(ChromosomeFilter, OneChromosomeHasSeveralSpellings) {
  EXPECT_TRUE(same_chromosome("21", "chr21"));
  EXPECT_TRUE(same_chromosome("chrX", "23"));
  EXPECT_TRUE(same_chromosome("M", "chrMT"));
  EXPECT_TRUE(same_chromosome("scaffold_1", "scaffold_1"));
  EXPECT_FALSE(same_chromosome("scaffold_1", "chrscaffold_1"));
  EXPECT_FALSE(same_chromosome("2", "21"));
}

TEST(ChromosomeFilter, AllKeepsEverythingWithoutRemark) {
  const ChromosomeFilter filter = ChromosomeFilter::all();
  for (const char* name : {"1", "X", "MT", "0", "scaffold_12"}) {
    EXPECT_TRUE(filter.keeps(name)) << name;
    EXPECT_FALSE(filter.keeps_as_unknown(name)) << name;
  }
}

TEST(ChromosomeFilter, ListTakesNumbersRangesLettersAndExactNames) {
  const ChromosomeFilter filter = ChromosomeFilter::listed("1-4, 22,x,HLA-A,scaffold_1");
  for (const char* name : {"1", "4", "chr3", "22", "X", "chrX", "23", "HLA-A", "scaffold_1"}) {
    EXPECT_TRUE(filter.keeps(name)) << name;
  }
  for (const char* name : {"5", "21", "Y", "0", "HLA-B", "scaffold_12", "hla-a"}) {
    EXPECT_FALSE(filter.keeps(name)) << name;
  }
  EXPECT_EQ(filter.reason(), "chromosome not in --chr");
  EXPECT_TRUE(ChromosomeFilter::listed("xy-mt").keeps("26"));
  EXPECT_TRUE(ChromosomeFilter::listed("1-38").keeps("38"));
}

TEST(ChromosomeFilter, BadListIsUsage) {
  for (const char* list : {"", "1,,2", "1,", "4-1", "X-1", "1-", "-4", "-"}) {
    SCOPED_TRACE(list);
    test::refusal([&] { ChromosomeFilter::listed(list); }, ErrorCode::usage);
  }
}

TEST(ChromosomeFilter, NoteNamesTheFirstContigAndCountsTheRest) {
  EXPECT_NE(unknown_note({"2L", "2R", "4X"}).find("'2L' and 2 more contigs"), std::string::npos);
  EXPECT_NE(unknown_note({"2L", "2R"}).find("'2L' and 1 more contig:"), std::string::npos);
  EXPECT_EQ(unknown_note({"2L"}).find("more contig"), std::string::npos);
}

}  // namespace
}  // namespace yupana::genotype
