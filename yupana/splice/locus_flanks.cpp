#include "yupana/splice/locus_flanks.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/low_complexity.hpp"

namespace yupana::splice {
namespace {

constexpr std::int64_t flank_word = 8;
constexpr std::uint32_t flank_words = 1 << (2 * flank_word);
constexpr std::int64_t mismatch = -2, drop = 6;
// Of such scores: log2 of the x above 1 for which x / 4 + 3 / (4 x^2) is 1.
constexpr double bits_a_match = 1.923;
constexpr double bits_of_evidence = 5;

/// Calls put(word, place) for each word of eight known bases.
template <class Put>
void each_flank_word(const std::string& codes, const Put& put) {
  std::uint32_t word = 0;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    known = codes[i] < 4 ? known + 1 : 0;
    word = (word << 2 | static_cast<std::uint32_t>(codes[i] & 3)) % flank_words;
    if (known >= flank_word && !put(word, static_cast<std::int64_t>(i) + 1 - flank_word)) return;
  }
}

std::string codes_of(std::string_view text) {
  std::string codes(text);
  for (char& code : codes) code = static_cast<char>(base_code(code));
  return codes;
}

/// Two texts of base codes along each other.
class Segments {
 public:
  Segments(const std::string& text, const std::string& letters) : text_(text), letters_(letters) {}

  /// The best score from there on in steps of 1 or -1, and how many bases it takes.
  std::pair<std::int64_t, std::int64_t> extended(std::int64_t place,
                                                 std::int64_t letter,
                                                 int step) const {
    std::int64_t score = 0, best = 0, bases = 0;
    for (std::int64_t n = 1; place >= 0 && letter >= 0 && place < std::ssize(text_) &&
                             letter < std::ssize(letters_) && score > best - drop;
         ++n, place += step, letter += step) {
      score += text_[place] == letters_[letter] && text_[place] < 4 ? 1 : mismatch;
      if (score <= best) continue;
      best = score;
      bases = n;
    }
    return {best, bases};
  }

 private:
  const std::string& text_;
  const std::string& letters_;
};

}  // namespace

std::int64_t nearest_bases(std::int64_t letters) {
  return letters > 2 ? 2000 : std::int64_t{50} << (2 * letters);
}

std::int64_t furthest_evidence(std::string_view text, std::string_view letters) {
  if (std::ssize(letters) < flank_word) return 0;
  const std::string bases = codes_of(text);
  std::string own = codes_of(letters);
  const std::vector<bool> repeats = low_complexity_bases(letters);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (repeats[i]) own[i] = base_codes;  // equal to none
  }
  std::bitset<flank_words> known;
  std::vector<std::pair<std::uint32_t, std::int64_t>> words;
  each_flank_word(own, [&](std::uint32_t word, std::int64_t letter) {
    known[word] = true;
    words.emplace_back(word, letter);
    return true;
  });
  std::sort(words.begin(), words.end());
  const double pairs = static_cast<double>(bases.size()) * static_cast<double>(own.size());
  const double least = (std::log2(pairs) + bits_of_evidence) / bits_a_match;
  const Segments segments(bases, own);
  std::int64_t furthest = 0;
  each_flank_word(bases, [&](std::uint32_t word, std::int64_t place) {
    if (!known[word]) return true;
    auto at = std::lower_bound(words.begin(), words.end(), std::pair(word, std::int64_t{0}));
    for (; at != words.end() && at->first == word && furthest == 0; ++at) {
      const auto before = segments.extended(place - 1, at->second - 1, -1);
      const auto behind = segments.extended(place + flank_word, at->second + flank_word, 1);
      if (static_cast<double>(before.first + flank_word + behind.first) < least) continue;
      furthest =
          std::ssize(bases) - place + before.second + nearest_bases(at->second - before.second);
    }
    return furthest == 0;
  });
  return furthest;
}

void narrow_locus(Locus& locus,
                  std::string_view strand,
                  std::string_view target,
                  std::int64_t length) {
  if (locus.words.empty()) return;
  // Past the end of `before`, and the first of `behind`, the chain begins and ends.
  const std::int64_t first = locus.words.front(), last = locus.words.back() + length - 1;
  const auto beyond = [](std::string_view text, std::string_view letters) {
    const std::int64_t nearest = nearest_bases(std::ssize(letters));
    const std::int64_t far = std::ssize(text) - nearest;
    if (far <= 0) return std::ssize(text);
    const std::int64_t more =
        furthest_evidence(text.substr(0, static_cast<std::size_t>(far)), letters);
    return std::min(std::ssize(text), nearest + more);
  };
  const auto part = [](std::string_view text, std::int64_t from, std::int64_t end) {
    return text.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(end - from));
  };
  const std::int64_t before =
      beyond(part(strand, locus.first - 1, first - 1), part(target, 0, locus.first_letter));
  std::string text(part(strand, last, locus.last));
  std::string letters(part(target, locus.last_letter, std::ssize(target)));
  std::reverse(text.begin(), text.end());
  std::reverse(letters.begin(), letters.end());
  const std::int64_t behind = beyond(text, letters);
  locus.first = first - before;
  locus.last = last + behind;
}

}  // namespace yupana::splice
