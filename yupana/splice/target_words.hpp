#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace yupana::splice {

/// The words of ten bases that a cDNA has. A gene's own cDNA has those beside every site; one place
/// in 700 begins a word of 1.5 kb by chance.
class TargetWords {
 public:
  static constexpr std::int64_t length = 10;

  /// Shorter targets, and none, have no words.
  explicit TargetWords(std::string_view target);

  /// Whether the target has the word that begins at `place` of a text of base_code(); false where
  /// it is not all there, or has other letters than A, C, G and T.
  bool has(std::span<const std::int8_t> codes, std::int64_t place) const;
  /// Whether it is the target's first word, or its last.
  bool is_first(std::span<const std::int8_t> codes, std::int64_t place) const;
  bool is_last(std::span<const std::int8_t> codes, std::int64_t place) const;

 private:
  std::vector<bool> known_;
  std::int64_t first_ = -1, last_ = -1;  ///< words as numbers; -1: none
};

}  // namespace yupana::splice
