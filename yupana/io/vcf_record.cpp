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
  if (size > 0) std::memcpy(larger.data(), bytes.data(), size);
  bytes = std::move(larger);
}

/// The rules of one site of a record: its alleles, and the one that x counts. As in PLINK 2, allele
/// 1 of a site without ALT is an ALT that the file does not spell out.
CallRules VcfFormat::rules_of(const VcfRecord& record, std::int64_t counted) const {
  CallRules rules = calls_;
  rules.alts = std::max<std::int64_t>(record.alts, 1);
  rules.counted = counted;
  return rules;
}

bool VcfFormat::decode(const VcfRecord& record,
                       std::int64_t counted,
                       std::uint8_t* row,
                       std::int64_t stride) const {
  const auto decoded = [&](const auto& genotypes) {
    return cpu::decode_genotypes(genotypes, samples_, rules_of(record, counted), row, stride);
  };
  return std::visit(decoded, record.genotypes);
}

GenotypeFault VcfFormat::reference_decode(const VcfRecord& record,
                                          std::int64_t counted,
                                          std::uint8_t* row,
                                          std::int64_t stride) const {
  const auto decoded = [&](const auto& genotypes) {
    return reference::decode_genotypes(genotypes, samples_, rules_of(record, counted), row, stride);
  };
  return std::visit(decoded, record.genotypes);
}

std::uint32_t load32(const char* at) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) {
    word |= std::uint32_t{static_cast<unsigned char>(at[i])} << (8 * i);
  }
  return word;
}

}  // namespace yupana::io
