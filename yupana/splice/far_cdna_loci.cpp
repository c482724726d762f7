#include "yupana/splice/far_cdna_loci.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/locus_chains.hpp"
#include "yupana/splice/low_complexity.hpp"
#include "yupana/splice/pieces.hpp"

namespace yupana::splice {
namespace far_cdna {
namespace {

constexpr std::uint8_t unknown_base = 4, past_end = 5;  // nothing is aligned beyond `past_end`
constexpr int seed_letters = 8;
constexpr std::uint32_t seed_keys = 1 << (2 * seed_letters);
constexpr std::int32_t seed_window = 40;  // letters from one word to the next on its diagonal
constexpr int x_drop = 12;                // a segment ends so far below its best score
constexpr int least_score = 16;
constexpr double chance_segments = 4;
constexpr std::size_t most_segments = 4096;
constexpr std::int64_t piece_margin = 1024;  // bases beyond a piece, for segments to end in
constexpr std::size_t together_cdnas = 64;
constexpr std::int64_t together_letters = 1 << 14;

/// A segment: its first letter and base, from 0.
struct Segment {
  std::uint32_t strand = 0;  ///< 2 x sequence, + 1 on its - strand
  std::int32_t score = 0, letter = 0, letters = 0;
  std::int64_t place = 0;
};

/// put(key, place) for the words of known bases.
template <class Put>
void each_seed(const std::vector<std::uint8_t>& codes, const Put& put) {
  std::uint32_t key = 0;
  int known = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    known = codes[i] < unknown_base ? known + 1 : 0;
    key = (key << 2 | (codes[i] & 3u)) % seed_keys;
    if (known >= seed_letters) put(key, static_cast<std::int32_t>(i) + 1 - seed_letters);
  }
}

/// Some cDNAs, one after the other, and where words begin in them.
class SeedTable {
 public:
  explicit SeedTable(std::span<const std::string_view> cdnas) : starts_(seed_keys + 1, 0) {
    // No two words of neighbours are near on one diagonal.
    const auto end_one = [&] { letters_.insert(letters_.end(), seed_window, past_end); };
    end_one();
    for (const std::string_view cdna : cdnas) {
      begins_.push_back(static_cast<std::int32_t>(letters_.size()));
      const std::vector<bool> repeat = low_complexity_bases(cdna);
      for (std::size_t i = 0; i < cdna.size(); ++i) {
        const int code = repeat[i] ? unknown_base : base_code(cdna[i]);
        letters_.push_back(static_cast<std::uint8_t>(std::min<int>(code, unknown_base)));
      }
      end_one();
    }
    each_seed(letters_, [&](std::uint32_t key, std::int32_t) { ++starts_[key + 1]; });
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    words_.resize(static_cast<std::size_t>(starts_.back()));
    std::vector<std::int32_t> next(starts_.begin(), starts_.end() - 1);
    each_seed(letters_, [&](std::uint32_t key, std::int32_t at) { words_[next[key]++] = at; });
  }

  const std::vector<std::uint8_t>& letters() const { return letters_; }
  std::span<const std::int32_t> find(std::uint32_t key) const {
    return std::span(words_).subspan(starts_[key], starts_[key + 1] - starts_[key]);
  }
  /// The cDNA that has a letter, and which of its letters it is.
  std::pair<std::size_t, std::int32_t> owner(std::int32_t letter) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), letter);
    return {static_cast<std::size_t>(next - begins_.begin()) - 1, letter - next[-1]};
  }

 private:
  std::vector<std::uint8_t> letters_;
  std::vector<std::int32_t> begins_, starts_, words_;
};

std::vector<std::uint8_t> codes_of(std::string_view bases, const Piece& piece) {
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(piece.past - piece.first));
  const bool minus = piece.strand % 2 == 1;
  const std::int64_t begin = minus ? std::ssize(bases) - piece.past : piece.first;
  for (std::int64_t i = 0; i < std::ssize(codes); ++i) {
    const int base = base_code(bases[begin + i]);
    const int along = base > 3 ? int{unknown_base} : minus ? 3 - base : base;
    codes[minus ? std::ssize(codes) - 1 - i : i] = static_cast<std::uint8_t>(along);
  }
  return codes;
}

/// The best segment that holds the base at `place` along the letter.
Segment extended(const std::vector<std::uint8_t>& text,
                 const std::vector<std::uint8_t>& letters,
                 std::int32_t place,
                 std::int32_t letter) {
  const auto size = static_cast<std::int32_t>(text.size());
  int best = 0;
  /// Letters of the best score from there on in steps of 1 or -1.
  const auto along = [&](std::int32_t at, std::int32_t own, int step) {
    int sum = best;
    std::int32_t count = 0;
    for (std::int32_t k = 1; at >= 0 && at < size && letters[own] != past_end; ++k) {
      sum += text[at] == letters[own] && text[at] != unknown_base ? 1 : -1;
      if (sum > best) best = sum, count = k;
      if (sum <= best - x_drop) break;
      at += step, own += step;
    }
    return count;
  };
  const std::int32_t after = along(place, letter, 1);
  const std::int32_t before = along(place - 1, letter - 1, -1);
  return {0, best, letter - before, before + after, place - before};
}

/// The segments of a piece that score `least` or more; their letters are those of the table.
std::vector<Segment> search_piece(const std::vector<std::uint8_t>& text,
                                  const SeedTable& table,
                                  std::int32_t least) {
  const std::vector<std::uint8_t>& letters = table.letters();
  // A diagonal's entry of one round is too old in the next.
  const auto round = static_cast<std::int32_t>(
      std::bit_ceil(letters.size() + static_cast<std::size_t>(seed_window) + 1));
  std::vector<std::int32_t> last(static_cast<std::size_t>(round), -round);
  std::vector<Segment> found;
  each_seed(text, [&](std::uint32_t key, std::int32_t i) {
    for (const std::int32_t letter : table.find(key)) {
      std::int32_t& before = last[(i - letter) & (round - 1)];
      const std::int32_t distance = i - before;
      if (distance < seed_letters) continue;  // overlaps it, or is in its segment
      before = i;
      if (distance > seed_window) continue;
      const Segment one = extended(text, letters, i, letter);
      before = std::max(i, static_cast<std::int32_t>(one.place) + one.letters - seed_letters);
      if (one.score >= least) found.push_back(one);
    }
  });
  return found;
}

/// The score that chance has so many times in sequences of `bases` and a cDNA.
std::int32_t least_segment_score(double bases, std::size_t letters) {
  constexpr double lambda = 1.0986, k = 0.333;  // 1 and -1, bases of equal shares
  const double pairs = 2 * bases * static_cast<double>(letters);
  const double score = std::log(std::max(1.0, k * pairs / chance_segments)) / lambda;
  return std::max(least_score, static_cast<std::int32_t>(std::ceil(score)));
}

/// Leaves the best, each once.
void keep_best(std::vector<Segment>& segments) {
  const auto order = [](const Segment& s) {
    return std::tuple(-s.score, s.strand, s.place, s.letter, s.letters);
  };
  std::sort(segments.begin(), segments.end(), [&](const auto& a, const auto& b) {
    return order(a) < order(b);
  });
  const auto same = [&](const auto& a, const auto& b) { return order(a) == order(b); };
  segments.erase(std::unique(segments.begin(), segments.end(), same), segments.end());
  if (segments.size() > most_segments) segments.resize(most_segments);
}

/// The segments of each of a few cDNAs.
std::vector<std::vector<Segment>> segments_of(Context& context,
                                              std::span<const std::string_view> sequences,
                                              std::span<const std::string_view> cdnas) {
  const std::vector<Piece> pieces = pieces_of(sequences, piece_margin);
  double bases = 0;
  for (const std::string_view sequence : sequences) bases += static_cast<double>(sequence.size());
  const SeedTable table(cdnas);
  std::vector<std::int32_t> least;  // score of each cDNA's
  for (const std::string_view cdna : cdnas) {
    least.push_back(least_segment_score(bases, cdna.size()));
  }
  const std::int32_t any = *std::min_element(least.begin(), least.end());
  std::vector<std::vector<Segment>> result(cdnas.size());
  auto at = pieces.begin();
  context.in_order(
      std::ssize(pieces),
      [&](std::int64_t i) {
        const Piece& piece = pieces[static_cast<std::size_t>(i)];
        return search_piece(codes_of(sequences[piece.strand / 2], piece), table, any);
      },
      [&](const std::vector<Segment>& found) {
        context.check_cancelled();
        for (const Segment& one : found) {
          const auto [cdna, letter] = table.owner(one.letter);
          if (one.score < least[cdna]) continue;
          std::vector<Segment>& own = result[cdna];
          own.push_back({at->strand, one.score, letter, one.letters, at->first + one.place});
          if (own.size() == 2 * most_segments) keep_best(own);
        }
        ++at;
      });
  for (std::vector<Segment>& own : result) keep_best(own);
  return result;
}

ChainRules rules_of(const LocusParams& params) {
  ChainRules rules;
  rules.length = seed_letters;
  rules.bases_a_letter = 200;
  rules.bases_a_sum = 200;
  rules.params = params;
  return rules;
}

}  // namespace
}  // namespace far_cdna

std::uint64_t far_cdna_bytes(std::int64_t letters, int threads) {
  using namespace far_cdna;
  const auto together =
      static_cast<std::uint64_t>(std::max(letters, together_letters) + seed_window);
  const std::uint64_t piece = 3 * (piece_bases + 2 * piece_margin) + 8 * together;
  const std::uint64_t segments = together_cdnas * 2 * most_segments * sizeof(Segment);
  return segments + 16 * together + 12 * seed_keys +
         2 * static_cast<std::uint64_t>(threads) * piece;
}

std::vector<std::vector<Locus>> far_cdna_loci(Context& context,
                                              std::span<const std::string_view> sequences,
                                              std::span<const std::string_view> cdnas,
                                              const LocusParams& params) {
  std::vector<std::int64_t> ends;
  for (const std::string_view sequence : sequences) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + std::ssize(sequence));
  }
  std::vector<std::vector<Locus>> result;
  while (result.size() < cdnas.size()) {
    const std::size_t first = result.size();
    std::size_t past = first;
    std::int64_t letters = 0;
    do {
      letters += std::ssize(cdnas[past++]);
    } while (past < cdnas.size() && past - first < far_cdna::together_cdnas &&
             letters + std::ssize(cdnas[past]) <= far_cdna::together_letters);
    const auto together = cdnas.subspan(first, past - first);
    const auto segments = far_cdna::segments_of(context, sequences, together);
    for (std::size_t c = 0; c < together.size(); ++c) {
      StrandHits hits;
      for (const far_cdna::Segment& s : segments[c]) {
        add_segment(hits[s.strand],
                    {s.place, s.letter},
                    s.letters,
                    s.score * 3 / 4,
                    far_cdna::seed_letters,
                    1);
      }
      result.push_back(best_loci(hits, far_cdna::rules_of(params), std::ssize(together[c]), ends));
      std::vector<Locus>& loci = result.back();
      if (!loci.empty() && loci.front().letters < 3 * far_cdna::seed_letters) loci.clear();
      for (Locus& locus : loci) locus.gaps.clear();
    }
  }
  return result;
}

}  // namespace yupana::splice
