// Any bytes as .bed, .bim and .fam: refused with one line, or a stream of sites that keeps its
// promises. The input is cut in three at lines of "--"; the .bed gets its signature and, on
// request, the size that .bim and .fam ask for, to reach what lies behind these checks.
#include <algorithm>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_sites.hpp"
#include "yupana/io/genotype_sources.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  using yupana::fuzz::take_part;
  const std::string bim = take_part(rest), fam = take_part(rest);
  std::string bed = rest;
  if (data[0] & 1) bed.insert(0, "\x6c\x1b\x01");
  if (data[0] & 2) {
    const auto lines = [](const std::string& text) {
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    };
    bed.resize(3 + lines(bim) * ((lines(fam) + 3) / 4), '\x5b');
  }
  yupana::io::BedFiles files;
  files.bed = yupana::fuzz::put("c.bed", bed);
  files.bim = yupana::fuzz::put("c.bim", bim);
  files.fam = yupana::fuzz::put("c.fam", fam);
  yupana::fuzz::expect_one_line([&] { yupana::fuzz::expect_sites(*yupana::io::open_bed(files)); });
  return 0;
}
