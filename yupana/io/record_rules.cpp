#include "yupana/io/record_rules.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace yupana::io {
namespace {

/// Calls each(part) for the parts between separators; false as soon as one call is.
template <class Each>
bool all_parts(std::string_view text, char separator, const Each& each) {
  while (true) {
    const std::size_t at = text.find(separator);
    if (!each(text.substr(0, at))) return false;
    if (at == std::string_view::npos) return true;
    text.remove_prefix(at + 1);
  }
}

bool is_snp(const RecordRules& rules, std::string_view ref, std::string_view alt) {
  const auto passing = [&](std::string_view allele) { return passes(rules.snps_only, allele); };
  return passing(ref) && all_parts(alt, ',', passing);
}

/// False in `valid` where QUAL is neither a number nor '.'.
bool passes_qual(const RecordRules& rules, std::string_view text, bool& valid) {
  valid = true;
  if (!rules.min_qual) return true;
  if (text == ".") return false;
  double qual = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), qual);
  valid = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (error == std::errc::result_out_of_range && text.find('-') == text.npos) return true;
  return static_cast<float>(qual) >= *rules.min_qual;  // rounded twice, as in a BCF
}

}  // namespace

std::string_view reason_of(Verdict verdict) {
  constexpr std::string_view reasons[] = {"kept",
                                          "multiallelic (several ALT alleles)",
                                          no_snp_reason,
                                          "QUAL below --var-min-qual or missing",
                                          "FILTER not passed (--var-filter)",
                                          "no GT in FORMAT",
                                          "malformed"};  // by Verdict
  return reasons[static_cast<std::size_t>(verdict)];
}

bool RecordRules::allows(std::string_view filter) const {
  if (!var_filter || filter == "PASS" || filter == ".") return true;
  return std::find(var_filter->begin(), var_filter->end(), filter) != var_filter->end();
}

Verdict verdict_of(const RecordRules& rules,
                   std::int64_t alts,
                   bool snp,
                   bool qual_passes,
                   bool filters_pass,
                   bool has_genotypes) {
  if (!qual_passes) return Verdict::low_qual;
  if (!filters_pass) return Verdict::filtered;
  if (!snp) return Verdict::not_a_snp;
  if (alts > 1 && rules.multiallelic == Multiallelic::skip) return Verdict::multiallelic;
  return has_genotypes ? Verdict::kept : Verdict::no_genotypes;
}

std::int64_t alts_of(std::string_view alt) {
  return alt == "." ? 0 : 1 + std::count(alt.begin(), alt.end(), ',');
}

std::string_view allele_at(std::string_view alt, std::int64_t number) {
  for (; number > 1; --number) alt.remove_prefix(alt.find(',') + 1);
  return alt.substr(0, alt.find(','));
}

Verdict verdict_of(const RecordRules& rules, const RecordColumns& columns, bool has_genotypes) {
  bool valid_qual = true;
  const bool qual_passes = passes_qual(rules, columns.qual, valid_qual);
  if (!valid_qual) return Verdict::malformed;
  const bool filters_pass = !rules.var_filter || all_parts(columns.filter, ';', [&](auto name) {
    return rules.allows(name);
  });
  return verdict_of(rules,
                    alts_of(columns.alt),
                    is_snp(rules, columns.ref, columns.alt),
                    qual_passes,
                    filters_pass,
                    has_genotypes);
}

}  // namespace yupana::io
