#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/splice/locus_chains.hpp"

/// Private to the searches for far relatives: their segments, stretches of a target and of a strand
/// along each other without a gap, and the loci of chains of these. A search says what a letter is:
///   step                          bases a letter of the target
///   codes(target), text(bases, piece)   letters as numbers; `past_end` where nothing is aligned
///   score(text, letter)
///   seed_letters, seed_keys       words that seed, and how many there are
///   words(text, put), seeds(letters, put)   put(key, place) of the words of a text, and of those
///                                 that seed along letters of targets
///   x_drop                        a segment ends so far below its best score
///   lambda, k, chance_segments, least_score   (Karlin-Altschul) a segment scores what chance has
///                                 so many times at most, and at least so much
///   piece_margin                  bases beyond a piece, for segments to end in
///   chain_word, evidence(score)   a segment counts as words of so many letters that cover so many
///   rules(params), leave(loci)    of chains; what is kept of the loci of a target
namespace yupana::splice {

/// What is searched at a time: bases [first, past) of a strand, from 0 along it.
struct Piece {
  std::uint32_t strand = 0;  ///< 2 x sequence, + 1 on its - strand
  std::int64_t first = 0, past = 0;
};
inline constexpr std::int64_t piece_bases = 1 << 19;

/// Both strands of all sequences in pieces, each with `margin` bases more for segments to end in.
inline std::vector<Piece> pieces_of(std::span<const std::string_view> sequences,
                                    std::int64_t margin) {
  std::vector<Piece> pieces;
  for (std::uint32_t strand = 0; strand < 2 * sequences.size(); ++strand) {
    const std::int64_t size = std::ssize(sequences[strand / 2]);
    for (std::int64_t first = 0; first < size; first += piece_bases) {
      pieces.push_back({strand,
                        std::max<std::int64_t>(0, first - margin),
                        std::min(size, first + piece_bases + margin)});
    }
  }
  return pieces;
}

inline constexpr std::int32_t seed_window = 40;  ///< letters between two words on a diagonal
inline constexpr std::size_t most_segments = 4096;
/// Targets, and letters of them, that are searched for together at most.
inline constexpr std::size_t together_targets = 64;
inline constexpr std::int64_t together_letters = 1 << 14;

/// A segment: its first letter and base, from 0.
struct FarSegment {
  std::uint32_t strand = 0;  ///< 2 x sequence, + 1 on its - strand
  std::int32_t score = 0, letter = 0, letters = 0;
  std::int64_t place = 0;
};

/// Some targets, one after the other, and where words that seed begin in them.
class SeedTable {
 public:
  template <class Search>
  SeedTable(const Search& search, std::span<const std::string_view> targets)
      : starts_(Search::seed_keys + 1, 0) {
    // No two words of neighbours are near on one diagonal.
    const auto end_one = [&] { letters_.insert(letters_.end(), seed_window, Search::past_end); };
    end_one();
    for (const std::string_view target : targets) {
      begins_.push_back(static_cast<std::int32_t>(letters_.size()));
      const std::vector<std::uint8_t> codes = search.codes(target);
      letters_.insert(letters_.end(), codes.begin(), codes.end());
      end_one();
    }
    search.seeds(letters_, [&](std::uint32_t key, std::int32_t) { ++starts_[key + 1]; });
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    words_.resize(static_cast<std::size_t>(starts_.back()));
    std::vector<std::int32_t> next(starts_.begin(), starts_.end() - 1);
    search.seeds(letters_, [&](std::uint32_t key, std::int32_t at) { words_[next[key]++] = at; });
  }

  const std::vector<std::uint8_t>& letters() const { return letters_; }
  std::span<const std::int32_t> find(std::uint32_t key) const {
    return std::span(words_).subspan(starts_[key], starts_[key + 1] - starts_[key]);
  }
  /// The target that has a letter, and which of its letters it is.
  std::pair<std::size_t, std::int32_t> owner(std::int32_t letter) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), letter);
    return {static_cast<std::size_t>(next - begins_.begin()) - 1, letter - next[-1]};
  }

 private:
  std::vector<std::uint8_t> letters_;
  std::vector<std::int32_t> begins_, starts_, words_;
};

/// The best segment that holds the letter of the text at `place` along the one of the target.
template <class Search>
FarSegment extended(const Search& search,
                    const std::vector<std::uint8_t>& text,
                    const std::vector<std::uint8_t>& letters,
                    std::int32_t place,
                    std::int32_t letter) {
  const auto size = static_cast<std::int32_t>(text.size());
  int best = 0;
  /// Letters of the best score from there on, forwards (1) or backwards (-1).
  const auto along = [&](std::int32_t at, std::int32_t own, int way) {
    int sum = best;
    std::int32_t count = 0;
    for (std::int32_t k = 1; at >= 0 && at < size && sum > best - Search::x_drop; ++k) {
      sum += search.score(text[at], letters[own]);
      if (sum > best) best = sum, count = k;
      at += way * Search::step, own += way;
    }
    return count;
  };
  const std::int32_t after = along(place, letter, 1);
  const std::int32_t before = along(place - Search::step, letter - 1, -1);
  return {0, best, letter - before, before + after, place - Search::step * before};
}

/// The segments of a piece that score `least` or more; their letters are those of the table.
template <class Search>
std::vector<FarSegment> search_piece(const Search& search,
                                     const std::vector<std::uint8_t>& text,
                                     const SeedTable& table,
                                     std::int32_t least) {
  constexpr std::int32_t word = Search::step * Search::seed_letters;
  const std::vector<std::uint8_t>& letters = table.letters();
  // A diagonal's entry of one round is too old in the next.
  const auto round = static_cast<std::int32_t>(
      std::bit_ceil(Search::step * (letters.size() + static_cast<std::size_t>(seed_window)) + 1));
  std::vector<std::int32_t> last(static_cast<std::size_t>(round), -round);
  std::vector<FarSegment> found;
  search.words(text, [&](std::uint32_t key, std::int32_t i) {
    for (const std::int32_t letter : table.find(key)) {
      std::int32_t& before = last[(i - Search::step * letter) & (round - 1)];
      const std::int32_t distance = i - before;
      if (distance < word) continue;  // overlaps it, or is in its segment
      before = i;
      if (distance > Search::step * seed_window) continue;
      const FarSegment one = extended(search, text, letters, i, letter);
      before =
          std::max(i, static_cast<std::int32_t>(one.place) + Search::step * one.letters - word);
      if (one.score >= least) found.push_back(one);
    }
  });
  return found;
}

/// Leaves the best, each once.
inline void keep_best(std::vector<FarSegment>& segments) {
  const auto order = [](const FarSegment& s) {
    return std::tuple(-s.score, s.strand, s.place, s.letter, s.letters);
  };
  std::ranges::sort(segments, {}, [&](const auto& a) { return order(a); });
  const auto same = [&](const auto& a, const auto& b) { return order(a) == order(b); };
  segments.erase(std::unique(segments.begin(), segments.end(), same), segments.end());
  if (segments.size() > most_segments) segments.resize(most_segments);
}

/// The score that chance has so many times in sequences of `bases` and a target.
template <class Search>
std::int32_t least_segment_score(double bases, std::size_t letters) {
  const double pairs = 2 * bases * static_cast<double>(letters);
  const double chance = std::max(1.0, Search::k * pairs / Search::chance_segments);
  return std::max(Search::least_score,
                  static_cast<std::int32_t>(std::ceil(std::log(chance) / Search::lambda)));
}

/// The segments of each of a few targets, best first.
template <class Search>
std::vector<std::vector<FarSegment>> segments_of(Context& context,
                                                 const Search& search,
                                                 std::span<const std::string_view> sequences,
                                                 std::span<const std::string_view> targets) {
  const std::vector<Piece> pieces = pieces_of(sequences, Search::piece_margin);
  double bases = 0;
  for (const std::string_view sequence : sequences) bases += static_cast<double>(sequence.size());
  const SeedTable table(search, targets);
  std::vector<std::int32_t> least;  // score of each target's
  for (const std::string_view target : targets) {
    least.push_back(least_segment_score<Search>(bases, target.size()));
  }
  const std::int32_t any = least.empty() ? 0 : *std::min_element(least.begin(), least.end());
  std::vector<std::vector<FarSegment>> result(targets.size());
  auto at = pieces.begin();
  context.in_order(
      std::ssize(pieces),
      [&](std::int64_t i) {
        const Piece& piece = pieces[static_cast<std::size_t>(i)];
        return search_piece(search, search.text(sequences[piece.strand / 2], piece), table, any);
      },
      [&](const std::vector<FarSegment>& found) {
        context.check_cancelled();
        for (const FarSegment& one : found) {
          const auto [target, letter] = table.owner(one.letter);
          if (one.score < least[target]) continue;
          std::vector<FarSegment>& own = result[target];
          own.push_back({at->strand, one.score, letter, one.letters, at->first + one.place});
          if (own.size() == 2 * most_segments) keep_best(own);
        }
        ++at;
      });
  for (std::vector<FarSegment>& own : result) keep_best(own);
  return result;
}

/// The loci of all targets, from the chains of their segments.
template <class Search>
std::vector<std::vector<Locus>> far_loci(Context& context,
                                         const Search& search,
                                         std::span<const std::string_view> sequences,
                                         std::span<const std::string_view> targets,
                                         const LocusParams& params) {
  std::vector<std::int64_t> ends;
  for (const std::string_view sequence : sequences) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + std::ssize(sequence));
  }
  std::vector<std::vector<Locus>> result;
  while (result.size() < targets.size()) {
    const std::size_t first = result.size();
    std::size_t past = first;
    std::int64_t letters = 0;
    do {
      letters += std::ssize(targets[past++]);
    } while (past < targets.size() && past - first < together_targets &&
             letters + std::ssize(targets[past]) <= together_letters);
    const auto together = targets.subspan(first, past - first);
    const auto segments = segments_of(context, search, sequences, together);
    for (std::size_t t = 0; t < together.size(); ++t) {
      StrandHits hits;
      for (const FarSegment& s : segments[t]) {
        add_segment(hits[s.strand],
                    {s.place, std::int64_t{Search::step} * s.letter},
                    s.letters,
                    Search::evidence(s.score),
                    Search::chain_word,
                    Search::step);
      }
      result.push_back(
          best_loci(hits, Search::rules(params), Search::step * std::ssize(together[t]), ends));
      Search::leave(result.back());
    }
  }
  return result;
}

}  // namespace yupana::splice
