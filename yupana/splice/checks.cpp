#include "yupana/splice/checks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "yupana/core/messages.hpp"

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
  // Sixteen bytes as one value, of compilers' own: every processor has these few operations, and a
  // loop over bytes is not made into them (1.9 ns a base).
  using Bytes = std::uint8_t __attribute__((vector_size(16)));
  Bytes a{}, c{}, g{}, t{}, other{};
  const auto take = [&](const char* from) {
    Bytes lower;
    std::memcpy(&lower, from, sizeof(lower));
    lower |= 0x20;
    const auto here_a = reinterpret_cast<Bytes>(lower == 'a');
    const auto here_c = reinterpret_cast<Bytes>(lower == 'c');
    const auto here_g = reinterpret_cast<Bytes>(lower == 'g');
    const auto here_t = reinterpret_cast<Bytes>(lower == 't');
    a |= here_a, c |= here_c, g |= here_g, t |= here_t;
    other |= ~(here_a | here_c | here_g | here_t);
  };
  std::size_t i = 0;
  for (; i + sizeof(Bytes) <= text.size(); i += sizeof(Bytes)) take(text.data() + i);
  if (i < text.size()) {
    std::array<char, sizeof(Bytes)> last;
    last.fill(text[i]);  // behind the end a letter that is there anyway
    std::copy(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), last.begin());
    take(last.data());
  }
  const auto any = [](const Bytes& mask) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), &mask, sizeof(mask));
    return (words[0] | words[1]) != 0;
  };
  return {any(a), any(c), any(g), any(t), any(other)};
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
    if (score < -largest_score || score > largest_score) {
      throw refused(fmt::format("splice: a substitution score of {}; expected {} to {}",
                                score,
                                -largest_score,
                                largest_score));
    }
  }
  for (const auto& [name, gap] :
       {std::pair("gap_open", params.gap_open), std::pair("gap_extend", params.gap_extend)}) {
    if (gap > 0 || gap < -largest_score) {
      throw refused(fmt::format("splice: {}: expected {} to 0, got {}", name, -largest_score, gap));
    }
  }
  if (params.min_intron < 0 || params.min_intron > largest_length) {
    throw refused(fmt::format(
        "splice: min_intron: expected 0 to {}, got {}", largest_length, params.min_intron));
  }
}

void check_sums(const Case& problem, const AlignParams& params, int score_scale) {
  const std::int64_t letters = std::ssize(problem.target);
  const std::int64_t gain = params.substitution.highest() - std::int64_t{2} * params.gap_extend;
  if (gain <= 0 || letters == 0 || gain <= (score_sum_limit - 1) / letters) return;
  throw usage_error(
      "splice: scores against {} target letters could pass 32 bits: the best "
      "score of a letter less two gap extensions is {}, expected at most {}; "
      "give smaller scores",
      letters,
      gain / score_scale,
      (score_sum_limit - 1) / letters / score_scale);
}

void check_exons(const Case& problem, const Substitution& known) {
  // Bases are read where exons are; each once, whatever the overlaps.
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  spans.reserve(problem.exons.size());
  for (std::size_t k = 0; k < problem.exons.size(); ++k) {
    const Exon& exon = problem.exons[k];
    if (exon.first < 1 || exon.last > std::ssize(problem.bases) || exon.first > exon.last) {
      throw refused(fmt::format("splice: exon {}: expected 1 <= first <= last <= {}, got {}..{}",
                                k + 1,
                                problem.bases.size(),
                                exon.first,
                                exon.last));
    }
    for (const std::int32_t score : {exon.begin, exon.entry, exon.exit, exon.end}) {
      if (score < -largest_score || score > largest_score) {
        throw refused(fmt::format(
            "splice: exon {}: expected scores of at most {}, got {}", k + 1, largest_score, score));
      }
    }
    spans.emplace_back(exon.first, exon.last);
  }
  if (!std::is_sorted(spans.begin(), spans.end())) std::sort(spans.begin(), spans.end());
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
