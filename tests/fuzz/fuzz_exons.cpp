// Any bytes as exons, as FASTA and as a substitution matrix: refused with one line, or exons and
// letters that are what they should be.
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/exons.hpp"
#include "yupana/io/fasta.hpp"
#include "yupana/io/substitution_file.hpp"

namespace {

template <class Read>
void expect_one_line(const Read& read) {
  try {
    read();
  } catch (const yupana::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string path =
      yupana::fuzz::put(data[0] & 1 ? "exons" : "exons.bed", data + 1, size - 1);
  expect_one_line([&] {
    for (const yupana::io::ExonRecord& exon : yupana::io::read_exons(path)) {
      if (exon.first < 1 || exon.last < exon.first) std::abort();
    }
  });
  expect_one_line([&] {
    for (const auto& record : yupana::io::read_fasta(path, yupana::io::dna_letters)) {
      if (record.letters.empty() || record.name.empty()) std::abort();
    }
  });
  expect_one_line([&] { yupana::io::read_substitution(path); });
  return 0;
}
