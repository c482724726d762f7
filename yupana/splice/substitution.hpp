#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace yupana::splice {

/// Scores of a base against a target letter. Case does not matter (lower case is a soft mask) and
/// U is T.
struct Substitution {
  static constexpr std::uint8_t no_letter = 255;

  std::array<std::uint8_t, 256> code{};  ///< of each character; no_letter where it is none
  int letters = 0;
  std::vector<int> scores;  ///< letters x letters: of base code (row) against target code (column)

  int score(char base, char target) const {
    return scores[code[static_cast<unsigned char>(base)] * letters +
                  code[static_cast<unsigned char>(target)]];
  }
  bool knows(char letter) const { return code[static_cast<unsigned char>(letter)] != no_letter; }
  int highest() const;

  /// The fifteen IUPAC letters of DNA. Two single bases score `match` or `mismatch`; with an
  /// ambiguous letter on either side `mismatch` where no base fits both, else 0: neither gain nor
  /// loss, so that a run of N neither draws an exon nor repels it.
  static Substitution dna(int match = 1, int mismatch = -1);
  /// BLOSUM62 as NCBI has it (Henikoff, Henikoff 1992; half bits), of amino acids, B, Z, X and '*'.
  /// J, O and U score as X.
  static Substitution blosum62();
  /// Any matrix over any letters: scores row by row, row: base, column: target letter. Lower case
  /// is read as upper case. bad_input for a letter twice or the wrong number of scores.
  static Substitution matrix(std::string_view letters, std::vector<int> scores);
};

}  // namespace yupana::splice
