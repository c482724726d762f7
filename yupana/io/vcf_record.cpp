#include "yupana/io/vcf_record.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/site_block.hpp"

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

namespace {

/// Subfield `index` of a column; empty where the column ends before it.
std::string_view subfield(std::string_view column, std::int64_t index) {
  for (; index > 0; --index) {
    const std::size_t colon = column.find(':');
    if (colon == column.npos) return {};
    column.remove_prefix(colon + 1);
  }
  return column.substr(0, column.find(':'));
}

bool is_haploid(const BinaryGenotypes& genotypes, std::int64_t sample) {
  if (genotypes.ploidy < 2) return true;
  // The second value of a haploid call is the end of a vector: 0x81, 0x8001, 0x80000001.
  const std::uint8_t* const second =
      genotypes.values + (sample * genotypes.ploidy + 1) * genotypes.width;
  for (int k = 0; k < genotypes.width; ++k) {
    const bool is_first = k == 0, is_last = k + 1 == genotypes.width;
    if (second[k] != ((is_first ? 0x01 : 0) | (is_last ? 0x80 : 0))) return false;
  }
  return true;
}

}  // namespace

bool dosage_of(double ds, bool is_haploid, std::uint16_t& dosage) {
  const double alleles = is_haploid ? 2 * ds : ds;
  if (!(alleles >= 0 && alleles <= 2)) return false;
  dosage = static_cast<std::uint16_t>(alleles * genotype::dosage_unit + 0.5);
  return true;
}

DosagesRead text_dosages(const TextGenotypes& genotypes,
                         std::int64_t field,
                         std::uint16_t* dosages) {
  std::string_view rest = genotypes.columns;
  for (std::int64_t sample = 0;; ++sample) {
    const std::size_t tab = rest.find('\t');
    const std::string_view column = rest.substr(0, tab);
    const std::string_view text = subfield(column, field);
    if (!text.empty() && text != ".") {
      double ds = 0;
      const char* const end = text.data() + text.size();
      const auto [parsed, error] = std::from_chars(text.data(), end, ds);
      const std::string_view call = subfield(column, genotypes.subfield);
      const bool haploid = call.find_first_of("/|") == call.npos;
      if (error != std::errc() || parsed != end || !dosage_of(ds, haploid, dosages[sample])) {
        return {true, sample, std::string(text)};
      }
    }
    if (tab == rest.npos) return {.found = true};
    rest.remove_prefix(tab + 1);
  }
}

DosagesRead binary_dosages(const BinaryGenotypes& genotypes,
                           std::int64_t samples,
                           const char* values,
                           std::int64_t count,
                           std::uint16_t* dosages) {
  constexpr std::uint32_t missing = 0x7f800001, end_of_vector = 0x7f800002;
  for (std::int64_t sample = 0; sample < samples && count > 0; ++sample) {
    const std::uint32_t word = load32(values + 4 * sample * count);
    if (word == missing || word == end_of_vector) continue;
    const float ds = std::bit_cast<float>(word);
    if (dosage_of(ds, is_haploid(genotypes, sample), dosages[sample])) continue;
    return {true, sample, fmt::format("{}", ds)};
  }
  return {.found = true};
}

}  // namespace yupana::io
