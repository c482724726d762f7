#include <array>

#include "yupana/splice/loci.hpp"
#include "yupana/splice/segments.hpp"
#include "yupana/splice/significance.hpp"
#include "yupana/splice/substitution.hpp"

namespace yupana::splice {
namespace {

// An amino acid's code is its place here.
constexpr std::string_view coded_aminos = "ARNDCQEGHILKMFPSTWYV";
constexpr int aminos = 20;
constexpr std::uint8_t unknown_amino = 20, stop_codon = 21;

std::uint8_t amino_code(char amino) {
  const char upper = amino >= 'a' && amino <= 'z' ? static_cast<char>(amino - 'a' + 'A') : amino;
  const std::size_t at = coded_aminos.find(upper);
  if (at != std::string_view::npos) return static_cast<std::uint8_t>(at);
  return upper == '*' ? stop_codon : unknown_amino;
}

class FarProteins {
 public:
  static constexpr std::uint8_t past_end = 22;
  static constexpr std::int32_t step = 3;
  static constexpr int seed_letters = 3;
  static constexpr std::uint32_t seed_keys = aminos * aminos * aminos;
  static constexpr int x_drop = 16;
  static constexpr double lambda = 0.318, k = 0.134;  // BLOSUM62 without gaps
  static constexpr double chance_segments = 32;
  static constexpr std::int32_t least_score = 30;
  static constexpr std::int64_t piece_margin = 3 * 512;
  static constexpr std::int64_t chain_word = protein_word;

  explicit FarProteins(const GeneticCode& code) {
    const Substitution blosum = Substitution::blosum62();
    const auto letter = [](int amino) {
      return amino < aminos        ? coded_aminos[static_cast<std::size_t>(amino)]
             : amino == stop_codon ? '*'
                                   : 'X';
    };
    for (int a = 0; a < amino_codes; ++a) {
      for (int b = 0; b < amino_codes; ++b) {
        scores_[a * amino_codes + b] = static_cast<std::int8_t>(
            std::max(a, b) >= past_end ? -100 : blosum.score(letter(a), letter(b)));
      }
    }
    for (int i = 0; i < static_cast<int>(amino_of_.size()); ++i) {
      amino_of_[i] = amino_code(code.translate_codes(
          i / base_codes / base_codes, i / base_codes % base_codes, i % base_codes));
    }
  }

  std::vector<std::uint8_t> codes(std::string_view protein) const {
    const std::vector<bool> repeat = low_complexity_amino_acids(protein);
    std::vector<std::uint8_t> codes(protein.size());
    for (std::size_t i = 0; i < protein.size(); ++i) {
      codes[i] = repeat[i] ? unknown_amino : amino_code(protein[i]);
    }
    return codes;
  }

  /// Codes of the amino acids that begin at each base of a piece, `past_end` after the last.
  std::vector<std::uint8_t> text(std::string_view bases, const Piece& piece) const {
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
      if (i >= 2) text[i - 2] = amino_of_[codon];
    }
    return text;
  }

  /// By BLOSUM62.
  int score(std::uint8_t a, std::uint8_t b) const { return scores_[a * amino_codes + b]; }

  template <class Put>
  void words(const std::vector<std::uint8_t>& text, const Put& put) const {
    for (std::int32_t i = 0; i + 2 * step < static_cast<std::int32_t>(text.size()); ++i) {
      const std::uint8_t a = text[i], b = text[i + step], c = text[i + 2 * step];
      if (std::max({a, b, c}) < aminos) put(key_of(a, b, c), i);
    }
  }
  template <class Put>
  void seeds(const std::vector<std::uint8_t>& letters, const Put& put) const {
    constexpr int seed_score = 12;  // of a word with that of the protein
    std::array<int, aminos> highest{};
    for (std::uint8_t a = 0; a < aminos; ++a) highest[a] = score(a, a);
    for (std::size_t i = 0; i + seed_letters <= letters.size(); ++i) {
      const std::uint8_t x = letters[i], y = letters[i + 1], z = letters[i + 2];
      if (std::max({x, y, z}) >= aminos) continue;
      for (std::uint8_t a = 0; a < aminos; ++a) {
        const int one = score(a, x);
        if (one + highest[y] + highest[z] < seed_score) continue;
        for (std::uint8_t b = 0; b < aminos; ++b) {
          const int two = one + score(b, y);
          if (two + highest[z] < seed_score) continue;
          for (std::uint8_t c = 0; c < aminos; ++c) {
            if (two + score(c, z) < seed_score) continue;
            put(key_of(a, b, c), static_cast<std::int32_t>(i));
          }
        }
      }
    }
  }

  // A base for two of the score is about a bit of evidence as in words found by their letters.
  static std::int64_t evidence(std::int32_t score) { return score / 6; }
  static ChainRules rules(const LocusParams& params) { return protein_chain_rules(params); }
  /// Chance has loci of fewer letters than three words have: the best two are as good as all.
  static void leave(std::vector<Locus>& loci) {
    const bool chance = !loci.empty() && loci.front().letters < 3 * step * protein_word;
    if (chance && loci.size() > 2) loci.resize(2);
  }

 private:
  static constexpr int amino_codes = 32;
  static std::uint32_t key_of(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return (a * aminos + b) * aminos + c;
  }

  std::array<std::int8_t, amino_codes * amino_codes> scores_{};
  std::array<std::uint8_t, base_codes * base_codes * base_codes> amino_of_{};
};

}  // namespace

std::uint64_t far_protein_bytes(std::int64_t letters, int threads) {
  const auto together = static_cast<std::uint64_t>(std::max(letters, together_letters));
  const std::uint64_t piece = piece_bases + 4 * FarProteins::piece_margin + 32 * together;
  const std::uint64_t segments = together_targets * 2 * most_segments * sizeof(FarSegment);
  return segments + 128 * together + 2 * static_cast<std::uint64_t>(threads) * piece;
}

std::vector<std::vector<Locus>> far_protein_loci(Context& context,
                                                 std::span<const std::string_view> sequences,
                                                 std::span<const std::string_view> proteins,
                                                 const GeneticCode& code,
                                                 const LocusParams& params) {
  return far_loci(context, FarProteins(code), sequences, proteins, params);
}

std::vector<std::vector<FarSegment>> protein_segments(Context& context,
                                                      std::span<const std::string_view> sequences,
                                                      std::span<const std::string_view> proteins,
                                                      const GeneticCode& code) {
  return segments_of(context, FarProteins(code), sequences, proteins);
}

}  // namespace yupana::splice
