// Any bytes as .bgen and .sample: refused with one line, or a stream of sites that keeps its
// promises, the same for blocks of any size. An input is either the files, cut at a line of "--",
// or the probabilities of variants (alleles, packing by the file's, length, bytes), which get a
// header and names, to reach their decoders.
#include <algorithm>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_sites.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/genotype_sources.hpp"
#include "yupana/io/sample_lists.hpp"

namespace {

void append_number(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

/// A file of as many variants as there are bytes for, of 1 to 8 samples.
std::string with_header(const std::string& data) {
  std::size_t at = 0;
  const auto next = [&] { return at < data.size() ? static_cast<std::uint8_t>(data[at++]) : 0; };
  const int choice = next();
  const int samples = 1 + choice % 8, packing = choice / 8 % 3;
  std::string names, variants;
  for (int i = 0; i < samples; ++i) {
    append_number(names, 1, 2);
    names += static_cast<char>('a' + i);
  }
  std::uint32_t count = 0;
  for (; at < data.size(); ++count) {
    const int alleles = 2 + next() % 4;
    variants += std::string("\0\0\1\0v\1\0\61\1\0\0\0", 12);  // no name, v, contig 1, position 1
    append_number(variants, static_cast<std::uint64_t>(alleles), 2);
    for (int i = 0; i < alleles; ++i) {
      append_number(variants, 1, 4);
      variants += "ACGTN"[i];
    }
    const std::size_t unpacked = 10 + static_cast<std::size_t>(next()) % 128;
    const std::size_t length = std::min<std::size_t>(next(), data.size() - at);
    append_number(variants, length + (packing > 0 ? 4 : 0), 4);
    if (packing > 0) append_number(variants, unpacked, 4);
    variants += data.substr(at, length);
    at += length;
  }
  std::string file;
  append_number(file, 20 + 8 + names.size(), 4);
  append_number(file, 20, 4);
  append_number(file, count, 4);
  append_number(file, static_cast<std::uint64_t>(samples), 4);
  file += "bgen";
  append_number(file, 0x80000008u + static_cast<unsigned>(packing), 4);
  append_number(file, 8 + names.size(), 4);
  append_number(file, static_cast<std::uint64_t>(samples), 4);
  return file + names + variants;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  yupana::io::BgenParams params;
  params.ref_last = (data[0] & 8) != 0;
  if (data[0] & 1) {
    rest = with_header(rest);
  } else if (data[0] & 16) {
    const std::string sample = yupana::fuzz::take_part(rest);
    params.sample = yupana::fuzz::put("c.sample", sample);
  }
  params.path = yupana::fuzz::put("c.bgen", rest);
  yupana::io::SiteRules rules;
  rules.records.multiallelic = static_cast<yupana::io::Multiallelic>((data[0] >> 1) % 3);
  static yupana::Context context({.device = "cpu", .threads = 1});
  yupana::fuzz::expect_one_line([&] {
    yupana::io::SampleNames names;
    if (!params.sample.empty()) names = yupana::io::read_oxford_samples(params.sample);
    const auto source = yupana::io::open_bgen(context, params, names, rules);
    yupana::fuzz::expect_sites_again(*source);
  });
  return 0;
}
