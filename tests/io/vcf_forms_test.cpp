// The same data in every form a file can have, files that are damaged, regions, and real files
// against bcftools.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/vcf_files.hpp"
#include "yupana/core/random.hpp"

namespace yupana::io {
namespace {

using namespace testing;  // NOLINT: files for tests

/// A cohort with everything a reader meets: kinds of sites, ploidies, phases, missing calls.
std::string random_cohort(std::int64_t samples, std::int64_t sites) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < samples; ++i) names.push_back(std::string("s") + std::to_string(i));
  std::string text = header(names);
  const char* calls[] = {"0|0", "0/1", "1|0", "1/1", "0/0", "0|1", "./.", "1", "0", ".", "./1"};
  const char* alts[] = {"C", "C", "C", "C", "G", "C,G", "AT", "<DEL>", "."};
  RandomSequence random(5);
  for (std::int64_t site = 0; site < sites; ++site) {
    const int kinds = site % 3 == 0 ? 11 : 7;
    const bool depth = site % 4 == 1;
    std::string line;
    for (std::int64_t i = 0; i < samples; ++i) {
      if (i > 0) line += ' ';
      line += calls[random.word() % kinds];
      if (depth) line.append(":").append(std::to_string(random.word() % 60));
    }
    const char* contig = site < sites / 2 ? "1" : site < sites * 3 / 4 ? "2" : "X";
    text +=
        record(10 * site + 5, "A", alts[random.word() % 9], line, depth ? "GT:DP" : "GT", contig);
  }
  return text;
}

void expect_equal(const Sites& a, const Sites& b, const std::string& what) {
  EXPECT_EQ(a.rows, b.rows) << what;
  EXPECT_EQ(a.account.read, b.account.read) << what;
  EXPECT_EQ(a.account.kept, b.account.kept) << what;
  EXPECT_EQ(a.account.skipped, b.account.skipped) << what;
}

TEST(VcfForms, TextGzipBgzipAndBcfAreTheSameForAnyThreadsAndBlocks) {
  const Folder folder;
  for (const std::int64_t samples : {1, 33, 200}) {
    const std::string text = random_cohort(samples, 700);
    const std::string vcf = folder.put("x.vcf", text);
    const Sites wanted = read_all(all_contigs(vcf), 1, 1000);
    EXPECT_GT(wanted.account.kept, 300);
    EXPECT_EQ(wanted.account.read, 700);
    for (const std::string& path : {vcf,
                                    compress(text, folder / "bgzip.vcf.gz"),
                                    compress(text, folder / "gzip.vcf.gz", "wg"),
                                    convert(vcf, folder / "x.vcf.gz", "wz"),
                                    convert(vcf, folder / "x.bcf", "wb"),
                                    convert(vcf, folder / "u.bcf", "wbu")}) {
      for (const int threads : {1, 2, 7}) {
        for (const std::int64_t capacity : {1, 64, 997}) {
          expect_equal(read_all(all_contigs(path), threads, capacity), wanted, path);
        }
      }
      Context context({.device = "reference", .threads = 1});
      expect_equal(drain(*open_vcf(context, all_contigs(path))), wanted, path);
    }
  }
}

TEST(VcfForms, ManyBatchesOfTextAndBcfAreTheSame) {
  const Folder folder;
  const std::string text = random_cohort(700, 3000);  // 9 MB: many batches for any thread count
  const std::string vcf = folder.put("x.vcf", text);
  const std::string bcf = convert(vcf, folder / "x.bcf", "wb");
  const Sites wanted = read_all(all_contigs(vcf), 1, 5000);
  for (const int threads : {1, 2, 7}) {
    expect_equal(read_all(all_contigs(vcf), threads, 130), wanted, "VCF");
    expect_equal(read_all(all_contigs(bcf), threads, 130), wanted, "BCF");
  }
}

TEST(VcfForms, FilesCutAtAnyByteNeverCrashAndCompressedOnesAreRefused) {
  const Folder folder;
  const std::string text = random_cohort(3, 8);
  const std::string vcf = folder.put("x.vcf", text);
  Context context({.device = "cpu", .threads = 1});
  const std::pair<std::string, bool> files[] = {
      {vcf, false},
      {compress(text, folder / "bgzip.vcf.gz"), true},
      {compress(text, folder / "gzip.vcf.gz", "wg"), true},
      {convert(vcf, folder / "x.bcf", "wb"), true},
      {convert(vcf, folder / "u.bcf", "wbu"), false}};
  for (const auto& [path, always_refused] : files) {
    const std::string bytes = bytes_of(path);
    const Sites whole = read_all(all_contigs(path));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::string cut = folder.put("cut", std::string_view(bytes).substr(0, size));
      try {
        const Sites sites = drain(*open_vcf(context, all_contigs(cut)));
        // Cut between two records nothing can tell; the sites before the cut must be right. Cut
        // inside the last call ("0/1" to "0") its last sample is another.
        ASSERT_LE(sites.rows.size(), whole.rows.size());
        for (std::size_t i = 0; i + 1 < sites.rows.size(); ++i) {
          EXPECT_EQ(sites.rows[i], whole.rows[i]);
        }
        EXPECT_FALSE(always_refused) << path << " cut to " << size << " of " << bytes.size();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
      }
    }
  }
}

TEST(VcfForms, AMissingEndBlockIsCutShort) {
  const Folder folder;
  const std::string path = compress(random_cohort(3, 12), folder / "x.vcf.gz");
  const std::string bytes = bytes_of(path);
  folder.put("x.vcf.gz", std::string_view(bytes).substr(0, bytes.size() - 28));
  EXPECT_NE(error_of(all_contigs(path)).find("cut short"), std::string::npos);
}

// The thread pool of htslib 1.16 leaks 32 bytes a block of a damaged file, which the address
// sanitizer would report.
#ifdef __SANITIZE_ADDRESS__
constexpr int damage_threads = 1;
#else
constexpr int damage_threads = 2;
#endif

TEST(VcfForms, RandomDamageNeverCrashes) {
  const Folder folder;
  const std::string text = random_cohort(20, 30);
  const std::string vcf = folder.put("x.vcf", text);
  RandomSequence random(9);
  for (const std::string& path : {vcf,
                                  compress(text, folder / "x.vcf.gz"),
                                  convert(vcf, folder / "x.bcf", "wb"),
                                  convert(vcf, folder / "u.bcf", "wbu")}) {
    const std::string bytes = bytes_of(path);
    for (int i = 0; i < 300; ++i) {
      std::string damaged = bytes;
      for (int k = 0; k < 1 + i % 3; ++k) {
        damaged[random.word() % bytes.size()] = static_cast<char>(random.word());
      }
      try {
        read_all(all_contigs(folder.put("damaged", damaged)), damage_threads);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_input) << error.what();
      }
    }
  }
}

TEST(VcfForms, FaultsOfBcfNameTheRecord) {
  const Folder folder;
  const std::string vcf = folder.put(
      "x.vcf",
      header({"a", "b"}) + record(7, "A", "C", "0/0 0/1") + record(9, "A", "C", "0/1 0/2"));
  const std::string error = error_of(all_contigs(convert(vcf, folder / "x.bcf", "wb")));
  EXPECT_NE(error.find("x.bcf: 1:9: record 2: sample b: '0/2' names an allele"), std::string::npos)
      << error;
}

TEST(VcfForms, BcfWithoutGtOrSamplesIsRefused) {
  const Folder folder;
  const std::string vcf = folder.put(
      "x.vcf", header({"a"}) + record(7, "A", "C", "3", "DP") + record(9, "A", "C", "4", "DP"));
  const std::string bcf = convert(vcf, folder / "x.bcf", "wb");
  EXPECT_NE(error_of(all_contigs(bcf)).find("no GT in FORMAT of any of 2 records"),
            std::string::npos);
  const std::string head = header({"a"});
  const std::string sites_only = folder.put("s.vcf", head.substr(0, head.find("\tFORMAT")) + "\n");
  EXPECT_NE(error_of(all_contigs(convert(sites_only, folder / "s.bcf", "wb"))).find("no samples"),
            std::string::npos);
}

/// Positions and contigs of random_cohort are known: site k stands at 10 k + 5.
TEST(VcfForms, RegionsDeliverTheirSitesFromTextAndBcf) {
  const Folder folder;
  const std::string vcf = folder.put("x.vcf", random_cohort(9, 400));
  const std::string gz = convert(vcf, folder / "x.vcf.gz", "wz");
  const std::string bcf = convert(vcf, folder / "x.bcf", "wb");
  ASSERT_EQ(tbx_index_build(gz.c_str(), 0, &tbx_conf_vcf), 0);
  ASSERT_EQ(bcf_index_build(bcf.c_str(), 14), 0);
  const std::pair<const char*, std::int64_t> regions[] = {{"1", 200},
                                                          {"2", 100},
                                                          {"X:1-10000", 100},
                                                          {"1:105-205", 11},
                                                          {"1:106-204", 9},
                                                          {"1:1,005", 1},
                                                          {"1:1,006", 0},
                                                          {"2:3,000-", 0},
                                                          {"1:1900-", 10}};
  for (const std::string& path : {gz, bcf}) {
    for (const auto& [region, sites] : regions) {
      VcfParams params = all_contigs(path);
      params.region = genotype::parse_region(region);
      const Sites one = read_all(params, 1);
      EXPECT_EQ(one.account.read, sites) << path << " " << region;
      expect_equal(one, read_all(params, 7, 3), path + region);
      Context context({.device = "cpu", .threads = 2});
      const auto source = open_vcf(context, params);
      drain(*source);
      source->rewind();
      expect_equal(one, drain(*source), path + region);
    }
    for (const char* region : {"3", "chrY"}) {
      VcfParams params = all_contigs(path);
      params.region = genotype::parse_region(region);
      EXPECT_NE(error_of(params).find("no contig"), std::string::npos) << path << " " << region;
    }
  }
  VcfParams whole = all_contigs(gz), part = all_contigs(gz);
  part.region = genotype::parse_region("1:1-2000");
  const Sites first = read_all(part), all = read_all(whole);
  EXPECT_TRUE(std::equal(first.rows.begin(), first.rows.end(), all.rows.begin()));
}

/// Without an index the whole file is read, and the same sites come out.
TEST(VcfForms, RegionsNeedNoIndex) {
  const Folder folder;
  const std::string vcf = folder.put("x.vcf", random_cohort(3, 400));
  const std::string gz = convert(vcf, folder / "x.vcf.gz", "wz");
  ASSERT_EQ(tbx_index_build(gz.c_str(), 0, &tbx_conf_vcf), 0);
  VcfParams params = all_contigs(gz);
  params.region = genotype::parse_region("chr1:105-1,205");
  const Sites wanted = read_all(params);
  EXPECT_GT(wanted.account.kept, 80);
  EXPECT_LT(wanted.account.kept, 111);  // the others have several ALT alleles
  for (const std::string& path : {vcf, convert(vcf, folder / "y", "wb")}) {
    params.path = path;
    const Sites got = read_all(params);
    EXPECT_EQ(got.rows, wanted.rows);
    ASSERT_EQ(got.account.notes.size(), 2u);  // the other: several ALT alleles
    EXPECT_NE(got.account.notes[0].find("bcftools index"), std::string::npos);
  }
}

TEST(VcfForms, ARegionOfADeclaredContigWithoutRecordsIsEmpty) {
  const Folder folder;
  const std::string text = header({"a"}) + record(1, "A", "C", "0/1");
  VcfParams params = all_contigs(compress(text, folder / "x.vcf.gz"));
  ASSERT_EQ(tbx_index_build(params.path.c_str(), 0, &tbx_conf_vcf), 0);
  params.region = genotype::parse_region("2:1-100");
  EXPECT_EQ(read_all(params).account.read, 0);
}

/// Standard output of a command.
std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(("(" + command + ") 2>/dev/null").c_str(), "r");
  std::string text;
  char buffer[4096];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, got);
  return pclose(pipe) == 0 ? text : std::string();
}

/// bcftools' genotypes of the sites with at most one ALT, as rows of codes.
std::vector<std::string> bcftools_rows(const std::string& path) {
  std::istringstream lines(
      output_of("bcftools view -M2 '" + path + "' | bcftools query -f '[%GT ]\\n'"));
  std::vector<std::string> rows;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream calls(line);
    std::string row;
    for (std::string call; calls >> call;) {
      const auto ones = std::count(call.begin(), call.end(), '1');
      const bool missing = call.find('.') != std::string::npos;
      const bool haploid = call.size() == 1;
      row += missing ? '1' : ones == 0 ? '3' : ones == 2 || haploid ? '0' : '2';
    }
    rows.push_back(row);
  }
  return rows;
}

class RealVcf : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data_)) GTEST_SKIP() << "no " << data_ << " here";
    if (output_of("command -v bcftools").empty()) GTEST_SKIP() << "bcftools is not installed";
  }
  const std::filesystem::path data_ = std::filesystem::path(YUPANA_SHARED_DATA) / "genotypes";
};

TEST_F(RealVcf, TrickyFilesReadAsBcftoolsReadsThem) {
  // hail_33alleles has no samples, allel_test48b more columns than samples (bcftools ignores them),
  // htslib_vcf44_1 a triploid call (and bcftools 1.16 cannot read it).
  const std::map<std::string, const char*> refused = {
      {"hail_duplicate_ids.vcf", "sample identifier '5' appears twice"},
      {"hail_malformed.vcf",
       ":54: expected 109 columns, 9 and one for each of 100 samples, got 164"},
      {"hail_33alleles.vcf", "no samples"},
      {"allel_test48b.vcf", "expected 11 columns, 9 and one for each of 2 samples, got 12"},
      {"htslib_vcf44_1.vcf", "'0|0|1' has more than two alleles"}};
  std::int64_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(data_ / "tricky_vcf")) {
    const std::string path = entry.path().string();
    const auto fault = refused.find(entry.path().filename().string());
    if (fault != refused.end()) {
      EXPECT_NE(error_of(all_contigs(path)).find(fault->second), std::string::npos) << path;
      continue;
    }
    EXPECT_EQ(read_all(all_contigs(path)).rows, bcftools_rows(path)) << path;
    ++read;
  }
  EXPECT_EQ(read, 14);
}

TEST_F(RealVcf, Vcf44PhaseMarksAreReadOncePolyploidCallsMayBeMissing) {
  VcfParams params = all_contigs((data_ / "tricky_vcf/htslib_vcf44_1.vcf").string());
  params.polyploid = Polyploid::missing;
  params.half_call = HalfCall::haploid;
  const Sites sites = read_all(params);
  ASSERT_EQ(sites.rows.size(), 28u);
  EXPECT_EQ(sites.rows[0], "12");   // 0|0|1  0/1
  EXPECT_EQ(sites.rows[1], "32");   // 0      /0|1
  EXPECT_EQ(sites.rows[3], "30");   // /0     /1
  EXPECT_EQ(sites.rows[18], "11");  // /.     |.
  EXPECT_EQ(sites.rows[20], "00");  // /./1   |.|1
}

TEST_F(RealVcf, ThousandGenomesStartOfChromosome21) {
  const std::string path = (data_ / "kg_chr21/1kg_phase3_chr21_start.vcf.gz").string();
  const Sites sites = read_all(all_contigs(path), 2, 256);
  EXPECT_EQ(sites.account.read, 600);
  EXPECT_EQ(sites.account.kept, 600);
  EXPECT_EQ(sites.rows, bcftools_rows(path));
}

}  // namespace
}  // namespace yupana::io
