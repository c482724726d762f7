// Any bytes as a column of numbers, .npy or text: refused, or as many numbers as it announces,
// which read the same in pieces of any size.
#include <optional>
#include <vector>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/column.hpp"

namespace {

std::vector<char> read_all(const std::string& path, std::int64_t piece) {
  yupana::io::ColumnReader reader(path, {'f', 8});
  const std::int64_t width = reader.type().width;
  std::vector<char> all;
  std::vector<char> buffer(static_cast<std::size_t>(piece * width));
  while (const std::int64_t got = reader.read(buffer.data(), piece)) {
    if (got < 0 || got > piece) std::abort();
    all.insert(all.end(), buffer.begin(), buffer.begin() + got * width);
  }
  if (reader.size() && *reader.size() * width != std::ssize(all)) std::abort();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = yupana::fuzz::put("column", data, size);
  std::optional<std::vector<char>> whole;
  yupana::fuzz::expect_one_line([&] { whole = read_all(path, 4096); });
  try {
    if (read_all(path, 3) != whole) std::abort();
  } catch (const yupana::Error&) {
    if (whole) std::abort();
  }
  return 0;
}
