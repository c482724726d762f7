// Any bytes as an index of a small genome: refused with one line, or looked up without reading
// outside of it. Odd inputs are the data of a file whose header and checksums hold, some of them
// after the buckets of the true one.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/io/seed_index_file.hpp"
#include "yupana/splice/protein_loci.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace yupana;
  static Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  static const std::string bases = "ACGTTGCAAGGCTATTCCGATCAGGTTTACCATGCAGTCA";
  static const std::array<std::string_view, 1> proteins{"TLQGYSDQVYHAV"};  // the first frame
  static const std::array<std::string_view, 2> sequences{bases, std::string_view(bases).substr(7)};
  static const splice::GeneticCode code;
  const bool for_proteins = size > 0 && data[0] % 8 >= 4;
  static const splice::SeedIndex of_dna(sequences, nullptr), of_proteins(sequences, &code);
  const splice::SeedIndex& own = for_proteins ? of_proteins : of_dna;
  const int kind = own.genetic_code();
  std::string path;
  if (size > 0 && data[0] % 2 == 1) {
    std::vector<std::uint64_t> words((size - 1) / sizeof(std::uint64_t));
    if (!words.empty()) std::memcpy(words.data(), data + 1, words.size() * sizeof(words[0]));
    // Words that the target has, so that places are looked at.
    if (data[0] % 4 == 3) {
      std::vector<std::uint64_t> known(own.data().begin(), own.data().end());
      for (std::size_t w = 0; w < words.size() && w < known.size(); ++w) {
        known[known.size() - 1 - w] ^= words[w];
      }
      words = std::move(known);
    }
    path = (fuzz::folder() / "odd.idx").string();
    AtomicFile file(path);
    io::write_seed_index(
        context, file, splice::SeedIndex(sequences, kind, words, nullptr), sequences);
    file.commit();
  } else {
    path = fuzz::put("even.idx", data, size);
  }
  fuzz::expect_one_line([&] {
    const splice::SeedIndex index = io::map_seed_index(context, path, sequences, kind);
    const auto loci = for_proteins ? protein_loci(context, index, proteins, {})
                                   : std::vector<std::vector<splice::Locus>>{index.loci(bases)};
    for (const splice::Locus& locus : loci.at(0)) {
      const auto last = std::ssize(sequences.at(locus.sequence));
      if (locus.first < 1 || locus.first > locus.last || locus.last > last) std::abort();
    }
  });
  return 0;
}
