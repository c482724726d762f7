#include "yupana/splice/genetic_code.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "yupana/core/messages.hpp"

namespace yupana::splice {
namespace {

// The standard code, codons in the order A, C, G, T of the first, second and third base.
constexpr std::string_view standard =
    "KNKNTTTTRSRSIIMI"
    "QHQHPPPPRRRRLLLL"
    "EDEDAAAAGGGGVVVV"
    "*Y*YSSSS*CWCLFLF";

/// A codon that a table reads in another way than the standard code.
struct Change {
  int table;
  std::string_view codon;
  char amino;
};

// https://www.ncbi.nlm.nih.gov/Taxonomy/Utils/wprintgc.cgi; table 11 differs in its start codons
// alone, which play no part here.
constexpr Change changes[] = {
    {2, "AGA", '*'},  {2, "AGG", '*'},  {2, "ATA", 'M'},  {2, "TGA", 'W'},  {3, "ATA", 'M'},
    {3, "CTA", 'T'},  {3, "CTC", 'T'},  {3, "CTG", 'T'},  {3, "CTT", 'T'},  {3, "TGA", 'W'},
    {4, "TGA", 'W'},  {5, "AGA", 'S'},  {5, "AGG", 'S'},  {5, "ATA", 'M'},  {5, "TGA", 'W'},
    {6, "TAA", 'Q'},  {6, "TAG", 'Q'},  {9, "AAA", 'N'},  {9, "AGA", 'S'},  {9, "AGG", 'S'},
    {9, "TGA", 'W'},  {10, "TGA", 'C'}, {12, "CTG", 'S'}, {13, "AGA", 'G'}, {13, "AGG", 'G'},
    {13, "ATA", 'M'}, {13, "TGA", 'W'}};

constexpr GeneticCodeName names[] = {{1, "standard"},
                                     {2, "vertebrate mitochondrial"},
                                     {3, "yeast mitochondrial"},
                                     {4, "mold and protozoan mitochondrial, mycoplasma"},
                                     {5, "invertebrate mitochondrial"},
                                     {6, "ciliate nuclear"},
                                     {9, "echinoderm and flatworm mitochondrial"},
                                     {10, "euplotid nuclear"},
                                     {11, "bacterial, archaeal and plant plastid"},
                                     {12, "alternative yeast nuclear"},
                                     {13, "ascidian mitochondrial"}};

int index(int first, int second, int third) {
  return (first * base_codes + second) * base_codes + third;
}

}  // namespace

int base_code(char letter) {
  switch (letter) {
    case 'A':
    case 'a':
      return 0;
    case 'C':
    case 'c':
      return 1;
    case 'G':
    case 'g':
      return 2;
    case 'T':
    case 't':
    case 'U':
    case 'u':
      return 3;
    default:
      return 4;
  }
}

std::span<const GeneticCodeName> genetic_code_names() { return names; }

std::string genetic_code_list() {
  std::string text;
  for (const GeneticCodeName& one : names) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", one.table, one.name);
  }
  return text;
}

GeneticCode::GeneticCode(int table) : table_(table) {
  const auto is_it = [&](const GeneticCodeName& one) { return one.table == table; };
  if (std::none_of(std::begin(names), std::end(names), is_it)) {
    throw input_error(
        "genetic_code: expected one of NCBI's tables {}, got {}", genetic_code_list(), table);
  }
  amino_.fill('X');
  for (int codon = 0; codon < 64; ++codon) {
    amino_[index(codon / 16, codon / 4 % 4, codon % 4)] = standard[codon];
  }
  for (const Change& change : changes) {
    if (change.table != table) continue;
    const auto code = [&](int i) { return base_code(change.codon[i]); };
    amino_[index(code(0), code(1), code(2))] = change.amino;
  }
}

}  // namespace yupana::splice
