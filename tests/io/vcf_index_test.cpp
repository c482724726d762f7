// Regions read by an index of each kind, against the whole file; indexes that are damaged.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/vcf_files.hpp"
#include "yupana/io/vcf_file.hpp"

namespace yupana::io {
namespace {

using namespace testing;

/// Records of many spans, so that bins of all levels have some.
std::string spanning_records(std::mt19937& random, std::int64_t step) {
  std::string text = header({"a", "b"});
  for (std::size_t at = 0; (at = text.find("=1000000>", at)) != text.npos; at += 9) {
    text.insert(at + 1, "10");
  }
  text.insert(text.find("##FORMAT"), "##INFO=<ID=END,Number=1,Type=Integer,Description=\"End\">\n");
  const std::int64_t spans[] = {0, 0, 0, 20'000, 3'000'000};
  const char* const calls[] = {"0/0\t0/1\n", "0/1\t1/1\n", "1/1\t0/0\n"};
  for (const char* contig : {"1", "X"}) {
    std::int64_t position = 1;
    for (int k = 0; k < 300; ++k) {
      position += random() % step;
      text += std::string(contig) + '\t' + std::to_string(position) + "\t.\t" +
              std::string(k % 7 == 0 ? 50 : 1, 'A') +
              "\tC\t.\t.\tEND=" + std::to_string(position + 60 + spans[random() % 5]) + "\tGT\t" +
              calls[random() % 3];
    }
  }
  return text;
}

TEST(VcfIndex, RegionsHoldWhatTheWholeFileHoldsThere) {
  std::mt19937 random(7);
  for (const std::int64_t step : {3, 400, 60'000}) {
    const Folder folder;
    const std::string text = spanning_records(random, step);
    const std::string vcf = folder.put("x.vcf", text);
    const std::string tabix = compress(text, folder / "t.vcf.gz");
    const std::string csi = compress(text, folder / "c.vcf.gz");
    const std::string narrow = compress(text, folder / "n.vcf.gz");
    const std::string bcf = convert(vcf, folder / "b.bcf", "wb");
    ASSERT_EQ(tbx_index_build(tabix.c_str(), 0, &tbx_conf_vcf), 0);
    ASSERT_EQ(tbx_index_build(csi.c_str(), 14, &tbx_conf_vcf), 0);
    ASSERT_EQ(tbx_index_build(narrow.c_str(), 5, &tbx_conf_vcf), 0);
    ASSERT_EQ(bcf_index_build(bcf.c_str(), 9), 0);
    for (int k = 0; k < 30; ++k) {
      VcfParams params = all_contigs(vcf);
      genotype::Region region{k % 2 == 0 ? "chr1" : "X"};
      region.first = 1 + static_cast<std::int64_t>(random()) % (step * 160);
      region.last = region.first + static_cast<std::int64_t>(random()) % (step * (k % 3) * 20 + 1);
      params.region = region;
      const Sites expected = read_all(params);
      for (const std::string& path : {tabix, csi, narrow, bcf}) {
        params.path = path;
        const Sites got = read_all(params, 1 + k % 2);
        EXPECT_EQ(got.rows, expected.rows) << path << " " << region.first << "-" << region.last;
        EXPECT_EQ(got.account.read, expected.account.kept) << path;
      }
    }
  }
}

TEST(VcfIndex, EveryIndexCutShortIsRefused) {
  const Folder folder;
  const std::string text = header({"a"}) + record(7, "A", "C", "0/1");
  const std::string gz = compress(text, folder / "x.vcf.gz");
  for (const int shift : {0, 14}) {
    ASSERT_EQ(tbx_index_build(gz.c_str(), shift, &tbx_conf_vcf), 0);
    const std::string path = find_index(gz, false);
    std::string whole(1 << 16, '\0');
    BGZF* const packed = bgzf_open(path.c_str(), "r");
    whole.resize(static_cast<std::size_t>(bgzf_read(packed, whole.data(), whole.size())));
    bgzf_close(packed);
    // The last eight bytes count records without a place, and may be missing.
    for (std::size_t size = 0; size + 8 < whole.size(); ++size) {
      folder.put(path.substr(path.rfind('/') + 1), whole.substr(0, size));
      VcfParams params = all_contigs(gz);
      params.region = genotype::parse_region("1:1-9");
      EXPECT_NE(error_of(params).find("make it again"), std::string::npos) << size;
    }
    std::remove(path.c_str());
  }
}

/// The index says that the records begin where those of another contig are.
TEST(VcfIndex, AnotherFilesIndexIsRefused) {
  const Folder folder;
  std::string text = header({"a"});
  for (int k = 1; k < 20'000; ++k) text += record(k, "A", "C", "0/1");
  const std::string first = compress(text, folder / "x.vcf.gz");
  ASSERT_EQ(tbx_index_build(first.c_str(), 0, &tbx_conf_vcf), 0);
  std::string other = header({"a"});
  for (int k = 1; k < 20'000; ++k)
    other += record(k, "A", "C", "0/1", "GT", k < 15'000 ? "2" : "1");
  VcfParams params = all_contigs(compress(other, folder / "x.vcf.gz"));
  params.region = genotype::parse_region("1:17000-18000");
  EXPECT_NE(error_of(params).find("an old index"), std::string::npos);
}

/// htslib kept 131 kB of a file in which it was to go to such an offset.
TEST(VcfIndex, OffsetsBelowZeroKeptTheFileInMemory) {
  const Folder folder;
  const std::string gz = compress(header({"a"}) + record(7, "A", "C", "0/1"), folder / "x.vcf.gz");
  ASSERT_EQ(tbx_index_build(gz.c_str(), 0, &tbx_conf_vcf), 0);
  std::string whole(1 << 16, '\0');
  BGZF* const packed = bgzf_open((gz + ".tbi").c_str(), "r");
  whole.resize(static_cast<std::size_t>(bgzf_read(packed, whole.data(), whole.size())));
  bgzf_close(packed);
  VcfParams params = all_contigs(gz);
  params.region = genotype::parse_region("1:1-9");
  error_of(params);  // what stays after the first
  const auto held = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = held();
  for (std::size_t at = 0; at + 8 < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = '\xfe';  // of a chunk's begin and end the highest byte
    changed[at + 8] = '\xff';
    folder.put("x.vcf.gz.tbi", changed);
    error_of(params);
  }
  EXPECT_LT(held(), before + (64 << 10));
}

}  // namespace
}  // namespace yupana::io
