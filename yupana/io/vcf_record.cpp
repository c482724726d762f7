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

/// As in PLINK 2, allele 1 of a site without ALT is an ALT that the file does not spell out.
CallRow VcfFormat::row_of(const VcfRecord& record,
                          std::int64_t counted,
                          std::uint8_t* row,
                          std::int64_t stride) const {
  CallRules rules = calls_;
  rules.alts = std::max<std::int64_t>(record.alts, 1);
  rules.counted = counted;
  return {samples_, rules, row, stride};
}

bool VcfFormat::decode(const VcfRecord& record,
                       std::int64_t counted,
                       std::uint8_t* row,
                       std::int64_t stride) const {
  const CallRow to = row_of(record, counted, row, stride);
  return std::visit([&](const auto& own) { return cpu::decode_genotypes(own, to); },
                    record.genotypes);
}

GenotypeFault VcfFormat::reference_decode(const VcfRecord& record,
                                          std::int64_t counted,
                                          std::uint8_t* row,
                                          std::int64_t stride) const {
  const CallRow to = row_of(record, counted, row, stride);
  return std::visit([&](const auto& own) { return reference::decode_genotypes(own, to); },
                    record.genotypes);
}

std::uint32_t load32(const char* at) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= std::uint32_t{static_cast<unsigned char>(at[i])} << (8 * i);
  return word;
}

}  // namespace yupana::io
