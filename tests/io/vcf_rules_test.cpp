// Which records a VCF or BCF gives, and how sites of several ALT alleles are taken: text, BCF and
// the reference path agree.
#include <gtest/gtest.h>

#include "tests/support/vcf_files.hpp"
#include "yupana/core/random.hpp"

namespace yupana::io {
namespace {

using namespace testing;  // NOLINT: files for tests
using Rows = std::vector<std::string>;

const std::vector<std::string> four = {"a", "b", "c", "d"};

std::string with_filters() {
  std::string text = header(four);
  const std::string filters =
      "##FILTER=<ID=q10,Description=\"low\">\n##FILTER=<ID=s50,Description=\"few\">\n";
  return text.insert(text.find("##contig"), filters);
}

/// A record with QUAL and FILTER.
std::string judged(std::int64_t position,
                   const char* ref,
                   const char* alt,
                   const char* qual,
                   const char* filter,
                   const char* calls = "0/0 0/1 1/1 ./.") {
  std::string line = record(position, ref, alt, calls);
  const std::string was = ".\tPASS\t.\tGT";
  return line.replace(line.find(was), was.size(), std::string(qual) + "\t" + filter + "\t.\tGT");
}

/// The same sites from text, bgzipped text and BCF, by the fast and by the reference path.
Sites everywhere(const Folder& folder, const std::string& text, VcfParams params) {
  const std::string vcf = folder.put("x.vcf", text);
  params.path = vcf;
  const Sites wanted = read_all(params);
  for (const std::string& path :
       {vcf, convert(vcf, folder / "x.vcf.gz", "wz"), convert(vcf, folder / "x.bcf", "wb")}) {
    for (const char* device : {"cpu", "reference"}) {
      for (const std::int64_t capacity : {1, 3, 1000}) {
        params.path = path;
        Context context({.device = device, .threads = 2});
        const Sites got = drain(*open_vcf(context, params), capacity);
        EXPECT_EQ(got.rows, wanted.rows) << path << " " << device << " " << capacity;
        EXPECT_EQ(got.account.skipped, wanted.account.skipped) << path;
        EXPECT_EQ(got.account.read, wanted.account.read) << path;
      }
    }
  }
  return wanted;
}

TEST(VcfRules, FilterAndQualMeanWhatPlink2Means) {
  const Folder folder;
  const std::string text = with_filters() + judged(1, "A", "C", "50", "PASS") +
                           judged(2, "A", ".", ".", ".") + judged(3, "AC", "A", "10", "q10") +
                           judged(4, "AC", "GT", "10.5", "q10;s50") +
                           judged(5, "A", "<DEL>", "0.7", ".") + judged(6, "A", "G", "9.99", "s50");
  const auto kept = [&](const VcfParams& params) {
    return everywhere(folder, text, params).account.kept;
  };
  const VcfParams all = all_contigs("");
  EXPECT_EQ(kept(all), 6);
  VcfParams params = all;
  params.var_filter.emplace();
  EXPECT_EQ(kept(params), 3);
  params.var_filter = std::vector<std::string>{"q10"};
  EXPECT_EQ(kept(params), 4);
  params = all;
  params.min_qual = 10.0f;
  EXPECT_EQ(kept(params), 3);
  params.min_qual = 0.7f;
  EXPECT_EQ(kept(params), 5);
  params = all;
  params.snps_only = SnpsOnly::any;
  EXPECT_EQ(kept(params), 3);
  params.snps_only = SnpsOnly::just_acgt;
  EXPECT_EQ(kept(params), 3);
}

TEST(VcfRules, AQualThatIsNoNumberIsRefusedWhereItIsCompared) {
  const Folder folder;
  VcfParams params = all_contigs(folder.put("x.vcf", header(four) + judged(1, "A", "C", "x", ".")));
  EXPECT_EQ(read_all(params).account.kept, 1);
  params.min_qual = 1.0f;
  EXPECT_NE(error_of(params).find("QUAL: expected a number"), std::string::npos);
}

TEST(VcfRules, SeveralAltAllelesAreSplitOrCollapsed) {
  const Folder folder;
  const std::string text = header(four) + record(1, "A", "C,G", "0/1 1/2 0|2 2/2") +
                           record(2, "A", "T", "0/0 0/1 1/1 ./.") +
                           record(3, "A", "C,G,T", "3/3 1/. 2 ./.");
  VcfParams params = all_contigs("");
  EXPECT_EQ(everywhere(folder, text, params).rows, Rows{"3201"});
  params.multiallelic = Multiallelic::collapse;
  EXPECT_EQ(everywhere(folder, text, params).rows, (Rows{"2020", "3201", "0101"}));
  params.multiallelic = Multiallelic::split;
  EXPECT_EQ(everywhere(folder, text, params).rows,
            (Rows{"2233", "3220", "3201", "3131", "3101", "0131"}));
  params.path = folder.put("y.vcf", header(four) + record(1, "A", "C,G", "0/1 1/3 0|2 2/2"));
  EXPECT_NE(error_of(params).find("'1/3' names an allele that the site does not have: it has REF "
                                  "(0) and ALT (1 to 2)"),
            std::string::npos);
}

TEST(VcfRules, RandomCallsAreTheSameOnEveryPathAndRule) {
  const Folder folder;
  RandomSequence random(11);
  const char* calls[] = {"0/0", "0|1", "1/1", "0/2", "1|2", "2/2", "./.", "1", "2", ".", "./1"};
  const char* alts[] = {"C", "C,G", "CT", "<DEL>", ".", "C,<NON_REF>"};
  std::vector<std::string> samples;
  for (int i = 0; i < 77; ++i) samples.push_back("s" + std::to_string(i));
  std::string text = header(samples);
  for (int site = 0; site < 300; ++site) {
    const int kind = static_cast<int>(random.word() % 6);
    const bool several = kind == 1 || kind == 5;
    std::string line;
    for (int i = 0; i < 77; ++i) {
      const char* call = calls[random.word() % 11];
      while (!several && std::string_view(call).find('2') != std::string_view::npos) {
        call = calls[random.word() % 11];
      }
      line += (i > 0 ? " " : "") + std::string(site % 3 == 0 && i < 40 ? "0|0" : call);
    }
    text += record(site + 1, site % 5 == 0 ? "AT" : "A", alts[kind], line);
  }
  for (const Multiallelic rule :
       {Multiallelic::skip, Multiallelic::split, Multiallelic::collapse}) {
    for (const SnpsOnly snps : {SnpsOnly::off, SnpsOnly::any, SnpsOnly::just_acgt}) {
      VcfParams params = all_contigs("");
      params.multiallelic = rule;
      params.snps_only = snps;
      EXPECT_GT(everywhere(folder, text, params).account.kept, 20);
    }
  }
}

TEST(VcfRules, AHeaderWithoutFileformatIsTakenWithANote) {
  const Folder folder;
  const std::string whole = header(four) + record(1, "A", "C", "0/0 0/1 1/1 ./.");
  const std::string cut = whole.substr(whole.find('\n') + 1);
  const std::string bare = whole.substr(whole.find("#CHROM"));
  for (const std::string& path : {folder.put("cut.vcf", cut),
                                  folder.put("bare.vcf", bare),
                                  compress(bare, folder / "bare.vcf.gz")}) {
    const Sites sites = read_all(all_contigs(path));
    EXPECT_EQ(sites.rows, Rows{"3201"}) << path;
    ASSERT_EQ(sites.account.notes.size(), 1u) << path;
    EXPECT_NE(sites.account.notes[0].find("no ##fileformat"), std::string::npos);
  }
  EXPECT_NE(error_of(all_contigs(folder.put("no.vcf", "text\n"))).find("not VCF or BCF"),
            std::string::npos);
  const std::string null = whole.substr(0, 30) + '\0' + whole.substr(31);
  EXPECT_NE(error_of(all_contigs(folder.put("null.vcf", null))), "");
}

TEST(VcfRules, RegionsTakeEitherSpellingAndThePositionAlone) {
  const Folder folder;
  const std::string text = header(four) + record(5, "ACGT", "A", "0/0 0/1 1/1 ./.") +
                           record(7, "A", "C", "0/0 0/1 1/1 0/0") +
                           record(7, "A", "C", "1/1 0/1 1/1 0/0", "GT", "X");
  const std::string vcf = folder.put("x.vcf", text);
  const std::string gz = convert(vcf, folder / "x.vcf.gz", "wz");
  ASSERT_EQ(tbx_index_build(gz.c_str(), 0, &tbx_conf_vcf), 0);
  for (const std::string& path : {vcf, gz}) {
    for (const char* region : {"1:6-9", "chr1:7", "Chr1:6-"}) {
      VcfParams params = all_contigs(path);
      params.region = genotype::parse_region(region);
      EXPECT_EQ(read_all(params).rows, Rows{"3203"}) << path << region;
    }
    VcfParams params = all_contigs(path);
    params.region = genotype::parse_region("23");
    EXPECT_EQ(read_all(params).rows, Rows{"0203"}) << path;
  }
}

}  // namespace
}  // namespace yupana::io
