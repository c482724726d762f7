#include "yupana/splice/target_words.hpp"

#include <algorithm>

#include "yupana/splice/genetic_code.hpp"

namespace yupana::splice {
namespace {

/// A word as a number to the base 4; -1 where it is none.
std::int64_t word_at(std::span<const std::int8_t> codes, std::int64_t place) {
  if (place < 0 || place + TargetWords::length > std::ssize(codes)) return -1;
  std::int64_t word = 0;
  for (const std::int8_t code : codes.subspan(place, TargetWords::length)) {
    if (code > 3) return -1;
    word = 4 * word + code;
  }
  return word;
}

// Errors are many at the ends of reads; as far from them a word is looked for.
constexpr std::int64_t most_letters = 100;

// Letters beyond a word, and how many of them agree where it is one alone that does not.
constexpr int looked_at = 8, least_equal = 6;

}  // namespace

TargetWords::TargetWords(std::string_view target) {
  if (std::ssize(target) < length) return;
  std::vector<std::int8_t>& codes = target_;
  codes.reserve(target.size());
  for (const char letter : target) codes.push_back(static_cast<std::int8_t>(base_code(letter)));
  known_.assign(std::size_t{1} << (2 * length), false);
  const std::int64_t last = std::ssize(codes) - length;
  for (std::int64_t place = 0; place <= last; ++place) {
    const std::int64_t word = word_at(codes, place);
    if (word < 0) continue;
    known_[word] = true;
    all_.emplace_back(word, place);
    if (place < most_letters) first_.emplace_back(word, place);
  }
  for (std::int64_t behind = 0; behind < most_letters && behind <= last; ++behind) {
    last_.emplace_back(word_at(codes, last - behind), behind);
  }
  std::sort(all_.begin(), all_.end());
}

std::int64_t TargetWords::at(std::span<const std::int8_t> codes, std::int64_t place) const {
  if (known_.empty()) return -1;
  const std::int64_t word = word_at(codes, place);
  return word >= 0 && known_[word] ? word : -1;
}

std::int64_t TargetWords::leaves_before(std::span<const std::int8_t> codes,
                                        std::int64_t place) const {
  return leaves(codes, place, -1, -1);
}

std::int64_t TargetWords::leaves_behind(std::span<const std::int8_t> codes,
                                        std::int64_t place) const {
  return leaves(codes, place, length, 1);
}

std::int64_t TargetWords::leaves(std::span<const std::int8_t> codes,
                                 std::int64_t place,
                                 std::int64_t beyond,
                                 int step) const {
  const std::int64_t word = at(codes, place);
  if (word < 0) return -1;
  std::int64_t furthest = -1;
  for (auto own = std::lower_bound(all_.begin(), all_.end(), std::pair(word, std::int64_t{0}));
       own != all_.end() && own->first == word;
       ++own) {
    const std::int64_t letters = leaves_from(codes, place + beyond, own->second + beyond, step);
    if (letters < 0) return -1;
    furthest = std::max(furthest, letters);
  }
  return furthest;
}

std::int64_t TargetWords::leaves_from(std::span<const std::int8_t> codes,
                                      std::int64_t base,
                                      std::int64_t letter,
                                      int step) const {
  const auto leaves_at = [&](std::int64_t shift) {
    const std::int64_t b = base + shift * step, l = letter + shift * step;
    const std::int64_t last = l + (looked_at - 1) * step;
    const auto goes_on = [&](std::int64_t from, std::int64_t to) {
      int same = 0;
      for (int i = 0; i < looked_at; ++i) {
        same += equal_run(codes, from + i * step, to + i * step, step, 1) > 0;
      }
      return same >= least_equal;
    };
    return last >= 0 && last < std::ssize(target_) && equal_run(codes, b, l, step, 1) == 0 &&
           !goes_on(b + step, l + step) && !goes_on(b + step, l) && !goes_on(b, l + step);
  };
  // After one letter that is another; ten equal ones would be a word.
  const std::int64_t run = equal_run(codes, base + step, letter + step, step, length);
  if (run > 0 && run < length && leaves_at(1 + run) &&
      equal_run(codes, base, letter, step, 1) == 0) {
    return 1 + run;
  }
  return leaves_at(0) ? 0 : -1;
}

std::int64_t TargetWords::equal_run(std::span<const std::int8_t> codes,
                                    std::int64_t base,
                                    std::int64_t letter,
                                    int step,
                                    std::int64_t most) const {
  std::int64_t run = 0;
  for (; run < most; ++run, base += step, letter += step) {
    if (base < 0 || base >= std::ssize(codes) || letter < 0 || letter >= std::ssize(target_) ||
        codes[base] != target_[letter]) {
      break;
    }
  }
  return run;
}

std::int64_t TargetWords::find(const Ends& ends, std::int64_t word) {
  for (const auto& [known, letters] : ends) {
    if (known == word) return letters;
  }
  return -1;
}

}  // namespace yupana::splice
