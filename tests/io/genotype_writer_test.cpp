#include "yupana/io/genotype_writer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/site_blocks.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {
namespace {

using genotype::SiteBlock;

class GenotypeWriterTest : public testing::Test {
 protected:
  void bed() { bed(SampleTable::of_ids(source_.samples())); }
  void bed(const SampleTable& table) {
    OutputFiles outputs;
    write_bed(context_, source_, folder_ / "x", table, outputs);
    outputs.commit();
  }
  std::string vcf(const std::string& name, int threads) {
    Context context({.device = "cpu", .threads = threads});
    OutputFiles outputs;
    source_.rewind();
    write_vcf(context, source_, folder_ / name, outputs);
    outputs.commit();
    return test::bytes_of(folder_ / name);
  }

  test::Folder folder_;
  Context context_;
  genotype::SimulatedSource source_{{.samples = 61, .sites = 5000, .missing = 0.02}};
};

TEST_F(GenotypeWriterTest, BedReadsBackAsTheSameSites) {
  bed();
  const auto back = open_bed(bed_files(folder_ / "x"));
  EXPECT_EQ(back->samples(), source_.samples());
  EXPECT_EQ(back->sites(), 5000);
  source_.rewind();
  SiteBlock wanted(61, 5000);
  SiteBlock got(61, 5000);
  ASSERT_TRUE(source_.read(wanted));
  ASSERT_TRUE(back->read(got));
  ASSERT_EQ(got.sites, 5000);
  EXPECT_EQ(std::memcmp(got.codes.data(), wanted.codes.data(), 5000 * wanted.stride), 0);
  EXPECT_FALSE(back->read(got));
}

TEST_F(GenotypeWriterTest, SitesAreSpreadOverTheAutosomesInOrder) {
  bed();
  LineReader bim(folder_ / "x.bim");
  std::string_view line;
  ASSERT_TRUE(bim.next(line));
  EXPECT_EQ(line, "1\tsnp1\t0\t1\tA\tG");
  std::string last;
  while (bim.next(line)) last = line;
  EXPECT_EQ(last, "22\tsnp5000\t0\t228\tA\tG");
}

TEST_F(GenotypeWriterTest, VcfHasOneLineASiteAndTheSameBytesForAnyThreads) {
  const std::string text = vcf("x.vcf", 1);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 22 + 3 + 5000);
  source_.rewind();
  SiteBlock block(61, 1);
  ASSERT_TRUE(source_.read(block));
  std::string wanted = "\n1\t1\tsnp1\tG\tA\t.\t.\t.\tGT";
  const char* calls[4] = {"1/1", "./.", "0/1", "0/0"};
  for (int i = 0; i < 61; ++i) wanted += fmt::format("\t{}", calls[block.at(0, i)]);
  EXPECT_NE(text.find(wanted + "\n"), std::string::npos);

  const std::string packed = vcf("x.vcf.gz", 1);
  EXPECT_EQ(vcf("x.vcf.gz", 7), packed);
  LineReader reader(folder_ / "x.vcf.gz");
  std::string unpacked;
  for (std::string_view line; reader.next(line);) unpacked.append(line) += '\n';
  EXPECT_EQ(unpacked, text);
  // The empty block that marks a whole BGZF file: 28 bytes, the same in all of them.
  EXPECT_EQ(packed.substr(packed.size() - 28, 18),
            std::string("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0\x1b\0", 18));
}

TEST_F(GenotypeWriterTest, PlinkReadsWhatWasWritten) {
  if (std::system("command -v plink1.9 >/dev/null") != 0) GTEST_SKIP() << "plink1.9 not installed";
  bed();
  vcf("x.vcf.gz", 2);
  const auto plink = [&](const std::string& arguments) {
    return std::system(
        fmt::format("cd {} && plink1.9 {} >log 2>&1", folder_ / "", arguments).c_str());
  };
  ASSERT_EQ(plink("--bfile x --freqx --out a"), 0);
  ASSERT_EQ(plink("--vcf x.vcf.gz --keep-allele-order --double-id --make-bed --out v"), 0);
  EXPECT_EQ(test::bytes_of(folder_ / "v.bed"), test::bytes_of(folder_ / "x.bed"));
}

TEST_F(GenotypeWriterTest, NothingIsWrittenWhereTheRunIsCancelled) {
  context_.cancel();
  test::refusal([&] { bed(); }, ErrorCode::interrupted);
  EXPECT_TRUE(std::filesystem::is_empty(folder_ / ""));
}

TEST_F(GenotypeWriterTest, TheTableMustFitTheSamples) {
  test::refusal([&] { bed(SampleTable::of_ids({"a"})); }, ErrorCode::usage);
}

}  // namespace
}  // namespace yupana::io
