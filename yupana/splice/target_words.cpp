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
    if (word >= 0) known_[word] = true;
  }
  first_ = word_at(codes, 0);
  last_ = word_at(codes, last);
}

bool TargetWords::has(std::span<const std::int8_t> codes, std::int64_t place) const {
  if (known_.empty()) return false;
  const std::int64_t word = word_at(codes, place);
  return word >= 0 && known_[word];
}

bool TargetWords::is_first(std::span<const std::int8_t> codes, std::int64_t place) const {
  return first_ >= 0 && word_at(codes, place) == first_;
}

bool TargetWords::is_last(std::span<const std::int8_t> codes, std::int64_t place) const {
  return last_ >= 0 && word_at(codes, place) == last_;
}

}  // namespace yupana::splice
