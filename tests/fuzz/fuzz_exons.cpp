// Any bytes as exons, in a .bed or in a file whose kind is seen in its lines: refused with one
// line, or exons that begin before they end.
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/exons.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string path =
      yupana::fuzz::put(data[0] & 1 ? "exons" : "exons.bed", data + 1, size - 1);
  try {
    for (const yupana::io::ExonRecord& exon : yupana::io::read_exons(path)) {
      if (exon.first < 1 || exon.last < exon.first) std::abort();
    }
  } catch (const yupana::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
