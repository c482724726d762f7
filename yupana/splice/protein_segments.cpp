#include "yupana/splice/protein_segments.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "yupana/splice/low_complexity.hpp"
#include "yupana/splice/pieces.hpp"
#include "yupana/splice/substitution.hpp"

namespace yupana::splice {
namespace {

// An amino acid's code is its place here; nothing is aligned beyond `past_end`.
constexpr std::string_view coded_aminos = "ARNDCQEGHILKMFPSTWYV";
constexpr int aminos = 20;
constexpr std::uint8_t unknown_amino = 20, stop_codon = 21, past_end = 22;
constexpr int amino_codes = 32;

constexpr int seed_letters = 3;
constexpr int seed_score = 12;            // of a word with that of the protein
constexpr std::int32_t seed_window = 40;  // letters from one word to the next on its diagonal
constexpr int x_drop = 16;                // a segment ends so far below its best score
constexpr int least_score = 30;
constexpr double chance_segments = 32;
constexpr std::size_t most_segments = 4096;
constexpr std::int64_t piece_margin = 3 * 512;  // bases beyond a piece, for segments to end in

/// BLOSUM62 by codes.
class AminoScores {
 public:
  AminoScores() {
    const Substitution blosum = Substitution::blosum62();
    const auto letter = [](int code) {
      return code < aminos        ? coded_aminos[static_cast<std::size_t>(code)]
             : code == stop_codon ? '*'
                                  : 'X';
    };
    for (int a = 0; a < amino_codes; ++a) {
      for (int b = 0; b < amino_codes; ++b) {
        table_[a * amino_codes + b] = static_cast<std::int8_t>(
            std::max(a, b) >= past_end ? -100 : blosum.score(letter(a), letter(b)));
      }
    }
  }
  int operator()(std::uint8_t a, std::uint8_t b) const { return table_[a * amino_codes + b]; }

 private:
  std::array<std::int8_t, amino_codes * amino_codes> table_{};
};

const AminoScores& amino_scores() {
  static const AminoScores scores;
  return scores;
}

std::uint8_t amino_code(char amino) {
  const char upper = amino >= 'a' && amino <= 'z' ? static_cast<char>(amino - 'a' + 'A') : amino;
  const std::size_t at = coded_aminos.find(upper);
  if (at != std::string_view::npos) return static_cast<std::uint8_t>(at);
  return upper == '*' ? stop_codon : unknown_amino;
}

/// Some proteins, one after the other, and where words that seed begin in them.
class SeedTable {
 public:
  explicit SeedTable(std::span<const std::string_view> proteins)
      : starts_(aminos * aminos * aminos + 1, 0) {
    // No two words of neighbours are near on one diagonal.
    const auto end_one = [&] { letters_.insert(letters_.end(), seed_window, past_end); };
    end_one();
    for (const std::string_view protein : proteins) {
      begins_.push_back(static_cast<std::int32_t>(letters_.size()));
      const std::vector<bool> repeat = low_complexity_amino_acids(protein);
      for (std::size_t i = 0; i < protein.size(); ++i) {
        letters_.push_back(repeat[i] ? unknown_amino : amino_code(protein[i]));
      }
      end_one();
    }
    each_neighbour([&](int key, std::int32_t) { ++starts_[key + 1]; });
    for (std::size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
    words_.resize(static_cast<std::size_t>(starts_.back()));
    std::vector<std::int32_t> next(starts_.begin(), starts_.end() - 1);
    each_neighbour([&](int key, std::int32_t letter) { words_[next[key]++] = letter; });
  }

  const std::vector<std::uint8_t>& letters() const { return letters_; }
  /// Letters at which words begin that seed with the word of three codes.
  std::span<const std::int32_t> find(int a, int b, int c) const {
    const int key = (a * aminos + b) * aminos + c;
    return std::span(words_).subspan(starts_[key], starts_[key + 1] - starts_[key]);
  }
  /// The protein that has a letter, and which of its letters it is.
  std::pair<std::size_t, std::int32_t> owner(std::int32_t letter) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), letter);
    return {static_cast<std::size_t>(next - begins_.begin()) - 1, letter - next[-1]};
  }

 private:
  template <class Put>
  void each_neighbour(const Put& put) const {
    std::array<int, aminos> highest{};
    for (std::uint8_t a = 0; a < aminos; ++a) highest[a] = amino_scores()(a, a);
    for (std::size_t i = 0; i + seed_letters <= letters_.size(); ++i) {
      const std::uint8_t x = letters_[i], y = letters_[i + 1], z = letters_[i + 2];
      if (std::max({x, y, z}) >= aminos) continue;
      for (std::uint8_t a = 0; a < aminos; ++a) {
        const int one = amino_scores()(a, x);
        if (one + highest[y] + highest[z] < seed_score) continue;
        for (std::uint8_t b = 0; b < aminos; ++b) {
          const int two = one + amino_scores()(b, y);
          if (two + highest[z] < seed_score) continue;
          for (std::uint8_t c = 0; c < aminos; ++c) {
            if (two + amino_scores()(c, z) < seed_score) continue;
            put((a * aminos + b) * aminos + c, static_cast<std::int32_t>(i));
          }
        }
      }
    }
  }

  std::vector<std::uint8_t> letters_;
  std::vector<std::int32_t> begins_;
  std::vector<std::int32_t> starts_, words_;
};

/// Codes of the amino acids that begin at each base of a piece, `past_end` after the last.
std::vector<std::uint8_t> translated(std::string_view bases,
                                     const Piece& piece,
                                     const GeneticCode& code) {
  std::array<std::uint8_t, base_codes * base_codes * base_codes> amino{};
  for (int i = 0; i < static_cast<int>(amino.size()); ++i) {
    amino[i] = amino_code(code.translate_codes(
        i / base_codes / base_codes, i / base_codes % base_codes, i % base_codes));
  }
  const std::int64_t size = piece.past - piece.first;
  const bool minus = piece.strand % 2 == 1;
  const auto base_at = [&](std::int64_t i) {
    if (!minus) return base_code(bases[piece.first + i]);
    const int base = base_code(bases[std::ssize(bases) - 1 - piece.first - i]);
    return base < 4 ? 3 - base : base;
  };
  std::vector<std::uint8_t> text(static_cast<std::size_t>(size), past_end);
  for (std::int64_t i = 0, codon = 0; i < size; ++i) {
    codon = codon % (base_codes * base_codes) * base_codes + base_at(i);
    if (i >= 2) text[i - 2] = amino[codon];
  }
  return text;
}

/// A segment, its protein's letters counted along all of the table.
struct Stretch {
  std::int32_t place = 0;  ///< in the piece
  std::int32_t letter = 0, letters = 0, score = 0;
};

/// The best segment that holds the codon at `place` along the letter.
Stretch extended(const std::vector<std::uint8_t>& text,
                 const std::vector<std::uint8_t>& letters,
                 std::int32_t place,
                 std::int32_t letter) {
  const AminoScores& score = amino_scores();
  const auto size = static_cast<std::int32_t>(text.size());
  int sum = 0, best = 0;
  std::int32_t after = 0, before = 0;
  for (std::int32_t k = 0; place + 3 * k < size && sum > best - x_drop; ++k) {
    sum += score(text[place + 3 * k], letters[letter + k]);
    if (sum > best) best = sum, after = k + 1;
  }
  sum = best;
  for (std::int32_t k = 1; place - 3 * k >= 0 && sum > best - x_drop; ++k) {
    sum += score(text[place - 3 * k], letters[letter - k]);
    if (sum > best) best = sum, before = k;
  }
  return {place - 3 * before, letter - before, before + after, best};
}

/// The segments of a piece that score `least` or more.
std::vector<Stretch> search_piece(const std::vector<std::uint8_t>& text,
                                  const SeedTable& table,
                                  std::int32_t least) {
  const std::vector<std::uint8_t>& letters = table.letters();
  // A diagonal's entry of one round is too old in the next.
  const auto round = static_cast<std::int32_t>(
      std::bit_ceil(3 * letters.size() + 3 * static_cast<std::size_t>(seed_window) + 1));
  std::vector<std::int32_t> last(static_cast<std::size_t>(round), -round);
  std::vector<Stretch> found;
  for (std::int32_t i = 0; i + 3 * (seed_letters - 1) < static_cast<std::int32_t>(text.size());
       ++i) {
    const std::uint8_t a = text[i], b = text[i + 3], c = text[i + 6];
    if (std::max({a, b, c}) >= aminos) continue;
    for (const std::int32_t letter : table.find(a, b, c)) {
      std::int32_t& before = last[(i - 3 * letter) & (round - 1)];
      const std::int32_t distance = i - before;
      if (distance < 3 * seed_letters) continue;  // overlaps it, or is in its segment
      before = i;
      if (distance > 3 * seed_window) continue;
      const Stretch one = extended(text, letters, i, letter);
      before = std::max(i, one.place + 3 * (one.letters - seed_letters));
      if (one.score >= least) found.push_back(one);
    }
  }
  return found;
}

/// The score that chance has so many times in sequences of `bases` and a protein.
std::int32_t least_segment_score(double bases, std::size_t letters) {
  constexpr double lambda = 0.318, k = 0.134;  // BLOSUM62 without gaps
  const double pairs = 2 * bases * static_cast<double>(letters);
  const double score = std::log(std::max(1.0, k * pairs / chance_segments)) / lambda;
  return std::max(least_score, static_cast<std::int32_t>(std::ceil(score)));
}

/// Leaves the best, each once.
void keep_best(std::vector<ProteinSegment>& segments) {
  const auto order = [](const ProteinSegment& s) {
    return std::tuple(-s.score, s.strand, s.place, s.letter, s.letters);
  };
  std::sort(segments.begin(), segments.end(), [&](const auto& a, const auto& b) {
    return order(a) < order(b);
  });
  const auto same = [&](const auto& a, const auto& b) { return order(a) == order(b); };
  segments.erase(std::unique(segments.begin(), segments.end(), same), segments.end());
  if (segments.size() > most_segments) segments.resize(most_segments);
}

}  // namespace

std::uint64_t segment_bytes(std::int64_t letters, int threads) {
  const auto together = static_cast<std::uint64_t>(std::max(letters, segment_letters));
  const std::uint64_t piece = piece_bases + 4 * piece_margin + 32 * together;  // diagonals: 24
  const std::uint64_t segments = segment_proteins * 2 * most_segments * sizeof(ProteinSegment);
  return segments + 128 * together + 2 * static_cast<std::uint64_t>(threads) * piece;
}

std::vector<std::vector<ProteinSegment>> protein_segments(
    Context& context,
    std::span<const std::string_view> sequences,
    std::span<const std::string_view> proteins,
    const GeneticCode& code) {
  const std::vector<Piece> pieces = pieces_of(sequences, piece_margin);
  double bases = 0;
  for (const std::string_view sequence : sequences) bases += static_cast<double>(sequence.size());
  const SeedTable table(proteins);
  std::vector<std::int32_t> least;  // score of each protein's
  for (const std::string_view protein : proteins) {
    least.push_back(least_segment_score(bases, protein.size()));
  }
  const std::int32_t any = least.empty() ? 0 : *std::min_element(least.begin(), least.end());
  const auto find = [&](std::int64_t i) {
    const Piece& piece = pieces[static_cast<std::size_t>(i)];
    return search_piece(translated(sequences[piece.strand / 2], piece, code), table, any);
  };
  std::vector<std::vector<ProteinSegment>> result(proteins.size());
  auto at = pieces.begin();
  context.in_order(std::ssize(pieces), find, [&](const std::vector<Stretch>& found) {
    context.check_cancelled();
    for (const Stretch& one : found) {
      const auto [protein, letter] = table.owner(one.letter);
      if (one.score < least[protein]) continue;
      std::vector<ProteinSegment>& own = result[protein];
      own.push_back({at->strand, one.score, letter, one.letters, at->first + one.place});
      if (own.size() == 2 * most_segments) keep_best(own);
    }
    ++at;
  });
  for (std::vector<ProteinSegment>& own : result) keep_best(own);
  return result;
}

}  // namespace yupana::splice
