// Where the frame of a protein's gene may be broken.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>

#include "yupana/splice/frameshifts.hpp"

namespace yupana::splice {
namespace {

/// Letters [first, last) of the protein against codons: letter j lies at base diagonal + 3 j.
struct Segment {
  std::int64_t diagonal = 0, first = 0, last = 0, score = 0;
};

// In units of BLOSUM62: of the weaker and the stronger of two segments, and what one may lose
// inside.
constexpr std::int64_t least_weak = 20, least_strong = 40, most_lost = 20;
/// Letters by which two segments may overlap or lie apart.
constexpr std::int64_t slack = 10;
constexpr std::size_t most_edits = 12;

class EditFinder {
 public:
  EditFinder(std::string_view bases,
             std::string_view protein,
             const ProteinParams& params,
             int scale)
      : letters_(std::ssize(protein)), protein_(protein), params_(params), scale_(scale) {
    for (std::size_t at = 0; at + 3 <= bases.size(); ++at) {
      amino_ += params.code.translate(bases[at], bases[at + 1], bases[at + 2]);
    }
  }

  std::vector<FrameEdit> edits() {
    find_segments();
    for (const Segment& s : segments_) add_stops(s);
    add_shifts();
    const auto better = [](const FrameEdit& a, const FrameEdit& b) {
      return std::tie(b.gain, a.place, a.skipped) < std::tie(a.gain, b.place, b.skipped);
    };
    std::sort(edits_.begin(), edits_.end(), better);
    std::vector<FrameEdit> best;
    for (const FrameEdit& edit : edits_) {
      const auto is_near = [&](const FrameEdit& other) {
        return other.skipped == edit.skipped && std::abs(other.place - edit.place) < 3;
      };
      if (best.size() == most_edits) break;
      if (std::none_of(best.begin(), best.end(), is_near)) best.push_back(edit);
    }
    return best;
  }

 private:
  std::int64_t pair(std::int64_t diagonal, std::int64_t letter) const {
    const std::int64_t at = diagonal + 3 * letter;
    if (at < 0 || at >= std::ssize(amino_)) return -1'000'000;
    // A stop codon may be paid for.
    const char amino = amino_[at] == '*' && protein_[letter] != '*' ? 'X' : amino_[at];
    return params_.align.substitution.score(amino, protein_[letter]);
  }

  void find_segments() {
    const std::int64_t codons = std::ssize(amino_);
    for (std::int64_t diagonal = 3 - 3 * letters_; diagonal < codons; ++diagonal) {
      const std::int64_t from = diagonal < 0 ? (2 - diagonal) / 3 : 0;
      const std::int64_t to = std::min(letters_, (codons - diagonal + 2) / 3);
      Segment best{diagonal, from, from, 0};
      std::int64_t sum = 0;
      const auto keep = [&](std::int64_t next) {
        if (best.score >= scale_ * least_weak) segments_.push_back(best);
        best = {diagonal, next, next, 0};
        sum = 0;
      };
      for (std::int64_t letter = from; letter < to; ++letter) {
        sum += pair(diagonal, letter);
        if (sum > best.score) best.score = sum, best.last = letter + 1;
        if (sum <= 0 || sum < best.score - scale_ * most_lost) keep(letter + 1);
      }
      keep(to);
    }
  }

  void add_stops(const Segment& segment) {
    if (segment.score < scale_ * least_strong) return;
    for (std::int64_t letter = segment.first; letter < segment.last; ++letter) {
      const std::int64_t at = segment.diagonal + 3 * letter;
      if (amino_[at] == '*' && protein_[letter] != '*') edits_.push_back({at, 0, segment.score});
    }
  }

  void add_shifts() {
    std::map<std::int64_t, std::vector<const Segment*>> by_diagonal;
    for (const Segment& s : segments_) by_diagonal[s.diagonal].push_back(&s);
    for (const Segment& before : segments_) {
      for (const std::int64_t shift : {-5, -4, -2, -1, 1, 2, 4, 5}) {
        const auto others = by_diagonal.find(before.diagonal + shift);
        if (others == by_diagonal.end()) continue;
        for (const Segment* after : others->second) add_shift(before, *after);
      }
    }
  }

  /// Where `after` best takes over from `before`.
  void add_shift(const Segment& before, const Segment& after) {
    if (std::max(before.score, after.score) < scale_ * least_strong) return;
    if (before.first >= after.first || before.last >= after.last) return;
    if (after.first > before.last + slack || after.first < before.last - slack) return;
    const std::int64_t shift = after.diagonal - before.diagonal;
    const std::int64_t left_out = shift < 0 ? (2 - shift) / 3 : 0;  // letters
    const std::int64_t from =
        std::max(before.first + 1, std::min(before.last, after.first) - slack);
    const std::int64_t to =
        std::min(after.last - 1 - left_out, std::max(before.last, after.first) + slack);
    FrameEdit best;
    for (std::int64_t letter = from; letter <= to; ++letter) {
      std::int64_t gain = 0;
      for (std::int64_t j = before.first; j < letter; ++j) gain += pair(before.diagonal, j);
      for (std::int64_t j = letter + left_out; j < after.last; ++j) gain += pair(after.diagonal, j);
      if (gain <= best.gain) continue;
      best = {before.diagonal + 3 * letter, static_cast<int>((shift % 3 + 3) % 3), gain};
    }
    if (best.gain > std::max(before.score, after.score)) edits_.push_back(best);
  }

  const std::int64_t letters_;
  const std::string_view protein_;
  const ProteinParams& params_;
  const int scale_;
  std::string amino_;  ///< of the codon that begins at each base
  std::vector<Segment> segments_;
  std::vector<FrameEdit> edits_;
};

}  // namespace

std::vector<FrameEdit> frame_edits(std::string_view bases,
                                   std::string_view protein,
                                   const ProteinParams& params,
                                   int score_scale) {
  return EditFinder(bases, protein, params, score_scale).edits();
}

}  // namespace yupana::splice
