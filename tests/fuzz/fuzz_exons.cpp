// Any bytes as exons: behind a first line of GFF3, of a table and of GENSCAN's text, in a .bed, and
// in a file whose kind is seen in its lines. Refused with one line, or exons that begin before they
// end.
#include <array>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/exons.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static constexpr std::array<std::string_view, 5> kinds{
      "s\t.\texon\t1\t2\t.\t+\t.\tID=e\n", "1\t2\n", "GENSCAN 1.0\n", "", ""};
  const std::size_t kind = data[0] % kinds.size();
  std::string bytes(kinds[kind]);
  bytes.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string path =
      yupana::fuzz::put(kind == kinds.size() - 1 ? "exons.bed" : "exons", bytes);
  yupana::fuzz::expect_one_line([&] {
    for (const yupana::io::ExonRecord& exon : yupana::io::read_exons(path)) {
      if (exon.first < 1 || exon.last < exon.first) std::abort();
    }
  });
  return 0;
}
