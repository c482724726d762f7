#include <gtest/gtest.h>

#include <string>

#include "tests/support/text_files.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/fasta.hpp"

namespace yupana::io {
namespace {

class SpliceNames : public testing::Test {
 protected:
  std::string sequence_in(const std::string& name, const std::string& attributes) {
    const std::string line = name + "\tx\texon\t1\t2\t.\t+\t.\t" + attributes + "\n";
    return read_exons(folder_.put("e.gff", line)).at(0).sequence;
  }
  test::Folder folder_;
};

TEST_F(SpliceNames, Gff3EscapesAreDecodedAndOtherPercentSignsStay) {
  EXPECT_EQ(sequence_in("chr%3B1%2c%20x", "Parent=m"), "chr;1, x");
  EXPECT_EQ(sequence_in("a%25b", "."), "a%b");
  EXPECT_EQ(sequence_in("100%", "."), "100%");
  EXPECT_EQ(sequence_in("5%of%3", "ID=e"), "5%of%3");
  EXPECT_EQ(sequence_in("%3", "ID=e"), "%3");
}

TEST_F(SpliceNames, GtfHasNoEscapes) {
  EXPECT_EQ(sequence_in("chr%3B", "gene_id \"g\"; transcript_id \"t\";"), "chr%3B");
}

TEST_F(SpliceNames, FastaGivenAsExonsIsToldAsSuch) {
  const std::string path = folder_.put("e.fa", ">chr1 1 2\nACGT\n");
  const std::string text = test::refusal([&] { read_exons(path); });
  EXPECT_NE(text.find("e.fa:1: a FASTA record; expected exons"), std::string::npos) << text;
}

TEST_F(SpliceNames, PeptidesAtTheEndOfGenscansTextAreNoFault) {
  const std::string path = folder_.put("e.txt",
                                       "GENSCAN 1.0\n"
                                       " 1.01 Init +   10   20   67  2  1 1 2 3 4\n"
                                       ">x|GENSCAN_predicted_peptide_1|3_aa\nMKV\n");
  EXPECT_EQ(read_exons(path).size(), 1u);
}

TEST_F(SpliceNames, BytesThatAreNoTextAreNoEmptyTable) {
  const std::string path = folder_.put("e.tsv", std::string("\x01\x02\x03\n"));
  test::expect_refusal([&] { read_exons(path); }, "e.tsv:1: a control character");
}

TEST_F(SpliceNames, StrandsOfTablesMayBeNumbers) {
  const std::string path = folder_.put("e.tsv", "c 1 2 -1\nc 3 4 +1\nc 5 6 .\nc 7 8 -\n");
  std::string strands;
  for (const ExonRecord& record : read_exons(path)) strands += record.strand;
  EXPECT_EQ(strands, "-+.-");
}

TEST_F(SpliceNames, FastaBeyondTheMemoryLeftIsRefusedWithItsLine) {
  const std::string path = folder_.put("f.fa", ">a\n" + std::string(3000, 'A') + "\nACGT\n");
  const std::string text =
      test::refusal([&] { read_fasta(path, dna_letters, {}, 2000); }, ErrorCode::out_of_resources);
  EXPECT_NE(text.find("f.fa:2"), std::string::npos) << text;
  EXPECT_NE(text.find("2.00 kB"), std::string::npos) << text;
  const auto records = read_fasta(path, dna_letters, {}, 20'000);
  EXPECT_GE(held_bytes(records), 3004u);
}

TEST_F(SpliceNames, AdviceEndsTheMessageOfALetterOutsideTheAlphabet) {
  const std::string path = folder_.put("f.fa", ">a\nMKL\n");
  const std::string text =
      test::refusal([&] { read_fasta(path, dna_letters, "give proteins by --protein"); });
  EXPECT_TRUE(text.ends_with("; give proteins by --protein")) << text;
}

TEST_F(SpliceNames, ScoresOfAMatrixOutOfRangeNameTheLine) {
  const std::string path = folder_.put("m.txt", "  A C\nA 1 0\nC 0 250001\n");
  const std::string text = test::refusal([&] { read_substitution(path); });
  EXPECT_NE(text.find("m.txt:3: expected a whole number from -250000 to 250000 as the score of 'C' "
                      "and 'C', got '250001'"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace yupana::io
