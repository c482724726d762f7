// Any bytes as .bed, .bim and .fam: refused with one line, or a stream of sites that keeps its
// promises. The input is cut in three at lines of "--"; the .bed gets its signature and, on
// request, the size that .bim and .fam ask for, to reach what lies behind these checks.
#include <algorithm>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/bed.hpp"

namespace {

std::string take_part(std::string& rest) {
  const std::size_t cut = rest.find("\n--\n");
  std::string part = rest.substr(0, cut == std::string::npos ? cut : cut + 1);
  rest.erase(0, cut == std::string::npos ? rest.size() : cut + 4);
  return part;
}

void expect_sites(yupana::genotype::Source& source) {
  const auto samples = static_cast<std::int64_t>(source.samples().size());
  if (samples == 0) std::abort();
  yupana::genotype::SiteBlock block(samples, 3);
  std::int64_t sites = 0;
  while (source.read(block)) {
    if (block.sites < 1 || block.sites > 3) std::abort();
    sites += block.sites;
    for (std::int64_t k = 0; k < block.sites; ++k) {
      for (std::int64_t i = samples; i < yupana::round_up(samples, 4); ++i) {
        if (block.at(k, i) != 0) std::abort();  // pad bits are zero
      }
    }
  }
  const yupana::genotype::SiteAccount& account = source.account();
  if (sites != account.kept || sites > source.sites()) std::abort();
  std::int64_t skipped = 0;
  for (const auto& [reason, count] : account.skipped) skipped += count;
  if (account.read != account.kept + skipped) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string bim = take_part(rest), fam = take_part(rest);
  std::string bed = rest;
  if (data[0] & 1) bed.insert(0, "\x6c\x1b\x01");
  if (data[0] & 2) {
    const auto lines = [](const std::string& text) {
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    };
    bed.resize(3 + lines(bim) * ((lines(fam) + 3) / 4), '\x5b');
  }
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
  };
  yupana::io::BedFiles files;
  files.bed = yupana::fuzz::put("c.bed", bytes(bed), bed.size());
  files.bim = yupana::fuzz::put("c.bim", bytes(bim), bim.size());
  files.fam = yupana::fuzz::put("c.fam", bytes(fam), fam.size());
  try {
    expect_sites(*yupana::io::open_bed(files));
  } catch (const yupana::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
