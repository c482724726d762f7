// Any bytes as a substitution matrix: refused with one line, or a table of scores whose letters are
// codes below its size.

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/fasta.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  yupana::fuzz::expect_one_line([&] {
    const auto table = yupana::io::read_substitution(yupana::fuzz::put("scores", data, size));
    const auto letters = static_cast<std::size_t>(table.letters);
    if (letters == 0 || table.scores.size() != letters * letters) std::abort();
    for (const std::uint8_t code : table.code) {
      if (code != yupana::splice::Substitution::no_letter && code >= letters) std::abort();
    }
  });
  return 0;
}
