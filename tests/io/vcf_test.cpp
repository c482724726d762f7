#include "yupana/io/vcf.hpp"

#include <gtest/gtest.h>

#include "tests/support/text_files.hpp"
#include "tests/support/vcf_files.hpp"

namespace yupana::io {
namespace {

using namespace testing;  // NOLINT: files for tests
using Rows = std::vector<std::string>;

const std::vector<std::string> three = {"a", "b", "c"};

TEST(Vcf, CountsOfAltBecomePlinkCodes) {
  const Folder folder;
  const std::string path =
      folder.put("x.vcf",
                 header(three) + record(1, "A", "C", "0/0 0|1 1/1") +
                     record(2, "G", "T", "1|0 ./. 1|1") + record(3, "G", "T", ".|. . 0|0"));
  const Sites sites = read_all(all_contigs(path));
  EXPECT_EQ(sites.rows, (Rows{"320", "210", "113"}));
  EXPECT_EQ(sites.account.read, 3);
  EXPECT_EQ(sites.account.kept, 3);
}

TEST(Vcf, HaploidCallsCountAsHomozygous) {
  const Folder folder;
  const std::string path = folder.put(
      "x.vcf", header(three) + record(1, "A", "C", "0 1 .") + record(2, "A", "C", "0/1 1 |0"));
  EXPECT_EQ(read_all(all_contigs(path)).rows, (Rows{"301", "203"}));
}

TEST(Vcf, HalfCallsFollowTheRule) {
  const Folder folder;
  VcfParams params = all_contigs(folder.put(
      "x.vcf", header({"a", "b", "c", "d", "e"}) + record(1, "A", "C", "./1 1/. 0|. .|0 ./.")));
  EXPECT_EQ(read_all(params).rows, Rows{"11111"});
  params.half_call = HalfCall::haploid;
  EXPECT_EQ(read_all(params).rows, Rows{"00331"});
  params.half_call = HalfCall::reference;
  EXPECT_EQ(read_all(params).rows, Rows{"22331"});
  params.half_call = HalfCall::error;
  EXPECT_NE(error_of(params).find("x.vcf:8: sample a: './1' is a half call"), std::string::npos);
}

TEST(Vcf, RulesHaveTheNamesOfPlink2) {
  EXPECT_EQ(half_call_from_name("haploid"), HalfCall::haploid);
  EXPECT_EQ(half_call_from_name("h"), HalfCall::haploid);
  EXPECT_EQ(half_call_from_name("m"), HalfCall::missing);
  EXPECT_EQ(half_call_from_name("r"), HalfCall::reference);
  EXPECT_EQ(half_call_from_name("error"), HalfCall::error);
  EXPECT_EQ(polyploid_from_name("missing"), Polyploid::missing);
  EXPECT_THROW(half_call_from_name("half"), Error);
  EXPECT_THROW(polyploid_from_name(""), Error);
}

TEST(Vcf, PolyploidCallsAreRefusedOrMissing) {
  const Folder folder;
  VcfParams params = all_contigs(folder.put(
      "x.vcf",
      header(three) + record(1, "A", "C", "0/0 0/1 ././.") + record(2, "A", "C", "0/0 0/0/1 1")));
  EXPECT_NE(error_of(params).find("x.vcf:9: sample b: '0/0/1' has more than two alleles"),
            std::string::npos);
  params.polyploid = Polyploid::missing;
  EXPECT_EQ(read_all(params).rows, (Rows{"321", "310"}));
}

TEST(Vcf, EverySiteWithAtMostOneAltIsKeptAndOthersAreCounted) {
  const Folder folder;
  const std::string calls = "0/0 0/1 1/1";
  std::string text = header(three);
  for (const char* alt : {"C,G", "<DEL>", "*", "AT", "]2:3]A", "a", "X", "N", "c", "R"}) {
    text += record(5, "A", alt, calls);
  }
  text += record(6, "AC", "GT", calls) + record(7, "AC", "A", calls) + record(8, ".", "A", calls) +
          record(9, "A", "C", "1 2 3", "DP") + record(10, "n", "T", calls) +
          record(11, "A", ".", "0/0 ./. 0");
  const Sites sites = read_all(all_contigs(folder.put("x.vcf", text)));
  Rows wanted(13, "320");
  wanted.push_back("313");
  EXPECT_EQ(sites.rows, wanted);
  const std::map<std::string, std::int64_t> skipped = {{"multiallelic (several ALT alleles)", 1},
                                                       {"no GT in FORMAT", 1}};
  EXPECT_EQ(sites.account.skipped, skipped);
  EXPECT_EQ(sites.account.read, 16);
  EXPECT_EQ(sites.account.kept, 14);
  ASSERT_EQ(sites.account.notes.size(), 1u);
  EXPECT_NE(sites.account.notes[0].find("several ALT alleles are skipped, 1 of 16"),
            std::string::npos);
}

TEST(Vcf, AutosomesAreTheDefaultAndUnknownContigsStayWithANote) {
  const Folder folder;
  VcfParams params;
  params.path = folder.put("x.vcf",
                           header(three) + record(1, "A", "C", "0/0 0/0 0/0", "GT", "chr1") +
                               record(1, "A", "C", "0/0 0/0 0/1", "GT", "X") +
                               record(1, "A", "C", "0/0 0/0 1/1", "GT", "scaffold_9"));
  const Sites sites = read_all(params);
  EXPECT_EQ(sites.rows, (Rows{"333", "330"}));
  EXPECT_EQ(sites.account.skipped.at("not autosomal"), 1);
  ASSERT_EQ(sites.account.notes.size(), 1u);
  EXPECT_NE(sites.account.notes[0].find("scaffold_9"), std::string::npos);
  params.chromosomes = genotype::ChromosomeFilter::listed("X");
  EXPECT_EQ(read_all(params).rows, Rows{"332"});
}

TEST(Vcf, GtIsFoundWhereverFormatPutsIt) {
  const Folder folder;
  const std::string path =
      folder.put("x.vcf",
                 header(three) + record(1, "A", "C", "0/1:7 1/1 ./.:.", "GT:DP") +
                     record(2, "A", "C", "7:0/1 3:1|1:8:9 .", "DP:GT:AD") +
                     record(3, "A", "C", "1:2:1 3 1:2:0/0", "DP:AD:GT") +
                     record(4, "A", "C", "0/1:6 0:1 1:2", "GT:DP"));
  EXPECT_EQ(read_all(all_contigs(path)).rows, (Rows{"201", "201", "013", "230"}));
}

TEST(Vcf, LineEndingsAndEmptyLinesDoNotMatter) {
  const Folder folder;
  const std::string text = header(three) + record(1, "A", "C", "0/0 0|1 1/1") +
                           record(2, "A", "C", "0:1 1/1:2 ./.", "GT:DP") +
                           record(3, "A", "C", "0/0 0|1 1");
  std::string crlf, blank = text + "\n\r\n";
  for (const char letter : text) crlf += letter == '\n' ? "\r\n" : std::string(1, letter);
  const Rows rows = {"320", "301", "320"};
  EXPECT_EQ(read_all(all_contigs(folder.put("lf.vcf", text))).rows, rows);
  EXPECT_EQ(read_all(all_contigs(folder.put("crlf.vcf", crlf))).rows, rows);
  EXPECT_EQ(read_all(all_contigs(folder.put("blank.vcf", blank))).rows, rows);
  const std::string open_end = text.substr(0, text.size() - 1);
  EXPECT_EQ(read_all(all_contigs(folder.put("open.vcf", open_end))).rows, rows);
  const std::string return_end = crlf.substr(0, crlf.size() - 1);
  EXPECT_EQ(read_all(all_contigs(folder.put("return.vcf", return_end))).rows, rows);
}

TEST(Vcf, MalformedRecordsAreRefusedWithTheirLine) {
  const std::string good = record(1, "A", "C", "0/0 0/1 1/1");
  const auto with = [&](const std::string& line) { return header(three) + good + line; };
  const std::pair<std::string, const char*> cases[] = {
      {with(record(2, "A", "C", "0/0 0/1")),
       ":9: expected 12 columns, 9 and one for each of 3 samples, got 11"},
      {with(record(2, "A", "C", "0/0 0/1 1/1 0/0")),
       ":9: expected 12 columns, 9 and one for each of 3 samples, got 13"},
      {with(record(2, "A", "C,G", "0/0 0/1")),
       ":9: expected 12 columns, 9 and one for each of 3 samples, got 11"},
      {with(record(2, "A", "C", "0/0:1 0/1:2", "GT:DP")),
       ":9: expected 12 columns, 9 and one for each of 3 samples, got 11"},
      {with(record(2, "A", "C", "1:0/0 2:0/1", "DP:GT")),
       ":9: expected 12 columns, 9 and one for each of 3 samples, got 11"},
      {with("1\t2\tgarbage\n"), ":9: expected 12 columns, 9 and one for each of 3 samples, got 3"},
      {with("garbage\n"), ":9: expected 12 columns, 9 and one for each of 3 samples, got 1"},
      {with(std::string("\n").append(record(2, "A", "C", "0/0 0/1 1/2"))),
       ":10: sample c: '1/2' names an allele"},
      {with(record(2, "A", "C", "0/0 2 0")), ":9: sample b: '2' names an allele"},
      {with(record(2, "A", "C", "0/0 0/10:3 0", "GT:DP")), ":9: sample b: '0/10' names an allele"},
      {with(record(2, "A", "C", "0/0 0/ 0")), ":9: sample b: '0/' is no genotype"},
      {with(record(2, "A", "C", "0/0 0-1 0/1")), ":9: sample b: '0-1' is no genotype"},
      {with(record(2, "A", "C", "0/0 A/C 0/1")), ":9: sample b: 'A/C' is no genotype"},
      {with(record(2, "A", "C", "0/0  0/1")), ":9: sample b: '' is no genotype"},
      {with(record(2, "A", "C", "0/0 0/1 1/1\x01")), ":9: sample c: '1/1\\x01' is no genotype"},
      {with(std::string("1\tx").append(good.substr(3))),
       ":9: POS: expected a whole number from 0 on"},
      {with(good.substr(1)), ":9: CHROM is empty"},
      {with(record(2, "", "C", "0/0 0/1 1/1")), ":9: REF or ALT is empty"},
      {with(record(2, "A", "", "0/0 0/1 1/1")), ":9: REF or ALT is empty"},
  };
  const Folder folder;
  for (const auto& [text, message] : cases) {
    const std::string error = error_of(all_contigs(folder.put("x.vcf", text)));
    EXPECT_NE(error.find(message), std::string::npos) << "wanted " << message << "\ngot " << error;
  }
}

TEST(Vcf, TheFirstOfSeveralFaultsIsNamedForAnyBlockSizeAndThreads) {
  const Folder folder;
  std::string text = header(three);
  for (int i = 1; i <= 3000; ++i) text += record(i, "A", "C", i < 2000 ? "0/0 1 0" : "0/0 1 x");
  text += "garbage\n";
  const VcfParams params = all_contigs(folder.put("x.vcf", text));
  for (const int threads : {1, 2, 7}) {
    for (const std::int64_t capacity : {1, 100, 5000}) {
      try {
        read_all(params, threads, capacity);
        FAIL() << "not refused";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("x.vcf:2007: sample c"), std::string::npos);
      }
    }
  }
}

TEST(Vcf, FilesWithoutGenotypesAreRefused) {
  const Folder folder;
  const std::string head = header(three);
  const std::string sites_only = head.substr(0, head.find("\tFORMAT")) + "\n";
  const std::pair<std::string, const char*> cases[] = {
      {"", "not VCF or BCF"},
      {"hello\n", "not VCF or BCF"},
      {sites_only, "x.vcf:7: no samples"},
      {header({}), "x.vcf:7: no samples"},
      {header({"a", "b", "a"}), "x.vcf:7: sample identifier 'a' appears twice (samples 1 and 3)"},
      {header({"a", ""}), "x.vcf:7: sample 2 has no identifier"},
      {"##fileformat=VCFv4.2\n", "cut short"},
      {"##fileformat=VCFv4.2\n1\t2\t.\tA\tC\n", "x.vcf:2: the header's last line"},
      {head + record(1, "A", "C", "1 2 3", "DP") + record(2, "A", "<DEL>", "1 2 3", "DP"),
       "no GT in FORMAT of any of 2 records"},
  };
  for (const auto& [text, message] : cases) {
    const std::string error = error_of(all_contigs(folder.put("x.vcf", text)));
    EXPECT_NE(error.find(message), std::string::npos) << "wanted " << message << "\ngot " << error;
  }
  EXPECT_NE(error_of(all_contigs(folder / "none.vcf")).find("No such file"), std::string::npos);
}

TEST(Vcf, HeaderOnlyIsASourceOfNoSites) {
  const Folder folder;
  const Sites sites = read_all(all_contigs(folder.put("x.vcf", header(three))));
  EXPECT_TRUE(sites.rows.empty());
  EXPECT_EQ(sites.account.read, 0);
}

TEST(Vcf, RewindDeliversTheSameAgain) {
  const Folder folder;
  std::string text = header(three);
  for (int i = 1; i <= 100; ++i) {
    text += record(i, "A", i % 3 == 0 ? "C,G" : "C", i % 2 == 0 ? "0/1 1 ." : "0/0 1/1 0/1");
  }
  const std::string path = folder.put("x.vcf", text);
  for (const std::string& file : {path, compress(text, folder / "x.vcf.gz")}) {
    Context context({.device = "cpu", .threads = 2});
    const auto source = open_vcf(context, all_contigs(file));
    genotype::SiteBlock block(3, 5);
    EXPECT_TRUE(source->read(block));
    source->rewind();
    const Sites first = drain(*source);
    EXPECT_FALSE(source->read(block));
    source->rewind();
    const Sites second = drain(*source);
    EXPECT_EQ(first.rows.size(), 67u);
    EXPECT_EQ(first.rows, second.rows);
    EXPECT_EQ(first.account.read, second.account.read);
    EXPECT_EQ(first.account.skipped, second.account.skipped);
  }
}

TEST(Vcf, BlocksOfOtherSamplesAreAUsageError) {
  const Folder folder;
  Context context({.device = "cpu", .threads = 1});
  const auto source = open_vcf(context, all_contigs(folder.put("x.vcf", header(three))));
  genotype::SiteBlock block(4, 5);
  EXPECT_THROW(source->read(block), Error);
}

TEST(Vcf, CancelStopsReading) {
  const Folder folder;
  Context context({.device = "cpu", .threads = 2});
  const std::string text = header(three) + record(1, "A", "C", "0/0 0/0 0/0");
  const auto source = open_vcf(context, all_contigs(folder.put("x.vcf", text)));
  context.cancel();
  genotype::SiteBlock block(3, 5);
  test::refusal([&] { source->read(block); }, ErrorCode::interrupted);
}

TEST(Vcf, LinesLongerThanABatchAreRead) {
  const Folder folder;
  std::string text = header(three);
  std::string calls = "0/1:";
  calls += std::string(3 << 20, 'x') + " 1/1:1 0/0";
  text += record(1, "A", "C", "0/0 0/0 0/0") + record(2, "A", "C", calls, "GT:DP") +
          record(3, "A", "C", "1 1 1");
  EXPECT_EQ(read_all(all_contigs(folder.put("x.vcf", text))).rows, (Rows{"333", "203", "000"}));
}

}  // namespace
}  // namespace yupana::io
