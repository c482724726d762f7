#include "yupana/io/splice_cases.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "yupana/core/counted.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {
namespace {

/// Columns without empty ones, between tabs where there is one: names may have blanks.
std::vector<std::string_view> columns_of(std::string_view line) {
  const char* between = line.find('\t') == std::string_view::npos ? " " : "\t";
  std::vector<std::string_view> columns = cut(line, *between);
  for (std::string_view& column : columns) column = trimmed(column);
  std::erase(columns, std::string_view());
  return columns;
}

}  // namespace

std::vector<SpliceCase> read_splice_cases(const std::string& path) {
  const bool piped = path.starts_with("/dev/") || path.starts_with("/proc/");
  const auto folder = piped ? std::filesystem::path() : std::filesystem::path(path).parent_path();
  const auto relative = [&](std::string_view name) { return (folder / name).string(); };
  std::vector<SpliceCase> cases;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    const std::vector<std::string_view> fields = columns_of(line);
    const std::size_t count = fields.size();
    if (count == 0 || fields[0].starts_with('#')) continue;
    if (cases.empty() && fields[0] == "genome") continue;
    if (count < 3 || count > 4) {
      throw reader.fault(
          "expected genome, exons (or auto), target and, after proteins, the "
          "word protein; got {}",
          counted(static_cast<std::int64_t>(count), "column"));
    }
    if (count == 4 && fields[3] != "protein" && fields[3] != "cdna") {
      throw reader.fault("expected protein or cdna in column 4, got '{}'", fields[3]);
    }
    const auto hidden = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; };
    const bool bad = std::any_of(line.begin(), line.end(), hidden);
    if (bad) throw reader.fault("expected file names, got a control character");
    cases.push_back({relative(fields[0]),
                     fields[1] == "auto" ? "auto" : relative(fields[1]),
                     relative(fields[2]),
                     count == 4 && fields[3] == "protein"});
  }
  if (cases.empty()) throw bad_file(path, "expected lines of genome, exons and target, got none");
  return cases;
}

}  // namespace yupana::io
