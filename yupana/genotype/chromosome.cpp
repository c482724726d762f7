#include "yupana/genotype/chromosome.hpp"

#include <algorithm>
#include <charconv>

#include "yupana/core/messages.hpp"

namespace yupana::genotype {
namespace {

constexpr std::int64_t no_number = -1;

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

/// PLINK's number of a chromosome name in a species of so many autosomes; a number is itself.
std::int64_t number_of(std::string_view contig, std::int64_t autosomes) {
  std::string name = upper(contig);
  if (name.starts_with("CHR")) name.erase(0, 3);
  if (name == "X") return autosomes + 1;
  if (name == "Y") return autosomes + 2;
  if (name == "XY" || name == "PAR1" || name == "PAR2") return autosomes + 3;
  if (name == "MT" || name == "M") return autosomes + 4;
  // Four digits and no leading zero: longer ones are accession numbers, not chromosomes.
  if (name.empty() || name.size() > 4 || (name[0] == '0' && name.size() > 1)) return no_number;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool whole = error == std::errc() && end == name.data() + name.size() && number >= 0;
  return whole ? number : no_number;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

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

Chromosome chromosome_of(std::string_view contig, std::int64_t autosomes) {
  const std::int64_t number = number_of(contig, autosomes);
  if (number == 0) return Chromosome::unplaced;
  if (number >= 1 && number <= autosomes) return Chromosome::autosome;
  if (number == autosomes + 3) return Chromosome::pseudo_autosomal;
  if (number == autosomes + 1) return Chromosome::x;
  if (number == autosomes + 2) return Chromosome::y;
  if (number == autosomes + 4) return Chromosome::mitochondrial;
  return Chromosome::unknown;
}

bool same_chromosome(std::string_view a, std::string_view b, std::int64_t autosomes) {
  if (a == b) return true;
  const std::int64_t number = number_of(a, autosomes);
  return number != no_number && number == number_of(b, autosomes);
}

std::string chromosome_key(std::string_view contig, std::int64_t autosomes) {
  const std::int64_t number = number_of(contig, autosomes);
  return number == no_number ? std::string(contig) : std::to_string(number);
}

ChromosomeFilter::ChromosomeFilter(std::int64_t autosomes) : autosomes_(autosomes) {
  if (autosomes >= 1 && autosomes <= 9995) return;
  throw usage_error(
      "--chr-set: expected 1 to 9995 autosomes, got {}; haploid sets (negative in PLINK) are not "
      "diploid genotypes",
      autosomes);
}

ChromosomeFilter ChromosomeFilter::all(std::int64_t autosomes) {
  ChromosomeFilter filter(autosomes);
  filter.rule_ = Rule::all;
  return filter;
}

ChromosomeFilter ChromosomeFilter::listed(std::string_view list, std::int64_t autosomes) {
  ChromosomeFilter filter(autosomes);
  filter.rule_ = Rule::listed;
  filter.reason_ = "chromosome not in --chr";
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::string_view item = trimmed(list.substr(begin, comma - begin));
    begin = comma + 1;
    if (item.empty()) {
      throw usage_error("--chr: expected a list like 1-4,22,X, got '{}' with an empty item", list);
    }
    const std::size_t dash = item.find('-');
    if (dash == 0 || dash == item.size() - 1) {
      throw usage_error("--chr: the range '{}' lacks one of its ends; give both, as 1-4", item);
    }
    const std::int64_t number = number_of(item, autosomes);
    const std::int64_t first = number_of(item.substr(0, dash), autosomes);
    const std::int64_t last =
        dash == std::string_view::npos ? no_number : number_of(item.substr(dash + 1), autosomes);
    if (number != no_number) {
      filter.numbers_.insert(number);
    } else if (first != no_number && last != no_number) {
      if (first > last) throw usage_error("--chr: the range '{}' runs backwards", item);
      for (std::int64_t i = first; i <= last; ++i) filter.numbers_.insert(i);
    } else {
      filter.names_.emplace(item);
    }
  }
  return filter;
}

bool ChromosomeFilter::keeps(std::string_view contig) const {
  switch (rule_) {
    case Rule::autosomes:
      return !is_haploid_in_some(chromosome_of(contig, autosomes_));
    case Rule::all:
      return true;
    case Rule::listed:
      break;
  }
  const std::int64_t number = number_of(contig, autosomes_);
  return number == no_number ? names_.contains(contig) : numbers_.contains(number);
}

bool ChromosomeFilter::keeps_as_unknown(std::string_view contig) const {
  return rule_ == Rule::autosomes && chromosome_of(contig, autosomes_) == Chromosome::unknown;
}

std::string ChromosomeFilter::absent_note(const std::set<std::string>& seen) const {
  std::string absent;
  for (const std::string& name : names_) {
    if (!seen.contains(name)) absent += (absent.empty() ? "'" : ", '") + name + "'";
  }
  return absent.empty() ? absent : fmt::format("--chr: the input has no contig {}", absent);
}

std::string unknown_note(const std::vector<std::string>& contigs, std::int64_t autosomes) {
  const std::string more =
      contigs.size() > 1 ? " and " + counted(std::ssize(contigs) - 1, "more contig") : "";
  const auto numbered =
      std::find_if(contigs.begin(), contigs.end(), [autosomes](const std::string& contig) {
        return number_of(contig, autosomes) > autosomes;
      });
  std::string text = fmt::format(
      "'{}'{}: not among chromosomes 1 to {}, X, Y, XY and MT, taken as autosomes; --chr chooses "
      "contigs",
      contigs.front(),
      more,
      autosomes);
  if (numbered != contigs.end()) {
    text += fmt::format(
        "; {}, {} and {} are left out as X, Y and MT: if '{}' is an autosome, --chr-set N says how "
        "many the species has",
        autosomes + 1,
        autosomes + 2,
        autosomes + 4,
        *numbered);
  }
  return text;
}

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
