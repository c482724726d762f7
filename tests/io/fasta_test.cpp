#include "yupana/io/fasta.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/text_files.hpp"
#include "yupana/io/exons.hpp"

namespace yupana::io {
namespace {

using test::refusal;

class FastaTest : public testing::Test {
 protected:
  std::vector<FastaRecord> read(const std::string& text) {
    return read_fasta(folder_.put("f.fa", text), dna_letters);
  }
  void refuse(const std::string& text, const char* words) {
    test::expect_refusal([&] { read(text); }, words);
  }
  test::Folder folder_;
};

TEST_F(FastaTest, RecordsKeepTheirLettersAndLoseTheRestOfTheHeader) {
  const auto records = read(">a one\r\nACGT\r\nnnRY\r\n\r\n>b\tx\nacgu  \n");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].name, "a");
  EXPECT_EQ(records[0].letters, "ACGTnnRY");
  EXPECT_EQ(records[1].name, "b");
  EXPECT_EQ(records[1].letters, "acgu");
  EXPECT_EQ(read(">a\nACGT")[0].letters, "ACGT") << "no line end at the end";
}

TEST_F(FastaTest, GzipIsReadAsIs) {
  const std::string path = folder_ / "f.fa.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, ">a\nACGT\n");
  gzclose(file);
  EXPECT_EQ(read_fasta(path, dna_letters)[0].letters, "ACGT");
}

TEST_F(FastaTest, FaultsNameFileAndLine) {
  refuse("", "f.fa: no FASTA record");
  refuse("ACGT\n", "f.fa:1: FASTA begins with");
  refuse(">\nACGT\n", "f.fa:1: expected a name after '>'");
  refuse(">a\n>b\nAC\n", "f.fa:1: record 'a' has no letters; leave it out");
  refuse(">a\nAC\n>b\n", "f.fa:3: record 'b' has no letters");
  refuse(">a\nAC\n>a\nAC\n", "f.fa:3: record 'a' appears in line 1 already; name each once");
  refuse(">a\nACGT\nAC-GT\n",
         "f.fa:3: '-' at place 7 of 'a' is none of ACGTURYSWKMBDHVN; take it out");
  refuse(">a\nAC GT\n", "f.fa:2: character 32 at place 3");
  EXPECT_NE(refusal([&] { read_fasta(folder_ / "none.fa", dna_letters); }).find("none.fa"),
            std::string::npos);
}

TEST(ReverseComplement, IsItsOwnInverseAndKeepsCase) {
  EXPECT_EQ(reverse_complement("ACGTNacgtRYKM"), "KMRYacgtNACGT");
  EXPECT_EQ(reverse_complement(reverse_complement("GATTACAnnbdhv")), "GATTACAnnbdhv");
}

class ExonsTest : public testing::Test {
 protected:
  std::vector<ExonRecord> read(const std::string& text, const char* name = "e") {
    return read_exons(folder_.put(name, text));
  }
  void refuse(const std::string& text, const char* words, const char* name = "e") {
    test::expect_refusal([&] { read(text, name); }, words);
  }
  static std::string shown(const std::vector<ExonRecord>& exons) {
    std::string text;
    for (const ExonRecord& e : exons) {
      text += fmt::format("{}:{}-{}{} ", e.sequence, e.first, e.last, e.strand);
    }
    return text;
  }
  test::Folder folder_;
};

TEST_F(ExonsTest, Gff3TakesExonsOrElseCodingParts) {
  const std::string cds =
      "##gff-version 3\nc\tx\tgene\t1\t90\t.\t+\t.\tID=a\n"
      "c\tx\tCDS\t5\t8\t.\t+\t0\tParent=a\r\n";
  EXPECT_EQ(shown(read(cds)), "c:5-8+ ");
  EXPECT_EQ(shown(read(cds + "c\tx\texon\t3\t9\t.\t-\t.\tParent=a\n##FASTA\n>c\nACGT\n")),
            "c:3-9- ");
}

TEST_F(ExonsTest, BedCountsFromZeroAndItsBlocksAreExons) {
  EXPECT_EQ(shown(read("track x\nc\t0\t10\nc 4 9 n 0 -\n", "e.bed")), "c:1-10. c:5-9- ");
  EXPECT_EQ(shown(read("c\t10\t100\tn\t0\t+\t10\t100\t0\t2\t5,10,\t0,80,\n", "e.bed")),
            "c:11-15+ c:91-100+ ");
}

TEST_F(ExonsTest, TablesHaveTwoToFourColumnsWithOrWithoutHeader) {
  EXPECT_EQ(shown(read("start\tend\n3\t9\n\n1 2\n")), ":3-9. :1-2. ");
  EXPECT_EQ(shown(read("# note\nc 3 9 -\n")), "c:3-9- ");
  EXPECT_EQ(shown(read("3 9 +\r\n")), ":3-9+ ");
  EXPECT_EQ(shown(read("3 9 1\n11 12 -1\n14 15 .\n")), ":3-9+ :11-12- :14-15. ");
  EXPECT_EQ(shown(read("")), "");
}

TEST_F(ExonsTest, ATablesThirdColumnThatIsNoStrandWasTakenForNone) {
  refuse("3 9\n11 12 minus\n", "e:2: expected a strand (+, - or .) in column 3, got 'minus'");
  refuse("c 3 9 0.7\n", "e:1: expected a strand (+, - or .) in column 4, got '0.7'");
  refuse("start end name\n3 9 exon1\n", "e:2: expected a strand");
}

TEST_F(ExonsTest, GenscanLinesSwapTheirEndsOnTheOtherStrand) {
  EXPECT_EQ(shown(read("GENSCAN 1.0\n\nGn.Ex Type S .Begin ...End .Len\n----- ---- -\n"
                       " 1.01 Init +    100    200  101  0  2\n 1.02 PlyA +  300 305 6\n"
                       " 2.01 Term -    900    850   51  0  2\n")),
            ":100-200+ :850-900- ");
}

TEST_F(ExonsTest, FaultsNameFileAndLine) {
  refuse("1 2\n9 3\n", "e:2: expected an exon with 1 <= first <= last, got 9..3");
  refuse("0 3\n", "first <= last, got 0..3");
  refuse("1 2\nx 5\n", "e:2: first base: expected a whole number, got 'x'");
  refuse("1 2\n5\n",
         "e:2: expected [sequence] first last [strand] between blanks or tabs, got '5'");
  refuse("c\tx\texon\t3\tq\t.\t-\t.\tP\n", "e:1: end: expected a whole number, got 'q'");
  refuse("c\tx\texon\t3\t5\t.\t*\t.\tP\n", "e:1: expected a strand (+, - or .), got '*'");
  refuse("c\tx\texon\t3\t5\t.\t+\t.\tP\nc\tx\n", "e:2: 2 columns between tabs; GFF3 has nine");
  refuse("c\t5\t5\n", "first <= last, got 6..5", "e.bed");
  refuse("c\t1\t9\tn\t0\t+\t1\t9\t0\t2\t5\t0,4\n", "e.bed:1: 1 block sizes", "e.bed");
}

TEST(SubstitutionFile, IsReadAndRefusedWithItsLine) {
  const test::Folder folder;
  const auto read = [&](const std::string& text) {
    return read_substitution(folder.put("m", text));
  };
  const auto m = read("# x\n   A  C\nA  4 -1\nC -2  5\n");
  EXPECT_EQ(m.score('a', 'C'), -1);
  EXPECT_EQ(m.score('C', 'A'), -2);
  EXPECT_EQ(m.highest(), 5);
  const auto refuse = [&](const std::string& text, const std::string& says) {
    const std::string said = refusal([&] { read(text); });
    EXPECT_NE(said.find(says), std::string::npos) << said;
  };
  refuse("A C\nA 1\n", "m:2: expected 2 scores after 'A', one for each letter of the first");
  refuse("A C\nC 1 2\n", "m:2: expected the row of 'A', as letter 1 of the first line, got 'C'");
  refuse("A\nA x\n", "m:2: expected a whole number from -250000 to 250000 as the score of 'A' and");
  refuse("A C\nA 1 2\n", "matrices, got 1 row for 2 letters; that of 'C' is missing");
  refuse("A\nA 1\nA 1\n", "m:3: expected 1 row, one for each letter, got one more, of 'A'");
  refuse("A a\nA 1 2\na 1 2\n", "m:1: expected each letter once, in either case, got 'a' again");
  refuse("# x\n", "m: expected a line of letters, then a row of scores for each");
}

}  // namespace
}  // namespace yupana::io
