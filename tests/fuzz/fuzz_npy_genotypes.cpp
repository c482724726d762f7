// Any bytes as a .npy of genotypes: refused with one line, or a stream of sites. Odd inputs get a
// header that fits, so that the values are reached.
#include <fmt/core.h>

#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/genotype_sources.hpp"

namespace {

/// A header for `bytes` bytes of values of one of the types NumPy writes.
std::string header(std::uint8_t choice, std::size_t bytes) {
  static const char* const types[] = {"|i1", "|u1", "<i2", ">i4", "<f4", "<f8", ">f8", "|b1"};
  const char* const type = types[choice % 8];
  const std::size_t values = bytes / static_cast<std::size_t>(type[2] - '0');
  const std::size_t rows = 1 + choice / 8 % 5;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}\n",
                                 type,
                                 choice & 64 ? "True" : "False",
                                 rows,
                                 values / rows);
  std::string result = "\x93NUMPY";
  result += {'\1', '\0', static_cast<char>(text.size()), '\0'};
  return result + text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  if (data[0] & 1) bytes.insert(0, header(data[1], bytes.size()));
  const std::string path = yupana::fuzz::put("c.npy", bytes);
  yupana::fuzz::expect_one_line([&] {
    const auto source = yupana::io::open_npy_genotypes({.path = path, .round = (data[0] & 2) != 0});
    const auto samples = static_cast<std::int64_t>(source->samples().size());
    yupana::genotype::SiteBlock block(samples, 5);
    std::int64_t sites = 0;
    while (source->read(block)) sites += block.sites;
    if (sites != source->sites()) std::abort();
  });
  return 0;
}
