// Any bytes as a table, by two names: refused in one line, or a table of the same shape and bits
// for any number of threads, which parts put together are too.
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

std::string name_of(const std::vector<std::string>& names, double number) {
  return number == number ? names[static_cast<std::size_t>(number)] : std::string();
}

/// Rows of a part are those of the table from `row` on.
void same_rows(const File& part, const File& whole, std::int64_t row) {
  if (part.table.rows() < 1 || row + part.table.rows() > whole.table.rows()) std::abort();
  if (part.table.names() != whole.table.names()) std::abort();
  for (std::int64_t c = 0; c < part.table.columns(); ++c) {
    const double *a = part.table.column(c), *b = whole.table.column(c) + row;
    const auto& own = part.categories[static_cast<std::size_t>(c)];
    const auto& all = whole.categories[static_cast<std::size_t>(c)];
    for (std::int64_t i = 0; i < part.table.rows(); ++i) {
      const bool equal = all.empty() ? std::memcmp(a + i, b + i, sizeof(double)) == 0
                                     : name_of(own, a[i]) == name_of(all, b[i]);
      if (!equal) std::abort();
    }
  }
  for (std::int64_t i = 0; i < part.codes.size(); ++i) {
    const auto code = static_cast<std::size_t>(part.codes[i]);
    if (part.classes[code] != whole.classes[static_cast<std::size_t>(whole.codes[row + i])]) {
      std::abort();
    }
  }
}

void same_in_parts(yupana::Context& context,
                   const std::string& path,
                   const yupana::io::TableParams& params,
                   const std::optional<File>& whole) {
  std::int64_t row = 0;
  try {
    yupana::io::read_table_parts<double>(context, path, params, 24, [&](File&& part) {
      if (whole) same_rows(part, *whole, row);
      row += part.table.rows();
    });
    if (!whole || row != whole->table.rows()) std::abort();
  } catch (const yupana::Error& error) {
    if (whole || std::string_view(error.what()).find('\n') != std::string_view::npos) std::abort();
  }
}

/// An index of libsvm beyond 9999 makes as many columns: seconds of nothing but their names.
bool is_wide(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == ':' && digits > 4) return true;
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
  }
  return false;
}

}  // namespace

// The last byte chooses the file's name and how it is read: once, not 32 times. One in eight is
// read by two threads too, whose waiting for each other takes most of the time on a busy machine,
// and one in four in parts.
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
  if ((choice & 8) != 0 && is_wide({reinterpret_cast<const char*>(data), size - 1})) return -1;
  const std::string path = yupana::fuzz::put(name, data, size - 1);
  const auto file = read(one, path, params);
  same(file, file);
  if ((choice & 0x70) == 0x40) {
    yupana::Context two({.device = "cpu", .threads = 2, .memory = 1 << 28});
    same(file, read(two, path, params));
  }
  if ((choice & 0x30) == 0x10) same_in_parts(one, path, params, file);
  return 0;
}
