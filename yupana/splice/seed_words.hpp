#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "yupana/core/random.hpp"
#include "yupana/splice/genetic_code.hpp"
#include "yupana/splice/loci.hpp"
#include "yupana/splice/significance.hpp"

/// Private to the searches for loci: the words of sequences and targets, as numbers (keys).
namespace yupana::splice {

/// put(key, place from 0, reversed) for the words of so many bases of a text. The key is that of
/// the word or its reverse complement, whichever is smaller; words that are their own have none.
/// One word in `one_in` is kept, chosen by its letters alone.
template <class Put>
void each_base_word(std::string_view text,
                    std::int64_t length,
                    std::uint64_t one_in,
                    const Put& put) {
  const std::uint64_t mask = (std::uint64_t{1} << (2 * length)) - 1;
  std::uint64_t forward = 0, backward = 0;
  std::int64_t known = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int code = base_code(text[i]);
    known = code < 4 ? known + 1 : 0;
    forward = (forward << 2 | static_cast<std::uint64_t>(code & 3)) & mask;
    backward = backward >> 2 | static_cast<std::uint64_t>(3 - (code & 3)) << (2 * (length - 1));
    if (known < length || forward == backward) continue;
    const std::uint64_t key = std::min(forward, backward);
    if (Random::mix(key) % one_in != 0) continue;
    put(key, static_cast<std::int64_t>(i) + 1 - length, backward < forward);
  }
}

/// Letters of a protein's word that are alike count as one.
inline constexpr std::uint64_t amino_groups = 14;
inline constexpr std::uint64_t leading_amino = 14 * 14 * 14 * 14 * 14;  ///< a group's weight there
inline constexpr std::uint64_t amino_words = leading_amino * amino_groups;

/// The group of an amino acid, in either case; -1 for X, '*' and others.
inline int amino_group(char amino) {
  constexpr std::string_view members = "ACDEQFYGHIVKRLMNPSTW";
  constexpr std::array<int, 20> numbers{0, 1, 2, 3, 3, 4,  4,  5,  6,  7,
                                        7, 8, 8, 9, 9, 10, 11, 12, 12, 13};
  const char upper = amino >= 'a' && amino <= 'z' ? static_cast<char>(amino - 'a' + 'A') : amino;
  const std::size_t at = members.find(upper);
  return at == std::string_view::npos ? -1 : numbers[at];
}

/// Groups of the 64 codons, and of what the other strand reads there.
struct CodonGroups {
  std::array<int, 64> forward{}, backward{};

  explicit CodonGroups(const GeneticCode& code) {
    for (int codon = 0; codon < 64; ++codon) {
      const int a = codon / 16, b = codon / 4 % 4, c = codon % 4;
      forward[codon] = amino_group(code.translate_codes(a, b, c));
      backward[codon] = amino_group(code.translate_codes(3 - c, 3 - b, 3 - a));
    }
  }
};

/// put(key, first base from 0, whether the other strand reads it) for the words of amino acids that
/// begin at [begin, end), in all six frames, those of the + strand first at each place.
template <class Put>
void each_codon_word(std::string_view bases,
                     std::int64_t begin,
                     std::int64_t end,
                     const CodonGroups& codons,
                     const Put& put) {
  struct Frame {
    std::uint64_t plus = 0, minus = 0;
    int plus_known = 0, minus_known = 0;
  };
  std::array<Frame, 3> frames{};
  const std::int64_t stop = std::min(std::ssize(bases) - 2, end + 3 * protein_word - 3);
  for (std::int64_t i = begin; i < stop; ++i) {
    Frame& frame = frames[static_cast<std::size_t>(i % 3)];
    const int a = base_code(bases[i]), b = base_code(bases[i + 1]), c = base_code(bases[i + 2]);
    const bool is_codon = std::max({a, b, c}) < 4;
    const int plus = is_codon ? codons.forward[16 * a + 4 * b + c] : -1;
    const int minus = is_codon ? codons.backward[16 * a + 4 * b + c] : -1;
    frame.plus_known = plus < 0 ? 0 : frame.plus_known + 1;
    frame.minus_known = minus < 0 ? 0 : frame.minus_known + 1;
    frame.plus =
        frame.plus % leading_amino * amino_groups + static_cast<std::uint64_t>(std::max(plus, 0));
    frame.minus =
        frame.minus / amino_groups + leading_amino * static_cast<std::uint64_t>(std::max(minus, 0));
    const std::int64_t place = i + 3 - 3 * protein_word;
    if (frame.plus_known >= protein_word) put(frame.plus, place, false);
    if (frame.minus_known >= protein_word) put(frame.minus, place, true);
  }
}

/// put(key, first letter from 0) for the words of a protein, but for repeats of short words.
template <class Put>
void each_amino_word(std::string_view protein, const Put& put) {
  const std::vector<bool> repeat = low_complexity_amino_acids(protein);
  std::uint64_t key = 0;
  int known = 0;
  for (std::size_t i = 0; i < protein.size(); ++i) {
    const int group = repeat[i] ? -1 : amino_group(protein[i]);
    known = group < 0 ? 0 : known + 1;
    key = key % leading_amino * amino_groups + static_cast<std::uint64_t>(std::max(group, 0));
    if (known >= protein_word) put(key, static_cast<std::int64_t>(i) + 1 - protein_word);
  }
}

}  // namespace yupana::splice
