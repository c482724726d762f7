// Any bytes as a table, by three names: refused in one line, or a table of the same shape and bits
// for any number of threads.
#include <cstring>
#include <optional>
#include <string>

#include "tests/fuzz/fuzz_file.hpp"
#include "yupana/core/error.hpp"
#include "yupana/io/table.hpp"

namespace {

using File = yupana::io::TableFile<double>;

std::optional<File> read(yupana::Context& context,
                         const std::string& path,
                         const yupana::io::TableParams& params) {
  try {
    return yupana::io::read_table<double>(context, path, params);
  } catch (const yupana::Error& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
    return std::nullopt;
  }
}

void same(const std::optional<File>& a, const std::optional<File>& b) {
  if (a.has_value() != b.has_value()) std::abort();
  if (!a) return;
  if (a->table.rows() != b->table.rows() || a->table.names() != b->table.names()) std::abort();
  if (a->classes != b->classes || a->categories != b->categories) std::abort();
  for (std::int64_t i = 0; i < a->codes.size(); ++i) {
    if (a->codes[i] != b->codes[i] || a->codes[i] < 0) std::abort();
    if (a->codes[i] >= std::ssize(a->classes)) std::abort();
  }
  for (std::int64_t c = 0; c < a->table.columns(); ++c) {
    const auto bytes = static_cast<std::size_t>(a->table.rows()) * sizeof(double);
    if (std::memcmp(a->table.column(c), b->table.column(c), bytes) != 0) std::abort();
  }
}

}  // namespace

// The last byte chooses the file's name and how it is read: once, not 32 times. One in eight is
// read by two threads too, whose waiting for each other takes most of the time on a busy machine.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // Of this input alone: one that keeps the times of all stages grows with each, and then libFuzzer
  // looks for leaks after each, which took two thirds of the time.
  yupana::Context one({.device = "cpu", .threads = 1, .memory = 1 << 28});
  const unsigned choice = data[size - 1];
  const char* labels[] = {"", "last", "1", "label"};
  yupana::io::TableParams params{.label = labels[choice & 3]};
  if ((choice & 4) != 0) params.categorical = {"2"};
  const char* name = (choice & 8) != 0 ? "table.svm" : "table.csv";
  const std::string path = yupana::fuzz::put(name, data, size - 1);
  const auto file = read(one, path, params);
  same(file, file);
  if ((choice & 0x70) == 0) {
    yupana::Context two({.device = "cpu", .threads = 2, .memory = 1 << 28});
    same(file, read(two, path, params));
  }
  return 0;
}
