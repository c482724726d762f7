#include "yupana/splice/protein_ends.hpp"

#include <algorithm>

#include "yupana/splice/exon_ends.hpp"
#include "yupana/splice/substitution.hpp"

namespace yupana::splice {
namespace {

constexpr std::int64_t letters_looked_at = 12;

/// Five letters that agree have 26 in the mean; chance has as much at one place in some thousands.
constexpr int least_score = 24;

/// The best sum of the codons from `at` on, in steps of 1 or -1, against as many letters.
int best_sum(const Substitution& blosum,
             const GeneticCode& code,
             std::span<const std::int8_t> codes,
             std::int64_t at,
             std::string_view letters,
             int step) {
  int sum = 0, best = 0;
  const std::int64_t count = std::min(std::ssize(letters), letters_looked_at);
  for (std::int64_t i = 0; i < count; ++i, at += 3 * step) {
    if (at < 0 || at + 3 > std::ssize(codes)) break;
    const char amino = code.translate_codes(codes[at], codes[at + 1], codes[at + 2]);
    if (amino == '*') break;
    sum += blosum.score(amino, letters[step > 0 ? i : std::ssize(letters) - 1 - i]);
    best = std::max(best, sum);
  }
  return best;
}

/// Whether a stop codon follows at `at` or few codons later: it is the gene's, most likely.
bool stops_soon(const GeneticCode& code, std::span<const std::int8_t> codes, std::int64_t at) {
  constexpr std::int64_t codons = 10;
  for (std::int64_t i = at; i < at + 3 * codons; i += 3) {
    if (is_stop(codes, i, code)) return true;
  }
  return false;
}

}  // namespace

ProteinEnds find_protein_ends(const Context* context,
                              std::span<const std::int8_t> codes,
                              std::string_view protein,
                              const GeneticCode& code) {
  ProteinEnds found;
  const Substitution blosum = Substitution::blosum62();
  const auto is_amino = [&](char letter) { return blosum.knows(letter); };
  if (!std::all_of(protein.begin(), protein.end(), is_amino)) return found;
  const bool starts = !protein.empty() && protein.front() != 'M' && protein.front() != 'm';
  const bool ends = !protein.empty() && protein.back() != '*';
  for (std::int64_t at = 0; (starts || ends) && at + 3 <= std::ssize(codes); ++at) {
    check_cancelled(context, at);
    if (starts && best_sum(blosum, code, codes, at, protein, 1) >= least_score) {
      found.starts.push_back(at + 1);
    }
    if (ends && best_sum(blosum, code, codes, at, protein, -1) >= least_score &&
        !stops_soon(code, codes, at + 3)) {
      found.ends.push_back(at + 3);
    }
  }
  return found;
}

}  // namespace yupana::splice
