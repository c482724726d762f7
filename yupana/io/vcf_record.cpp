#include "yupana/io/vcf_record.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace yupana::io {

std::string_view reason_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kept:
      return "kept";
    case Verdict::multiallelic:
      return "multiallelic (several ALT alleles)";
    case Verdict::not_a_snp:
      return no_snp_reason;
    case Verdict::low_qual:
      return "QUAL below --var-min-qual or missing";
    case Verdict::filtered:
      return "FILTER not passed (--var-filter)";
    case Verdict::no_genotypes:
      return "no GT in FORMAT";
    case Verdict::malformed:
      break;
  }
  return "malformed";
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

void VcfBatch::reserve(std::int64_t capacity) {
  if (bytes.size() >= capacity + padding) return;
  Array<char> larger(capacity + padding);
  if (size > 0) std::memcpy(larger.data(), bytes.data(), static_cast<std::size_t>(size));
  bytes = std::move(larger);
}

}  // namespace yupana::io
