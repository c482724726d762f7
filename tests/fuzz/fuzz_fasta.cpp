// Any bytes as FASTA of bases and of amino acids: refused with one line, or records that have a
// name and letters of the alphabet, and whose other strand's other strand is the first again.
#include <algorithm>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/fasta.hpp"

namespace {

void read(const std::string& path, std::string_view alphabet) {
  yupana::fuzz::expect_one_line([&] {
    for (const yupana::io::FastaRecord& record : yupana::io::read_fasta(path, alphabet)) {
      if (record.letters.empty() || record.name.empty()) std::abort();
      const bool known = std::all_of(record.letters.begin(), record.letters.end(), [&](char c) {
        return alphabet.find(c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c) !=
               std::string_view::npos;
      });
      if (!known) std::abort();
      if (yupana::io::reverse_complement(record.letters).size() != record.letters.size()) {
        std::abort();
      }
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = yupana::fuzz::put("records", data, size);
  read(path, yupana::io::dna_letters);
  read(path, "ARNDCQEGHILKMFPSTWYVBZX*");
  return 0;
}
