#include "yupana/splice/coding_part.hpp"

namespace yupana::splice {
namespace {

/// Keeps the longer of two stretches; of equal ones the first along the text.
void keep_longer(CodingPart& best, const CodingPart& other) {
  const std::int64_t more = (other.end - other.begin) - (best.end - best.begin);
  if (more > 0 || (more == 0 && other.begin < best.begin)) best = other;
}

}  // namespace

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
