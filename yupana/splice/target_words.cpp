#include "yupana/splice/target_words.hpp"

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
constexpr std::int64_t most_letters = 25;

}  // namespace

TargetWords::TargetWords(std::string_view target) {
  if (std::ssize(target) < length) return;
  std::vector<std::int8_t> codes;
  codes.reserve(target.size());
  for (const char letter : target) codes.push_back(static_cast<std::int8_t>(base_code(letter)));
  known_.assign(std::size_t{1} << (2 * length), false);
  const std::int64_t last = std::ssize(codes) - length;
  for (std::int64_t place = 0; place <= last; ++place) {
    const std::int64_t word = word_at(codes, place);
    if (word < 0) continue;
    known_[word] = true;
    if (place < most_letters) first_.emplace_back(word, place);
  }
  for (std::int64_t behind = 0; behind < most_letters && behind <= last; ++behind) {
    last_.emplace_back(word_at(codes, last - behind), behind);
  }
}

std::int64_t TargetWords::at(std::span<const std::int8_t> codes, std::int64_t place) const {
  if (known_.empty()) return -1;
  const std::int64_t word = word_at(codes, place);
  return word >= 0 && known_[word] ? word : -1;
}

std::int64_t TargetWords::find(const Ends& ends, std::int64_t word) {
  for (const auto& [known, letters] : ends) {
    if (known == word) return letters;
  }
  return -1;
}

}  // namespace yupana::splice
