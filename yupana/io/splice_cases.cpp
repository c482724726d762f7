#include "yupana/io/splice_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"

namespace yupana::io {

std::vector<SpliceCase> read_splice_cases(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const auto relative = [&](std::string_view name) { return (folder / name).string(); };
  std::vector<SpliceCase> cases;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    std::array<std::string_view, 5> fields;
    const std::size_t count = split_fields(line, fields.data(), fields.size());
    if (count == 0 || fields[0].starts_with('#')) continue;
    if (cases.empty() && fields[0] == "genome") continue;
    if (count < 3 || count > 4) {
      throw bad_line(path,
                     reader.number(),
                     "expected genome, exons (or auto), target and, after proteins, the "
                     "word protein; got {} columns",
                     count);
    }
    if (count == 4 && fields[3] != "protein" && fields[3] != "cdna") {
      throw bad_line(
          path, reader.number(), "expected protein or cdna in column 4, got '{}'", fields[3]);
    }
    const auto hidden = [](char c) { return c >= 0 && c < ' ' && c != '\t'; };
    const bool bad = std::any_of(line.begin(), line.end(), hidden);
    if (bad) throw bad_line(path, reader.number(), "expected file names, got a control character");
    cases.push_back({relative(fields[0]),
                     fields[1] == "auto" ? "auto" : relative(fields[1]),
                     relative(fields[2]),
                     fields[3] == "protein"});
  }
  if (cases.empty()) throw bad_file(path, "expected lines of genome, exons and target, got none");
  return cases;
}

}  // namespace yupana::io
