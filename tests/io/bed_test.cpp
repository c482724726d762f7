#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <filesystem>

#include "tests/support/site_blocks.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"
#include "yupana/io/genotype_sources.hpp"

namespace yupana::io {
namespace {

using genotype::ChromosomeFilter;
using genotype::Source;
using test::refusal;

constexpr const char* shared_data = YUPANA_SHARED_DATA "/genotypes/";

std::string fam_of(int samples) {
  std::string text;
  for (int i = 0; i < samples; ++i) text += fmt::format("F{} S{} 0 0 1 -9\n", i / 2, i);
  return text;
}

std::string bim_of(const std::vector<std::string>& chromosomes) {
  std::string text;
  for (std::size_t k = 0; k < chromosomes.size(); ++k) {
    text += fmt::format("{}\trs{}\t0\t{}\tA\tG\n", chromosomes[k], k, k + 1);
  }
  return text;
}

/// Five samples, six sites on chromosomes 1, 1, X, 2, 2, MT; pad bits set to rubbish.
class BedTest : public testing::Test {
 protected:
  BedFiles files() const { return bed_files(folder_ / "x"); }
  void put(const std::string& bed, const std::string& bim, const std::string& fam) {
    folder_.put("x.bed", bed);
    folder_.put("x.bim", bim);
    folder_.put("x.fam", fam);
  }

  test::Folder folder_;
  const std::string bim_ = bim_of({"1", "1", "X", "2", "2", "MT"});
  const std::string bed_ = std::string("\x6c\x1b\x01", 3) +
                           std::string("\x1b\xfc\xe4\xff\x00\x01\xaa\xfe\x55\x03\xff\xff", 12);
};

std::vector<std::vector<int>> codes_of(Source& source, std::int64_t block_sites) {
  return genotype::read_all(source, block_sites, {0, 1, 2, 3});
}

TEST_F(BedTest, CodesAreThoseOfTheFileAndPadBitsAreIgnored) {
  put(bed_, bim_, fam_of(5));
  for (const int block_sites : {1, 2, 100}) {
    const auto source = open_bed(files(), {ChromosomeFilter::all()});
    EXPECT_EQ(source->sites(), 6);
    const auto codes = codes_of(*source, block_sites);
    ASSERT_EQ(codes.size(), 6u);
    EXPECT_EQ(codes[0], (std::vector<int>{3, 2, 1, 0, 0}));
    EXPECT_EQ(codes[1], (std::vector<int>{0, 1, 2, 3, 3}));
    EXPECT_EQ(codes[3], (std::vector<int>{2, 2, 2, 2, 2}));
    source->rewind();
    EXPECT_EQ(codes_of(*source, 4), codes);
  }
}

TEST_F(BedTest, ChromosomesLeftOutAreCountedByReason) {
  put(bed_, bim_, fam_of(5));
  const auto source = open_bed(files());
  EXPECT_EQ(source->sites(), 4);
  const auto codes = codes_of(*source, 3);
  ASSERT_EQ(codes.size(), 4u);
  EXPECT_EQ(codes[2], (std::vector<int>{2, 2, 2, 2, 2}));
  EXPECT_EQ(source->account().read, 6);
  EXPECT_EQ(source->account().kept, 4);
  EXPECT_EQ(source->account().skipped.at("not autosomal"), 2);
  const auto only = open_bed(files(), {ChromosomeFilter::listed("X,MT")});
  EXPECT_EQ(codes_of(*only, 9).size(), 2u);
}

TEST_F(BedTest, NegativePositionsAreSkippedAndUnknownContigsNotedOnce) {
  put(bed_,
      "1 a 0 5 A G\n1 b 0 -6 A G\n2L c 0 1 A G\n2R d 0 2 A G\n2L e 0 1 A G\n1 f 0 0 A G\n",
      fam_of(5));
  const auto source = open_bed(files());
  EXPECT_EQ(codes_of(*source, 9).size(), 5u);
  EXPECT_EQ(source->account().skipped.at("negative position"), 1);
  ASSERT_EQ(source->account().notes.size(), 2u);
  EXPECT_NE(source->account().notes[0].find("'2L' and 1 more"), std::string::npos);
  EXPECT_NE(source->account().notes[1].find("5 samples of its .fam"), std::string::npos);
}

TEST_F(BedTest, SampleIdsAreIndividualsWhereTheyDiffer) {
  put(bed_,
      bim_,
      "A s1 0 0 1 -9\r\nB s2 0 0 1 -9\r\n\nB s3 0 0 1 -9\nB\ts4 0 0 1 -9 more\nC s5 0 0 1 1");
  EXPECT_EQ(open_bed(files())->samples(), (std::vector<std::string>{"s1", "s2", "s3", "s4", "s5"}));
  const SampleNames names = read_fam(files().fam);
  EXPECT_EQ(names.families, (std::vector<std::string>{"A", "B", "B", "B", "C"}));
  put(bed_, bim_, "A 1 0 0 1 0\nB 1 0 0 1 0\nB 2 0 0 1 0\nB 3 0 0 1 0\nC 1 0 0 1 0\n");
  EXPECT_EQ(open_bed(files())->samples(),
            (std::vector<std::string>{"A_1", "B_1", "B_2", "B_3", "C_1"}));
}

TEST_F(BedTest, ARepeatedSampleIsRefusedWithBothLines) {
  put(bed_, bim_, "A 1 0 0 1 0\nB 1 0 0 1 0\nB 2 0 0 1 0\nB 1 0 0 1 0\nC 1 0 0 1 0\n");
  test::expect_refusal([&] { open_bed(files()); }, "x.fam:4: sample 'B_1' appears in line 2");
}

TEST_F(BedTest, GzippedBimAndFamAreRead) {
  put(bed_, bim_, fam_of(5));
  for (const auto& [name, text] :
       {std::pair{"x.bim", bim_}, std::pair<const char*, std::string>{"x.fam", fam_of(5)}}) {
    std::filesystem::remove(folder_ / name);
    gzFile gz = gzopen((folder_ / (std::string(name) + ".gz")).c_str(), "wb");
    gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
    gzclose(gz);
  }
  EXPECT_TRUE(files().bim.ends_with(".bim.gz"));
  const std::string whole = test::bytes_of(folder_ / "x.bim.gz");
  EXPECT_EQ(codes_of(*open_bed(files()), 9).size(), 4u);
  folder_.put("x.bim.gz", whole.substr(0, whole.size() - 5));
  test::expect_refusal([&] { open_bed(files()); }, "damaged gzip");
}

TEST_F(BedTest, EveryFaultSaysWhatIsWrong) {
  const auto says = [&](const std::string& part) {
    test::expect_refusal([&] { open_bed(files()); }, part);
  };
  const std::string fam = fam_of(5);
  put(std::string("\x6c\x1b\x00", 3) + bed_.substr(3), bim_, fam);
  says("sample-major (mode 00); convert it");
  put("#CHROM" + bed_, bim_, fam);
  says("no PLINK 1 .bed file: expected bytes 6c 1b 01");
  put("\x1f\x8b\x08" + bed_, bim_, fam);
  says("decompress it");
  put(bed_.substr(0, 2), bim_, fam);
  says("begins with 3 bytes, 2 found");
  put(bed_, bim_ + "3 r 0 7 A G\n", fam);
  says("expected 17 bytes for 7 sites");
  says("got 15: it is cut short or of another data set; with 5 samples it has 6 sites");
  put(bed_, bim_, fam_of(9));
  says("expected 21 bytes for 6 sites");
  says("with 6 sites it has 5 to 8 samples: is the .fam");
  put(bed_.substr(0, 14), bim_, fam);
  says("expected 15 bytes");
  says("it is cut short");
  put(bed_, "1 a 0 5 A G\n1 b 0 5 A\n", fam);
  says("x.bim:2: expected 6 columns (chromosome, name, centimorgans, position, A1, A2), got 5");
  put(bed_, "1 a 0 5 A G\n1 b 0 5x A G\n", fam);
  says("x.bim:2: column 4: expected a position, got '5x'");
  put(bed_, bim_, "A 1 0 0 1\n");
  says("x.fam:1: expected 6 columns");
  put(bed_, bim_, "\n \n");
  says("x.fam: holds no samples");
  std::filesystem::remove(folder_ / "x.fam");
  says("x.fam: cannot be opened: No such file");
}

TEST_F(BedTest, AFileCutAnywhereIsRefused) {
  const std::string fam = fam_of(5);
  for (std::size_t size = 0; size < bed_.size(); ++size) {
    put(bed_.substr(0, size), bim_, fam);
    refusal([&] { open_bed(files()); });
  }
  // Text cut inside the last column, or just before the last line end, is whole all the same.
  for (std::size_t size = 0; size + 3 < fam.size(); ++size) {
    put(bed_, bim_, fam.substr(0, size));
    refusal([&] { open_bed(files()); });
  }
  for (std::size_t size = 0; size + 2 < bim_.size(); ++size) {
    put(bed_, bim_.substr(0, size), fam);
    refusal([&] { open_bed(files()); });
  }
}

TEST_F(BedTest, RandomDamageIsRefusedOrReadButNeverCrashes) {
  const Random random(1);
  const std::array<std::string, 3> whole{bed_, bim_, fam_of(5)};
  int read = 0;
  for (std::uint64_t i = 0; i < 600; ++i) {
    std::array<std::string, 3> texts = whole;
    std::string& text = texts[random.word(4 * i) % 3];
    text[random.word(4 * i + 1) % text.size()] = static_cast<char>(random.word(4 * i + 2));
    put(texts[0], texts[1], texts[2]);
    try {
      read += codes_of(*open_bed(files()), 4).size() <= 6;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::bad_input) << error.what();
    }
  }
  EXPECT_GT(read, 100);
}

class BedDataTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_data)) GTEST_SKIP() << "no " << shared_data;
  }
  static std::array<std::int64_t, 4> counts(Source& source) {
    std::array<std::int64_t, 4> result{};
    for (const auto& row : codes_of(source, 1000)) {
      for (const int code : row) ++result[code];
    }
    return result;
  }
};

TEST_F(BedDataTest, Hapmap279HasItsPublishedCounts) {
  const auto source = open_bed(bed_files(shared_data + std::string("hapmap279/hapmap279")),
                               {ChromosomeFilter::all()});
  ASSERT_EQ(source->samples().size(), 279u);
  EXPECT_EQ(source->sites(), 9088);
  EXPECT_EQ(counts(*source), (std::array<std::int64_t, 4>{947899, 10138, 657267, 920248}));
  const auto autosomes = open_bed(bed_files(shared_data + std::string("hapmap279/hapmap279.bed")));
  EXPECT_EQ(autosomes->account().skipped.at("not autosomal"), 365);
}

TEST_F(BedDataTest, TrickyFilesAreReadOrRefused) {
  const std::string folder = shared_data + std::string("tricky_bed/");
  const auto missing = open_bed(bed_files(folder + "some_missing"), {ChromosomeFilter::all()});
  EXPECT_EQ(missing->samples().size(), 100u);
  EXPECT_EQ(missing->sites(), 100);
  EXPECT_GT(counts(*missing)[genotype::missing_call], 0);
  EXPECT_NE(
      refusal([&] { open_bed(bed_files(folder + "small_too_short")); }).find("expected 7 bytes"),
      std::string::npos);
  EXPECT_NE(refusal([&] { open_bed(bed_files(folder + "smallmode0")); }).find("sample-major"),
            std::string::npos);
  EXPECT_NE(
      refusal([&] {
        open_bed(
            {folder + "badfile.bed", folder + "some_missing.bim", folder + "some_missing.fam"});
      }).find("no PLINK 1 .bed file"),
      std::string::npos);
}

}  // namespace
}  // namespace yupana::io
