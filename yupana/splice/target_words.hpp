#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace yupana::splice {

/// The words of ten bases that a cDNA has. A gene's own cDNA has those beside every site; one place
/// in 700 begins a word of 1.5 kb by chance.
class TargetWords {
 public:
  static constexpr std::int64_t length = 10;

  /// Shorter targets, and none, have no words.
  explicit TargetWords(std::string_view target);

  /// The word that begins at `place` of a text of base_code(), as a number, if the target has it;
  /// -1 where it has not, or the text has not ten of A, C, G and T there.
  std::int64_t at(std::span<const std::int8_t> codes, std::int64_t place) const;
  bool has(std::span<const std::int8_t> codes, std::int64_t place) const {
    return at(codes, place) >= 0;
  }
  /// Whether the text leaves the target right before the word of it at `place`, or right behind: it
  /// goes on neither with the target's next letters, nor behind one that is another, lacks or is
  /// added. Not where the target has fewer than eight letters more.
  bool leaves_before(std::span<const std::int8_t> codes, std::int64_t place) const;
  bool leaves_behind(std::span<const std::int8_t> codes, std::int64_t place) const;
  /// Letters before a word that is one of the target's first, letters behind one of its last: what
  /// is left of the target lies along the text there, but for differences. -1 for other words.
  std::int64_t letters_before(std::int64_t word) const { return find(first_, word); }
  std::int64_t letters_behind(std::int64_t word) const { return find(last_, word); }

 private:
  /// Words and the letters beside them, fewest first.
  using Ends = std::vector<std::pair<std::int64_t, std::int64_t>>;
  static std::int64_t find(const Ends& ends, std::int64_t word);
  /// Along texts and target in steps of 1 or -1, for all places of the word in the target; `beyond`
  /// is the first letter's distance from the word's.
  bool leaves(std::span<const std::int8_t> codes,
              std::int64_t place,
              std::int64_t beyond,
              int step) const;

  std::vector<std::int8_t> target_;
  std::vector<bool> known_;
  Ends first_, last_;
  Ends all_;  ///< with the letters before each
};

}  // namespace yupana::splice
