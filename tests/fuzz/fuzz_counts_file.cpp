// Any bytes as a checkpoint: always refused, as only save_counts makes its checksums. Odd inputs
// get a header whose checksum holds, to reach what lies behind it.
#include <cstdio>
#include <cstring>
#include <vector>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/genotype/checksum.hpp"
#include "yupana/genotype/counts_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yupana::Context context({.device = "cpu", .threads = 1, .memory = 64 << 20});
  static const std::string run = "a: 1\nb: 2\n";
  constexpr std::size_t fields = 56;  // magic and header
  std::vector<std::uint8_t> bytes(data, data + size);
  if (size > fields && data[fields] % 2 == 1) {
    std::memcpy(bytes.data(), "YUPCNTS1", 8);
    const std::uint64_t run_bytes = run.size();
    std::memcpy(bytes.data() + 8, &run_bytes, 8);
    std::vector<std::uint8_t> head(bytes.begin(), bytes.begin() + fields);
    head.insert(head.end(), run.begin(), run.end());
    head.resize((head.size() + 7) / 8 * 8);
    const std::uint64_t sum = yupana::genotype::checksum(head.data(), head.size());
    head.insert(head.end(),
                reinterpret_cast<const std::uint8_t*>(&sum),
                reinterpret_cast<const std::uint8_t*>(&sum) + 8);
    head.insert(head.end(), bytes.begin() + fields, bytes.end());
    bytes = std::move(head);
  }
  const std::string path = yupana::fuzz::put("counts", bytes.data(), bytes.size());
  yupana::fuzz::expect_one_line([&] {
    const auto counts = yupana::genotype::load_counts(context, path, run);
    if (!counts) std::abort();
    yupana::genotype::save_counts(context, path, run, *counts);
    std::vector<char> again(bytes.size() + 1);
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr || std::fread(again.data(), 1, again.size(), file) != bytes.size() ||
        std::memcmp(again.data(), bytes.data(), bytes.size()) != 0) {
      std::abort();
    }
    std::fclose(file);
  });
  return 0;
}
