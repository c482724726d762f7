#include "yupana/io/vcf_record.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace yupana::io {

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
  for (int i = 0; i < 4; ++i) word |= std::uint32_t{static_cast<unsigned char>(at[i])} << (8 * i);
  return word;
}

}  // namespace yupana::io
