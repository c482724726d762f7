// Any bytes as a list of cases: refused with one line, or cases of which each names three files
// without hidden characters.
#include <algorithm>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/exons.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = yupana::fuzz::put("cases.tsv", data, size);
  const auto hidden = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  yupana::fuzz::expect_one_line([&] {
    const auto cases = yupana::io::read_splice_cases(path);
    if (cases.empty()) std::abort();
    for (const yupana::io::SpliceCase& one : cases) {
      for (const std::string& name : {one.genome, one.exons, one.target}) {
        if (name.empty() || std::any_of(name.begin(), name.end(), hidden)) std::abort();
      }
    }
  });
  return 0;
}
