// Any bytes as .pgen, .pvar and .psam: refused with one line, or a stream of sites that keeps its
// promises, the same for blocks of any size. An input is either the files, cut at lines of
// "--", perhaps with an index of its own, or records (type, ALT alleles, length, bytes) that get a
// header, to reach their decoders.
#include <algorithm>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "tests/fuzz/fuzz_sites.hpp"
#include "yupana/core/context.hpp"
#include "yupana/io/genotype_sources.hpp"

namespace {

struct Texts {
  std::string pgen, index, pvar, psam;
};

void append_bytes(std::string& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}

/// Variants of one block with records that the header knows.
Texts with_headers(const std::string& data) {
  std::size_t at = 0;
  const auto next = [&] { return at < data.size() ? static_cast<std::uint8_t>(data[at++]) : 0; };
  // Around the sizes where samples' numbers take another byte.
  const int choice = next();
  const int samples = (choice & 1) != 0 ? 1 + choice / 2 : 200 + choice;
  Texts texts;
  std::string types, lengths, records;
  std::uint32_t variants = 0;
  texts.pvar = "#CHROM POS ID REF ALT\n";
  while (at < data.size()) {
    types += static_cast<char>(next());
    const int alts = 1 + next() % 20;
    const std::size_t length = std::min<std::size_t>(next(), data.size() - at);
    append_bytes(lengths, length, 2);
    records += data.substr(at, length);
    at += length;
    texts.pvar += "1 1 . A C";
    for (int i = 1; i < alts; ++i) texts.pvar += ",G";
    texts.pvar += '\n';
    ++variants;
  }
  for (int i = 0; i < samples; ++i) texts.psam += "f s" + std::to_string(i) + " 0 0 1\n";
  texts.pgen = "\x6c\x1b\x10";
  append_bytes(texts.pgen, variants, 4);
  append_bytes(texts.pgen, static_cast<std::uint64_t>(samples), 4);
  texts.pgen += '\x05';  // 8 bits a type, 2 bytes a length
  if (variants > 0) append_bytes(texts.pgen, 20 + types.size() + lengths.size(), 8);
  texts.pgen += types + lengths + records;
  return texts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  Texts texts;
  if (data[0] & 1) {
    texts = with_headers(rest);
  } else {
    texts.pvar = yupana::fuzz::take_part(rest);
    texts.psam = yupana::fuzz::take_part(rest);
    if (data[0] & 8) texts.index = yupana::fuzz::take_part(rest);
    texts.pgen = rest;
  }
  yupana::io::PgenFiles files;
  files.pgen = yupana::fuzz::put("c.pgen", texts.pgen);
  files.pvar = yupana::fuzz::put("c.pvar", texts.pvar);
  files.psam = yupana::fuzz::put("c.psam", texts.psam);
  yupana::fuzz::put("c.pgen.pgi", texts.index);
  yupana::io::SiteRules rules;
  rules.records.multiallelic = static_cast<yupana::io::Multiallelic>((data[0] >> 1) % 3);
  static yupana::Context context({.device = "cpu", .threads = 1});
  yupana::fuzz::expect_one_line([&] {
    const auto source = yupana::io::open_pgen(context, files, rules);
    yupana::fuzz::expect_sites_again(*source);
  });
  return 0;
}
