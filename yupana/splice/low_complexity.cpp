#include "yupana/splice/low_complexity.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

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
