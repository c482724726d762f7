#include "yupana/splice/checks.hpp"

#include <algorithm>
#include <vector>

namespace yupana::splice {
namespace {

Error refused(const std::string& what) { return Error(ErrorCode::bad_input, what); }

/// Sequences are A, C, G and T but for a few places, so that most texts need no table.
bool plainly_known(const Substitution& known, std::string_view letters) {
  constexpr std::string_view plain = "ACGTacgt";
  return base_set(letters).other == 0 &&
         std::all_of(plain.begin(), plain.end(), [&](char base) { return known.knows(base); });
}

}  // namespace

BaseSet base_set(std::string_view text) {
  // Bytes alone and no way out of the loop: compilers do 16 or more at a time.
  BaseSet set;
  for (const char letter : text) {
    const auto lower = static_cast<std::uint8_t>(letter | 0x20);
    const std::uint8_t a = lower == 'a', c = lower == 'c', g = lower == 'g', t = lower == 't';
    set.a |= a;
    set.c |= c;
    set.g |= g;
    set.t |= t;
    set.other |= static_cast<std::uint8_t>(1 ^ (a | c | g | t));
  }
  return set;
}

void check_letters(const Substitution& known,
                   std::string_view letters,
                   std::int64_t first,
                   const char* what) {
  if (plainly_known(known, letters)) return;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (known.knows(letters[i])) continue;
    throw refused(
        fmt::format("splice: {} {} is '{}' (character {}), which the substitution matrix "
                    "does not know; remove or replace it",
                    what,
                    first + static_cast<std::int64_t>(i),
                    letters[i] >= ' ' && letters[i] <= '~' ? letters[i] : '?',
                    static_cast<unsigned char>(letters[i])));
  }
}

void check_params(const AlignParams& params) {
  const Substitution& s = params.substitution;
  if (s.letters <= 0 || s.scores.size() != static_cast<std::size_t>(s.letters * s.letters)) {
    throw refused("splice: the substitution matrix is empty; use Substitution::dna or matrix");
  }
  for (const int score : s.scores) {
    if (std::abs(score) > largest_score) {
      throw refused(fmt::format(
          "splice: a substitution score of {}; at most {} wanted", score, largest_score));
    }
  }
  for (const int gap : {params.gap_open, params.gap_extend}) {
    if (gap > 0 || gap < -largest_score) {
      throw refused(
          fmt::format("splice: a gap score of {}; wanted is 0 or a loss (-1, -2 ...)", gap));
    }
  }
  if (params.min_intron < 0) {
    throw refused(
        fmt::format("splice: introns of at least {} bases; 0 or more wanted", params.min_intron));
  }
}

void check_exons(const Case& problem, const Substitution& known) {
  // Bases are read where exons are; each once, whatever the overlaps.
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (std::size_t k = 0; k < problem.exons.size(); ++k) {
    const Exon& exon = problem.exons[k];
    if (exon.first < 1 || exon.last > std::ssize(problem.bases) || exon.first > exon.last) {
      throw refused(fmt::format("splice: exon {} is {}..{}; 1 <= first <= last <= {} wanted",
                                k + 1,
                                exon.first,
                                exon.last,
                                problem.bases.size()));
    }
    for (const std::int32_t score : {exon.begin, exon.entry, exon.exit, exon.end}) {
      if (score < -largest_score || score > largest_score) {
        throw refused(fmt::format(
            "splice: exon {} has a score of {}; at most {} wanted", k + 1, score, largest_score));
      }
    }
    spans.emplace_back(exon.first, exon.last);
  }
  std::sort(spans.begin(), spans.end());
  std::int64_t checked = 0;
  for (const auto& [first, last] : spans) {
    const std::int64_t from = std::max(first, checked + 1);
    if (from > last) continue;
    check_letters(known, problem.bases.substr(from - 1, last - from + 1), from, "base");
    checked = last;
  }
}

void check_score(std::int64_t rescored, std::int64_t score, std::size_t number) {
  if (rescored == score) return;
  throw Error(ErrorCode::device,
              fmt::format("splice: internal error: the alignment of case {} scores {}, its table "
                          "says {}; please report the input",
                          number + 1,
                          rescored,
                          score));
}

}  // namespace yupana::splice
