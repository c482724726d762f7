// Any bytes as .ped and .map, or .tped and .tfam: refused with one line, or a stream of sites that
// keeps its promises, the same for blocks of any size. An input is cut at a line of "--"; its first
// byte chooses.
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_sites.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/genotype_sources.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string others = yupana::fuzz::take_part(rest);
  yupana::io::PlinkTextFiles files;
  files.transposed = (data[0] & 1) != 0;
  files.calls = yupana::fuzz::put("c.ped", rest);
  files.others = yupana::fuzz::put("c.map", others);
  static yupana::Context context({.device = "cpu", .threads = 1});
  yupana::fuzz::expect_one_line([&] {
    const auto source = yupana::io::open_plink_text(context, files);
    yupana::fuzz::expect_sites_again(*source);
  });
  return 0;
}
