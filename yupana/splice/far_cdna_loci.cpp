#include "yupana/splice/loci.hpp"
#include "yupana/splice/segments.hpp"
#include "yupana/splice/significance.hpp"

namespace yupana::splice {
namespace {

struct FarCdnas {
  static constexpr std::uint8_t unknown_base = 4, past_end = 5;
  static constexpr std::int32_t step = 1;
  static constexpr int seed_letters = 8;
  static constexpr std::uint32_t seed_keys = 1 << (2 * seed_letters);
  static constexpr int x_drop = 12;
  static constexpr double lambda = 1.0986, k = 0.333;  // 1 and -1, bases of equal shares
  static constexpr double chance_segments = 4;
  static constexpr std::int32_t least_score = 16;
  static constexpr std::int64_t piece_margin = 1024;
  static constexpr std::int64_t chain_word = seed_letters;

  std::vector<std::uint8_t> codes(std::string_view cdna) const {
    const std::vector<bool> repeat = low_complexity_bases(cdna);
    std::vector<std::uint8_t> codes(cdna.size());
    for (std::size_t i = 0; i < cdna.size(); ++i) {
      const int code = repeat[i] ? unknown_base : base_code(cdna[i]);
      codes[i] = static_cast<std::uint8_t>(std::min<int>(code, unknown_base));
    }
    return codes;
  }

  std::vector<std::uint8_t> text(std::string_view bases, const Piece& piece) const {
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

  int score(std::uint8_t base, std::uint8_t letter) const {
    return letter == past_end ? -100 : base == letter && base != unknown_base ? 1 : -1;
  }

  template <class Put>
  void words(const std::vector<std::uint8_t>& codes, const Put& put) const {
    std::uint32_t key = 0;
    int known = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      known = codes[i] < unknown_base ? known + 1 : 0;
      key = (key << 2 | (codes[i] & 3u)) % seed_keys;
      if (known >= seed_letters) put(key, static_cast<std::int32_t>(i) + 1 - seed_letters);
    }
  }
  template <class Put>
  void seeds(const std::vector<std::uint8_t>& letters, const Put& put) const {
    words(letters, put);
  }

  static std::int64_t evidence(std::int32_t score) { return score * 3 / 4; }
  static ChainRules rules(const LocusParams& params) {
    return {.length = chain_word, .bases_a_letter = 200, .bases_a_sum = 200, .params = params};
  }
  static void leave(std::vector<Locus>& loci) {
    if (!loci.empty() && loci.front().letters < 3 * seed_letters) loci.clear();
    for (Locus& locus : loci) locus.gaps.clear();
  }
};

}  // namespace

std::uint64_t far_cdna_bytes(std::int64_t letters, int threads) {
  const auto together =
      static_cast<std::uint64_t>(std::max(letters, together_letters) + seed_window);
  const std::uint64_t piece = 3 * (piece_bases + 2 * FarCdnas::piece_margin) + 8 * together;
  const std::uint64_t segments = together_targets * 2 * most_segments * sizeof(FarSegment);
  return segments + 16 * together + 12 * FarCdnas::seed_keys +
         2 * static_cast<std::uint64_t>(threads) * piece;
}

std::vector<std::vector<Locus>> far_cdna_loci(Context& context,
                                              std::span<const std::string_view> sequences,
                                              std::span<const std::string_view> cdnas,
                                              const LocusParams& params) {
  return far_loci(context, FarCdnas(), sequences, cdnas, params);
}

}  // namespace yupana::splice
