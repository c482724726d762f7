#include "python/bindings/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

namespace yupana::python {
namespace {

/// Options whose parameter has another name.
const std::map<std::string_view, const char*> renamed{
    {"all-chr", "all_chromosomes"},
    {"chr", "chromosomes"},
    {"chr-set", "autosomes"},
    {"estimator", "estimate"},
    {"geno", "max_site_missing"},
    {"hwe", "min_hwe"},
    {"knn", "neighbors"},
    {"mac", "min_mac"},
    {"maf", "min_maf"},
    {"max-maf", "max_maf"},
    {"mind", "max_sample_missing"},
    {"project", "loadings"},
    {"sample", "sample_file"},
    {"var-min-qual", "min_qual"},
};

/// Options whose parameter has their name, but for hyphens.
const std::set<std::string_view> same{
    "alpha",
    "bim",
    "components",
    "device",
    "dosage",
    "exclude",
    "extract",
    "fam",
    "from-bp",
    "half-call",
    "hard-call-threshold",
    "indep-pairwise",
    "keep",
    "keep-fam",
    "king-cutoff",
    "landmarks",
    "memory",
    "missing",
    "multiallelic",
    "nonfounders",
    "polyploid",
    "precision",
    "psam",
    "pvar",
    "region",
    "remove",
    "remove-fam",
    "root",
    "round",
    "seed",
    "snps-only",
    "squared",
    "standardize",
    "thin",
    "threads",
    "to-bp",
    "var-filter",
};

/// Values that are words of an option, not of the sentence.
const std::set<std::string_view> values{
    "auto",
    "missing",
    "collapse",
    "cpu",
    "cuda",
    "float32",
    "float64",
    "haploid",
    "mode",
    "pairwise",
    "reference",
    "split",
};

bool is_letter(char c) { return std::islower(static_cast<unsigned char>(c)) != 0 || c == '-'; }

/// The parameter of an option, without its hyphens; empty if it has none.
std::string parameter_of(std::string_view option) {
  if (const auto found = renamed.find(option); found != renamed.end()) return found->second;
  if (!same.contains(option)) return {};
  std::string name(option);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// " 2.81M" as " 2810000": bytes are numbers in Python. Takes what it reads off `rest`.
std::string bytes_in_full(std::string_view& rest) {
  const std::string_view lead = rest.starts_with(" to ") ? rest.substr(0, 4) : rest.substr(0, 1);
  const std::string text(rest.substr(lead.size(), 32));
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const auto digits = static_cast<std::size_t>(end - text.c_str());
  if (lead.empty() || lead[0] != ' ' || digits == 0) return {};
  constexpr std::string_view suffixes = "kMGT";
  const std::size_t suffix = suffixes.find(text[digits]);
  const bool scaled = digits < text.size() && suffix != std::string_view::npos;
  const double bytes = scaled ? number * std::pow(1000.0, static_cast<double>(suffix + 1)) : number;
  rest.remove_prefix(lead.size() + digits + (scaled ? 1 : 0));
  return fmt::format("{}{:.0f}", lead == " " ? "=" : lead, std::ceil(bytes));
}

/// The letters and digits that `text` begins with.
std::string_view first_word(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
  });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// " cpu" as "='cpu'", " pairwise or mode" as "='pairwise' or 'mode'", " 0" as "=0", where a value
/// follows. Takes what it reads off `rest`.
std::string value_of(std::string_view& rest) {
  std::string text;
  for (const std::string_view lead : {" ", ", ", " or "}) {
    if (!rest.starts_with(lead)) continue;
    const std::string_view value = first_word(rest.substr(lead.size()));
    if (!values.contains(value)) continue;
    text += fmt::format("{}'{}'", text.empty() ? "=" : lead, value);
    rest.remove_prefix(lead.size() + value.size());
  }
  const bool number = text.empty() && rest.size() > 1 && rest[0] == ' ' &&
                      std::isdigit(static_cast<unsigned char>(rest[1])) != 0;
  if (!number) return text;
  rest.remove_prefix(1);
  return "=";
}

/// Where the command line of a program begins, which is meant as it is.
std::size_t command_in(const std::string& message) {
  std::size_t first = message.size();
  for (const char* program : {"plink1.9 ", "plink2 ", "bcftools ", "'yupana "}) {
    first = std::min(first, message.find(program));
  }
  return first;
}

}  // namespace

std::string in_python_words(const std::string& message) {
  const std::size_t end = command_in(message);
  std::string_view rest = std::string_view(message).substr(0, end);
  std::string words;
  if (rest.starts_with("-o ")) {
    words = "out ";
    rest.remove_prefix(3);
  }
  while (!rest.empty()) {
    const std::size_t at = std::min(rest.find("--"), rest.size());
    words += rest.substr(0, at);
    rest.remove_prefix(at);
    if (rest.empty()) break;
    const auto after = std::find_if_not(rest.begin() + 2, rest.end(), is_letter);
    const auto length = static_cast<std::size_t>(after - rest.begin());
    const std::string parameter = parameter_of(rest.substr(2, length - 2));
    words += parameter.empty() ? std::string(rest.substr(0, length)) : parameter;
    rest.remove_prefix(length);
    if (parameter == "memory") words += bytes_in_full(rest);
    if (!parameter.empty()) words += value_of(rest);
  }
  return words + message.substr(end);
}

}  // namespace yupana::python
