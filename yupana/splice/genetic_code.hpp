#pragma once

#include <array>
#include <span>
#include <string>

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

}  // namespace yupana::splice
