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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static yupana::Context one({.device = "cpu", .threads = 1, .memory = 1 << 28});
  static yupana::Context two({.device = "cpu", .threads = 2, .memory = 1 << 28});
  for (const char* name : {"table.csv", "table.svm"}) {
    const std::string path = yupana::fuzz::put(name, data, size);
    for (const char* label : {"", "last", "1", "label"}) {
      yupana::io::TableParams params{.label = label};
      same(read(one, path, params), read(two, path, params));
      params.categorical = {"2"};
      same(read(one, path, params), read(two, path, params));
    }
  }
  return 0;
}
