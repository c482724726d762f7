// Any bytes as an index of a small genome: refused with one line, or looked up without reading
// outside of it. Odd inputs are the words of a file whose header and checksums hold.
#include <array>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/seed_index_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace yupana;
  static Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  static const std::string bases = "ACGTTGCAAGGCTATTCCGATCAGGTTTACCATGCAGTCA";
  static const std::array<std::string_view, 2> sequences{bases, std::string_view(bases).substr(7)};
  static const splice::SeedIndex own(sequences);
  std::string path;
  if (size > 0 && data[0] % 2 == 1) {
    std::vector<splice::SeedWord> words((size - 1) / sizeof(splice::SeedWord));
    if (!words.empty()) std::memcpy(words.data(), data + 1, words.size() * sizeof(words[0]));
    // Keys that the target has, so that places are looked at.
    for (std::size_t w = 0; w < words.size() && data[0] % 4 == 3; ++w) {
      words[w].key = own.words()[w % own.words().size()].key;
    }
    path = (fuzz::folder() / "odd.idx").string();
    AtomicFile file(path);
    io::write_seed_index(context, file, splice::SeedIndex(sequences, words, nullptr), sequences);
    file.commit();
  } else {
    path = fuzz::put("even.idx", data, size);
  }
  fuzz::expect_one_line([&] {
    const splice::SeedIndex index = io::map_seed_index(context, path, sequences);
    for (const splice::Locus& locus : index.loci(bases)) {
      const auto last = std::ssize(sequences.at(locus.sequence));
      if (locus.first < 1 || locus.first > locus.last || locus.last > last) std::abort();
    }
  });
  return 0;
}
