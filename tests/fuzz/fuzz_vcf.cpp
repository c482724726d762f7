// Any bytes as a VCF: refused with one line, or a stream of sites. Odd inputs get a header.
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/vcf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] & 1) {
    text.insert(0,
                "##fileformat=VCFv4.2\n"
                "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
                "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n");
  }
  const std::string path =
      yupana::fuzz::put("c.vcf", reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  try {
    const auto source = yupana::io::open_vcf(context, {.path = path});
    yupana::genotype::SiteBlock block(static_cast<std::int64_t>(source->samples().size()), 4);
    std::int64_t sites = 0;
    while (source->read(block)) sites += block.sites;
    if (sites != source->account().kept) std::abort();
  } catch (const yupana::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
