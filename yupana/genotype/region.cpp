#include "yupana/genotype/region.hpp"

#include <algorithm>

#include "yupana/core/messages.hpp"

namespace yupana::genotype {
namespace {

Error bad_region(std::string_view text) {
  return usage_error(
      "--region: expected CONTIG, CONTIG:POS or CONTIG:FIRST-LAST with whole numbers from 1, got "
      "'{}'",
      text);
}

/// A position with or without commas, at most 18 digits; false where it is none.
bool parse_position(std::string_view text, std::int64_t& position) {
  std::string digits(text);
  digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
  if (digits.empty() || digits.size() > 18) return false;
  if (digits.find_first_not_of("0123456789") != digits.npos) return false;
  position = std::stoll(digits);
  return position >= 1;
}

/// Cuts the name off; what follows its colon goes to `positions`.
std::string_view contig_of(std::string_view text, std::string_view& positions) {
  positions = {};
  if (text.starts_with('{')) {
    const std::size_t end = text.find('}');
    if (end == text.npos || (end + 1 < text.size() && text[end + 1] != ':')) throw bad_region(text);
    if (end + 1 < text.size()) positions = text.substr(end + 2);
    if (end + 2 == text.size()) throw bad_region(text);
    return text.substr(1, end - 1);
  }
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return text;
  positions = text.substr(colon + 1);
  if (positions.empty()) throw bad_region(text);
  return text.substr(0, colon);
}

}  // namespace

Region parse_region(std::string_view text) {
  std::string_view positions;
  Region region;
  region.contig = contig_of(text, positions);
  if (region.contig.empty()) throw bad_region(text);
  if (positions.empty()) return region;
  const std::size_t dash = positions.find('-');
  if (!parse_position(positions.substr(0, dash), region.first)) throw bad_region(text);
  if (dash == positions.npos) {
    region.last = region.first;
  } else if (dash + 1 < positions.size() &&
             (!parse_position(positions.substr(dash + 1), region.last) ||
              region.last < region.first)) {
    throw bad_region(text);
  }
  return region;
}

}  // namespace yupana::genotype
