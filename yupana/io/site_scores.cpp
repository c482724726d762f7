#include "yupana/io/site_scores.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "yupana/core/messages.hpp"
#include "yupana/core/text.hpp"
#include "yupana/io/cell.hpp"
#include "yupana/io/line_reader.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/species.hpp"

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

/// The lines of one sequence.
class SiteLines {
 public:
  SiteLines(const FastaRecord& record, const splice::SiteModels& models)
      : name_(record.name),
        letters_(record.letters),
        reversed_(reverse_complement(record.letters)),
        models_(models) {}

  /// Those of junctions before the bases [begin, end).
  std::string text(std::int64_t begin, std::int64_t end) const {
    std::string lines;
    for (std::int64_t offset = begin; offset < end; ++offset) {
      add(letters_, '+', offset, offset, lines);
      add(reversed_, '-', std::ssize(letters_) - offset, offset, lines);
    }
    return lines;
  }

 private:
  static bool is(const std::string& bases, std::int64_t at, char first, char second) {
    if (at < 0 || at + 2 > std::ssize(bases)) return false;
    return splice::base_code(bases[at]) == splice::base_code(first) &&
           splice::base_code(bases[at + 1]) == splice::base_code(second);
  }
  /// The sites whose junction lies before base `at` of a strand.
  void add(const std::string& bases,
           char strand,
           std::int64_t at,
           std::int64_t offset,
           std::string& lines) const {
    const auto line = [&](char kind, double odds) {
      append_formatted(lines,
                       "{}\t{}\t{}\t{}\t{:.9g}\n",
                       name_,
                       offset,
                       strand,
                       kind,
                       splice::site_score_of_odds(odds));
    };
    const bool donor = at > 0 && is(bases, at, 'G', 'T'), acceptor = is(bases, at - 2, 'A', 'G');
    if (!donor && !acceptor) return;
    // No site looks at bases further away.
    constexpr std::int64_t around = 64;
    const std::int64_t first = std::max<std::int64_t>(0, at - around);
    const std::string_view near = std::string_view(bases).substr(first, at - first + around);
    std::vector<std::int8_t> codes;
    for (const char base : near) codes.push_back(static_cast<std::int8_t>(splice::base_code(base)));
    const splice::CodedBases text{near, codes};
    if (donor) line('D', splice::best_donor_odds(models_, text, at - first));
    if (acceptor) line('A', splice::best_acceptor_odds(models_, text, at - 1 - first));
  }

  const std::string& name_;
  const std::string& letters_;
  const std::string reversed_;
  const splice::SiteModels& models_;
};

}  // namespace

void write_site_scores(Context& context,
                       AtomicFile& file,
                       const std::vector<FastaRecord>& sequences,
                       const splice::SiteModels& models) {
  constexpr std::int64_t piece = 1 << 17, line = 40;  // bytes of most lines
  for (const FastaRecord& record : sequences) {
    const SiteLines lines(record, models);
    const std::int64_t junctions = std::ssize(record.letters) + 1;
    context.in_order((junctions + piece - 1) / piece,
                     piece * line,
                     [&](std::int64_t i) {
                       context.check_cancelled();
                       return lines.text(i * piece, std::min(junctions, (i + 1) * piece));
                     },
                     [&](const std::string& text) { file.write(text); });
  }
}

std::map<std::string, splice::SiteScores> read_site_scores(const std::string& path) {
  std::map<std::string, splice::SiteScores> sequences;
  LineReader reader(path);
  for (std::string_view line; reader.next(line);) {
    if (trimmed(line).empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> f = cut(line, '\t');
    if (f.size() != 5) {
      throw reader.fault(
          "expected sequence, offset, + or -, D or A, and a score between tabs; got {}",
          counted(std::ssize(f), "column"));
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
