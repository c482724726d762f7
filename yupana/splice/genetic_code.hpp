#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace yupana::splice {

/// 0 to 3 for A, C, G, T (U is T, either case), 4 for every other letter.
int base_code(char letter);
inline constexpr int base_codes = 5;

/// One of NCBI's translation tables.
struct GeneticCodeName {
  int table;
  const char* name;
};
/// Those that GeneticCode knows, by number.
std::span<const GeneticCodeName> genetic_code_names();
/// "1 standard; 2 vertebrate mitochondrial; ...": the tables for help and messages.
std::string genetic_code_list();

/// Which amino acid a codon stands for: one of NCBI's translation tables.
class GeneticCode {
 public:
  /// The standard code, table 1.
  GeneticCode() : GeneticCode(1) {}
  /// A table of genetic_code_names(). bad_input for another number.
  explicit GeneticCode(int table);

  /// An amino acid, '*' for a stop codon, 'X' where a base is none of A, C, G, T, U.
  char translate(char first, char second, char third) const {
    return amino_[(base_code(first) * base_codes + base_code(second)) * base_codes +
                  base_code(third)];
  }
  /// The same of three base codes.
  char translate_codes(int first, int second, int third) const {
    return amino_[(first * base_codes + second) * base_codes + third];
  }
  int table() const { return table_; }

 private:
  int table_ = 1;
  std::array<char, base_codes * base_codes * base_codes> amino_{};
};

/// The bases [begin, end) of a text, from 0, that are read as a protein: whole codons, the stop
/// codon included where `stops`.
struct CodingPart {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool starts = false;  ///< with ATG; false: the protein may begin before the text
  bool stops = false;   ///< with a stop codon; false: the protein may end after the text

  bool empty() const { return begin == end; }
  bool operator==(const CodingPart&) const = default;
};

/// Whether the codon at a place of a text, from 0, is ATG.
bool is_atg(std::string_view text, std::int64_t at);

/// The open reading frame of a cDNA: the longest stretch from ATG to a stop codon with none before
/// it. It has `min_codons` at least besides the stop codon, or is the whole text. Where there is
/// none, the longest stretch of so many codons without a stop codon that the text cuts off: one
/// that begins with the text, in any frame, or ends with it, from ATG or from the text's begin on.
/// Of equal ones the first; empty without any.
///   work: linear in the text
CodingPart coding_part(std::string_view text, const GeneticCode& code, std::int64_t min_codons);

}  // namespace yupana::splice
