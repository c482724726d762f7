#include "yupana/io/bim.hpp"

#include <charconv>
#include <string_view>
#include <unordered_set>

#include "yupana/core/error.hpp"
#include "yupana/io/plink_line.hpp"

namespace yupana::io {
namespace {

/// The filter's verdict on the contig of the last line: neighbours mostly share it.
struct Verdict {
  std::string contig;
  bool keeps = false;
  bool valid = false;
};

std::int64_t position_of(const LineReader& reader, std::string_view text) {
  std::int64_t position = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), position);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw bad_line(reader.path(),
                   reader.number(),
                   fmt::format("column 4: a position wanted, '{}' found", text));
  }
  return position;
}

}  // namespace

BimSites read_bim(const std::string& path, const genotype::ChromosomeFilter& chromosomes) {
  BimSites result;
  Verdict verdict;
  std::vector<std::string> unknown;
  std::unordered_set<std::string> seen;
  LineReader reader(path);
  std::string_view fields[6];
  while (next_plink_line(reader, fields, "chromosome, name, centimorgans, position, A1, A2")) {
    if (!verdict.valid || verdict.contig != fields[0]) {
      verdict = {std::string(fields[0]), chromosomes.keeps(fields[0]), true};
      if (chromosomes.keeps_as_unknown(fields[0]) && seen.emplace(fields[0]).second) {
        unknown.emplace_back(fields[0]);
      }
    }
    const std::int64_t site = result.sites++;
    if (!verdict.keeps) {
      ++result.account.skipped[chromosomes.reason()];
    } else if (position_of(reader, fields[3]) < 0) {
      ++result.account.skipped["negative position"];
    } else if (!result.kept.empty() && result.kept.back().end == site) {
      ++result.kept.back().end;
      ++result.account.kept;
    } else {
      result.kept.push_back({site, site + 1});
      ++result.account.kept;
    }
  }
  result.account.read = result.sites;
  if (!unknown.empty()) result.account.notes.push_back(genotype::unknown_note(unknown));
  return result;
}

}  // namespace yupana::io
