#include "yupana/io/site_scores.hpp"

#include <algorithm>

#include "yupana/core/messages.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/io/number_field.hpp"

namespace yupana::io {
namespace {

constexpr double largest_site_score = 1000;

/// Puts the sites in order; bad_input where one stands twice.
void put_in_order(const std::string& path,
                  const std::string& sequence,
                  std::vector<splice::SiteScore>& sites) {
  const auto before = [](const splice::SiteScore& a, const splice::SiteScore& b) {
    return a.offset < b.offset;
  };
  const auto same = [](const splice::SiteScore& a, const splice::SiteScore& b) {
    return a.offset == b.offset;
  };
  if (!std::is_sorted(sites.begin(), sites.end(), before)) {
    std::sort(sites.begin(), sites.end(), before);
  }
  const auto twice = std::adjacent_find(sites.begin(), sites.end(), same);
  if (twice == sites.end()) return;
  throw bad_file(path,
                 "expected each splice site once, got two of one strand and kind at offset {} of "
                 "'{}'; leave one of them out",
                 twice->offset,
                 sequence);
}

}  // namespace

std::map<std::string, splice::SiteScores> read_site_scores(const std::string& path) {
  std::map<std::string, splice::SiteScores> sequences;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> f = cut(line, '\t');
    if (f.size() != 5) {
      throw reader.fault(
          "expected sequence, offset, + or -, D or A, and a score between tabs; got {} columns",
          f.size());
    }
    const auto offset = number_of<std::int64_t>(f[1]);
    if (!offset || *offset < 0) {
      throw reader.fault("expected an offset of 0 or more in column 2, got '{}'", f[1]);
    }
    if (f[2] != "+" && f[2] != "-") {
      throw reader.fault("expected + or - in column 3, got '{}'", f[2]);
    }
    if (f[3] != "D" && f[3] != "A") {
      throw reader.fault("expected D or A in column 4, got '{}'", f[3]);
    }
    const auto score = number_of<double>(f[4]);
    if (!score || !(std::abs(*score) <= largest_site_score)) {
      throw reader.fault(
          "expected a score from -{0} to {0} in column 5, got '{1}'", largest_site_score, f[4]);
    }
    splice::SiteScores& scores = sequences[std::string(f[0])];
    auto& sites = f[3] == "D" ? scores.donors : scores.acceptors;
    sites[f[2] == "-" ? 1 : 0].push_back({*offset, splice::odds_of_site_score(*score)});
  }
  for (auto& [sequence, scores] : sequences) {
    for (auto* sites : {&scores.donors, &scores.acceptors}) {
      for (std::vector<splice::SiteScore>& one : *sites) put_in_order(path, sequence, one);
    }
  }
  return sequences;
}

}  // namespace yupana::io
