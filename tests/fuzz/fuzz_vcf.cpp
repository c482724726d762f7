// Any bytes as a VCF: refused with one line, or a stream of sites, the same by the fast and by the
// reference path. Odd inputs get a header; other bits of the first byte choose the rules.
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/context.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/vcf.hpp"

namespace {

/// The rows of all sites, or the line that refuses the file.
std::string outcome(yupana::Context& context,
                    const yupana::io::VcfParams& params,
                    bool with_dosages) {
  std::string rows;
  try {
    const auto source = yupana::io::open_vcf(context, params);
    const auto samples = static_cast<std::int64_t>(source->samples().size());
    yupana::genotype::SiteBlock block(samples, 4, with_dosages);
    std::int64_t sites = 0;
    while (source->read(block)) {
      sites += block.sites;
      rows.append(reinterpret_cast<const char*>(block.codes.data()),
                  static_cast<std::size_t>(block.sites * block.stride));
      if (!with_dosages) continue;
      rows.append(reinterpret_cast<const char*>(block.dosages.data()),
                  static_cast<std::size_t>(block.sites * samples) * sizeof(std::uint16_t));
    }
    if (sites != source->account().kept) std::abort();
  } catch (const yupana::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    return error.what();
  }
  return rows;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace yupana::io;
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  static yupana::Context reference({.device = "reference", .threads = 1, .memory = 64 << 20});
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] & 1) {
    text.insert(0,
                "##fileformat=VCFv4.2\n"
                "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
                "##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"Dosage\">\n"
                "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\n");
  }
  VcfParams params;
  params.path = yupana::fuzz::put("c.vcf", text);
  params.multiallelic = static_cast<Multiallelic>((data[0] >> 1) % 3);
  if (data[0] & 8) params.var_filter.emplace();
  if (data[0] & 16) params.min_qual = 10.0f;
  if (data[0] & 32) params.snps_only = SnpsOnly::just_acgt;
  const bool with_dosages = (data[0] & 64) != 0;
  if (outcome(context, params, with_dosages) != outcome(reference, params, with_dosages))
    std::abort();
  return 0;
}
