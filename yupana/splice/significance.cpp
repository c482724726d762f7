#include "yupana/splice/significance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>

#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

constexpr std::string_view bases_of_dna = "ACGT";
constexpr std::string_view amino_acids = "ACDEFGHIKLMNPQRSTVWY*";

Composition composition(std::string_view text, std::string_view letters, std::size_t usual) {
  std::array<double, 256> counts{};
  for (const char c : text) {
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    ++counts[static_cast<unsigned char>(upper == 'U' && letters == bases_of_dna ? 'T' : upper)];
  }
  Composition result{letters, std::vector<double>(letters.size(), 0)};
  double all = 0;
  for (std::size_t i = 0; i < usual; ++i) {
    all += result.shares[i] = counts[static_cast<unsigned char>(letters[i])];
  }
  for (std::size_t i = 0; i < usual; ++i) {
    result.shares[i] = all > 0 ? result.shares[i] / all : 1 / static_cast<double>(usual);
  }
  return result;
}

/// The best sum of neighbouring scores, added up one by one.
class BestSum {
 public:
  void add(int score) {
    here_ = std::max<std::int64_t>(here_ + score, 0);
    best_ = std::max(best_, here_);
  }
  /// The best so far, if it gains; begins anew.
  void close(std::vector<std::int64_t>& sums) {
    if (best_ > 0) sums.push_back(best_);
    here_ = best_ = 0;
  }

 private:
  std::int64_t here_ = 0, best_ = 0;
};

constexpr std::int64_t max_words = 62, max_score = 2;

/// Score of an interval as a fraction.
struct Score {
  std::int64_t pairs = 0, divisor = 1;
  bool operator<(const Score& other) const { return pairs * other.divisor < other.pairs * divisor; }
};

/// Marks the repeats of words of `length` letters. `word_at` numbers the word that begins at a
/// place, below `all_words`, or is negative where a letter is unknown.
template <int all_words, class WordAt>
std::vector<bool> repeats(std::int64_t letters, std::int64_t length, const WordAt& word_at) {
  std::vector<bool> marks(static_cast<std::size_t>(letters), false);
  std::vector<int> words;
  for (std::int64_t i = 0; i + length <= letters; ++i) words.push_back(word_at(i));
  // The best score of the intervals within [start, end], by start % max_words.
  std::array<Score, max_words> best{};
  std::int64_t from = 0;
  for (std::int64_t end = 0; end < std::ssize(words); ++end) {
    if (words[end] < 0) from = end + 1;
    std::array<std::uint8_t, all_words> counts{};
    std::int64_t pairs = 0;
    Score within;  // the best of [start + 1, end]
    best[end % max_words] = {};
    for (std::int64_t start = end; start >= std::max(from, end + 1 - max_words); --start) {
      pairs += counts[words[start]]++;
      const Score score{pairs, std::max<std::int64_t>(end - start, 1)};
      within = std::max(within, best[start % max_words]);
      if (max_score * score.divisor < score.pairs && !(score < within)) {
        std::fill(marks.begin() + start, marks.begin() + end + length, true);
      }
      within = best[start % max_words] = std::max(within, score);
    }
  }
  return marks;
}

/// An amino acid as a number below 32, in either case; -1 for 'X'.
int amino_code(char letter) {
  if (letter == '*') return 0;
  const int code = letter & 31;
  return code == ('X' & 31) ? -1 : code;
}

}  // namespace

Composition base_composition(std::string_view text) { return composition(text, bases_of_dna, 4); }

Composition amino_composition(std::string_view text) { return composition(text, amino_acids, 20); }

Composition codon_composition(const Composition& bases, const GeneticCode& code) {
  Composition result{amino_acids, std::vector<double>(amino_acids.size(), 0)};
  for (int codon = 0; codon < 64; ++codon) {
    const int a = codon / 16, b = codon / 4 % 4, c = codon % 4;
    const std::size_t amino = amino_acids.find(code.translate_codes(a, b, c));
    result.shares[amino] += bases.shares[a] * bases.shares[b] * bases.shares[c];
  }
  return result;
}

double karlin_lambda(const Substitution& substitution,
                     const Composition& bases,
                     const Composition& target) {
  double mean = 0, most = 0;
  const auto each = [&](const auto& body) {
    for (std::size_t a = 0; a < bases.letters.size(); ++a) {
      for (std::size_t b = 0; b < target.letters.size(); ++b) {
        const double share = bases.shares[a] * target.shares[b];
        if (share > 0) body(share, substitution.score(bases.letters[a], target.letters[b]));
      }
    }
  };
  each([&](double share, int score) {
    mean += share * score;
    most = std::max(most, static_cast<double>(score));
  });
  if (mean >= 0 || most <= 0) return 0;
  const auto sum = [&](double lambda) {
    double result = 0;
    each([&](double share, int score) { result += share * std::exp(lambda * score); });
    return result;
  };
  double low = 0, high = 1 / most;
  while (sum(high) < 1) high *= 2;
  // Below the solution the sum is less than 1: halved until neither end moves the other's bits.
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (sum(middle) < 1 ? low : high) = middle;
  }
  return low;
}

std::vector<std::int64_t> segment_scores(std::string_view text,
                                         std::string_view target,
                                         const std::vector<ExonAlignment>& chain,
                                         const Substitution& substitution,
                                         Mask low_complexity) {
  const std::vector<bool> of_text = low_complexity(text), of_target = low_complexity(target);
  std::vector<std::int64_t> scores;
  std::size_t place = 0;
  for (const ExonAlignment& part : chain) {
    std::int64_t letter = part.target_begin;
    BestSum best;
    for (const Run& run : part.runs) {
      const bool gap = run.operation == 'I' || run.operation == 'D';
      if (gap) best.close(scores);
      for (std::int64_t i = 0; !gap && i < run.length; ++i) {
        const std::size_t at = place + static_cast<std::size_t>(i);
        const int score = substitution.score(text[at], target[letter + i]);
        best.add(of_text[at] || of_target[letter + i] ? std::min(score, 0) : score);
      }
      if (run.operation != 'I') place += static_cast<std::size_t>(run.length);
      if (run.operation != 'D') letter += run.length;
    }
    best.close(scores);
  }
  return scores;
}

double expected_by_chance(std::vector<std::int64_t> segments,
                          double lambda,
                          double bases,
                          double letters) {
  std::sort(segments.begin(), segments.end(), std::greater<>());
  constexpr double k = 1.0 / 3;
  const double space = std::log(k * std::max(bases, 1.0) * std::max(letters, 1.0));
  double least = space, sum = 0;  // ln E; with no evidence all there is to be found
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto r = static_cast<double>(i + 1);
    sum += lambda * static_cast<double>(segments[i]) - space;
    const double t = sum + std::lgamma(r + 1);
    if (i > 0 && t <= r * r + r - 1) continue;
    const double power = i > 0 ? (r - 1) * std::log(t) : 0;
    const double factorials = std::lgamma(r + 1) + std::lgamma(r);
    least = std::min(least, r * std::numbers::ln2 - t + power - factorials);
  }
  return std::exp(least);
}

std::vector<bool> low_complexity_bases(std::string_view text) {
  return repeats<64>(std::ssize(text), 3, [&](std::int64_t i) {
    const int a = base_code(text[i]), b = base_code(text[i + 1]), c = base_code(text[i + 2]);
    return std::max({a, b, c}) < 4 ? 16 * a + 4 * b + c : -1;
  });
}

std::vector<bool> low_complexity_amino_acids(std::string_view text) {
  return repeats<1024>(std::ssize(text), 2, [&](std::int64_t i) {
    const int a = amino_code(text[i]), b = amino_code(text[i + 1]);
    return std::min(a, b) < 0 ? -1 : 32 * a + b;
  });
}

}  // namespace yupana::splice
