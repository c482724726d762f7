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

/// Keeps the longer of two stretches; of equal ones the first along the text.
void keep_longer(CodingPart& best, const CodingPart& other) {
  const std::int64_t more = (other.end - other.begin) - (best.end - best.begin);
  if (more > 0 || (more == 0 && other.begin < best.begin)) best = other;
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

bool is_atg(std::string_view text, std::int64_t at) {
  return at + 3 <= std::ssize(text) && base_code(text[at]) == 0 && base_code(text[at + 1]) == 3 &&
         base_code(text[at + 2]) == 2;
}

CodingPart coding_part(std::string_view text, const GeneticCode& code, std::int64_t min_codons) {
  const std::int64_t size = std::ssize(text);
  CodingPart whole, cut;
  const auto take = [&](std::int64_t begin, std::int64_t end, bool starts, bool stops) {
    const CodingPart part{begin, end, starts, stops};
    const std::int64_t codons = (end - begin) / 3 - (stops ? 1 : 0);
    const bool is_all = starts && stops && begin == 0 && end == size;
    if (codons < 1 || (codons < min_codons && !is_all)) return;
    keep_longer(starts && stops ? whole : cut, part);
  };
  for (std::int64_t frame = 0; frame < 3; ++frame) {
    std::int64_t open = frame;  // where the text cuts the stretch off; -1 after a stop codon
    std::int64_t atg = -1;      // the first of the stretch
    std::int64_t at = frame;
    for (; at + 3 <= size; at += 3) {
      if (atg < 0 && is_atg(text, at)) atg = at;
      if (code.translate(text[at], text[at + 1], text[at + 2]) != '*') continue;
      if (atg >= 0) take(atg, at + 3, true, true);
      if (open >= 0) take(open, at + 3, atg == open, true);
      open = atg = -1;
    }
    if (open >= 0) take(open, at, atg == open, false);
    if (atg >= 0) take(atg, at, true, false);
  }
  return whole.empty() ? cut : whole;
}

}  // namespace yupana::splice
