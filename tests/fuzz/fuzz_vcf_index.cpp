// Any bytes as the index of a VCF.gz: refused with one line, or chunks in order, and records by
// them or one line. The first byte chooses the ending and whether it is read as a BCF's.
#include <htslib/bgzf.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/vcf.hpp"
#include "yupana/io/vcf_file.hpp"

namespace {

/// Few records in many blocks: what the readers of an index choose from, and little to unpack.
std::string put_cohort() {
  const std::string path = yupana::fuzz::put("c.vcf.gz", "");
  BGZF* const file = bgzf_open(path.c_str(), "w");
  std::string text =
      "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n";
  const auto write_block = [&] {
    if (bgzf_write(file, text.data(), text.size()) < 0 || bgzf_flush(file) != 0) std::abort();
    text.clear();
  };
  for (const char* contig : {"1", "2", "3"}) {
    for (int k = 1; k <= 50; ++k) {
      text +=
          std::string(contig) + '\t' + std::to_string(4000 * k) + "\t.\tA\tC\t.\t.\t.\tGT\t0/1\n";
      if (k % 10 == 0) write_block();
    }
  }
  if (bgzf_close(file) != 0) std::abort();
  return path;
}

void expect_apart(const std::vector<yupana::io::FileChunk>& chunks) {
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].begin >= chunks[i].end) std::abort();
    if (i > 0 && chunks[i - 1].end >= chunks[i].begin) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace yupana::io;
  static yupana::Context context({.device = "cpu", .threads = 1});
  if (size == 0) return 0;
  static const std::string& path = *new std::string(put_cohort());
  const std::string index = path + ((data[0] & 1) != 0 ? ".csi" : ".tbi");
  yupana::fuzz::put(index.substr(index.rfind('/') + 1), data + 1, size - 1);
  yupana::genotype::Region region{"2"};
  if ((data[0] & 2) != 0) region.first = 16'385;
  if ((data[0] & 4) != 0) region.last = 100'000;
  yupana::fuzz::expect_one_line([&] {
    VcfIndex by_name(index, (data[0] & 8) != 0);
    std::int64_t number = 0;
    by_name.find(region, 22, number);
    expect_apart(by_name.chunks(number < 0 ? 1 : number, region));
  });
  yupana::fuzz::expect_one_line([&] {
    VcfParams params;
    params.path = path;
    params.region = region;
    const auto source = open_vcf(context, params);
    yupana::genotype::SiteBlock block(1, 64);
    while (source->read(block)) {
    }
  });
  std::remove(index.c_str());
  return 0;
}
