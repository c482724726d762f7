#include <cstring>

#include "yupana/io/vcf_genotypes.hpp"

namespace yupana::io {
namespace {

constexpr std::int64_t end_of_call = -1;
constexpr std::int64_t missing_call = -2;

/// Value k of a sample's GT: the allele's number, missing_call or end_of_call. BCF stores
/// (allele + 1) * 2 + phased, the smallest value of the width for a missing entry and the next one
/// for "no more alleles".
std::int64_t called_allele(const BinaryGenotypes& genotypes, std::int64_t sample, std::int64_t k) {
  const std::uint8_t* at = genotypes.values + (sample * genotypes.ploidy + k) * genotypes.width;
  std::uint32_t bits = 0;
  for (int i = 0; i < genotypes.width; ++i) bits |= std::uint32_t{at[i]} << (8 * i);
  const std::uint32_t smallest = std::uint32_t{1} << (8 * genotypes.width - 1);
  if (bits == smallest + 1) return end_of_call;
  if (bits == smallest || bits < 2) return missing_call;
  return std::int64_t{bits >> 1} - 1;
}

// As VCF would write it.
std::string binary_call_text(const BinaryGenotypes& genotypes, std::int64_t sample) {
  std::string text;
  for (std::int64_t k = 0; k < genotypes.ploidy; ++k) {
    const std::int64_t allele = called_allele(genotypes, sample, k);
    if (allele == end_of_call) break;
    if (k > 0) text += '/';
    text += allele == missing_call ? "." : std::to_string(allele);
  }
  return text;
}

void set(std::uint8_t* row, std::int64_t sample, genotype::Code code) {
  row[sample / 4] = static_cast<std::uint8_t>(row[sample / 4] | code << (2 * (sample % 4)));
}

/// Subfield `index` of a sample column; what is left out at the end is missing.
std::string_view subfield_of(std::string_view column, std::int64_t index) {
  for (; index > 0; --index) {
    const std::size_t colon = column.find(':');
    if (colon == std::string_view::npos) return ".";
    column.remove_prefix(colon + 1);
  }
  return column.substr(0, column.find(':'));
}

}  // namespace

CallFault decode_binary_call(const BinaryGenotypes& genotypes,
                             std::int64_t sample,
                             const CallRules& rules,
                             genotype::Code& code) {
  Call call;
  bool alleles_known = true;
  for (std::int64_t k = 0; k < genotypes.ploidy; ++k) {
    const std::int64_t allele = called_allele(genotypes, sample, k);
    if (allele == end_of_call) break;
    ++call.alleles;
    if (allele == missing_call) {
      ++call.missing;
    } else {
      call.alt += rules.counts(allele);
      if (allele > rules.alts) alleles_known = false;
    }
  }
  return alleles_known ? code_of(call, rules, code) : CallFault::allele;
}

namespace reference {

GenotypeFault decode_genotypes(const TextGenotypes& genotypes, const CallRow& to) {
  std::memset(to.row, 0, to.stride);
  std::string_view rest = genotypes.columns;
  for (std::int64_t sample = 0;; ++sample) {
    if (sample == to.samples) return {CallFault::columns, sample, {}};
    const std::size_t tab = rest.find('\t');
    const std::string_view text = subfield_of(rest.substr(0, tab), genotypes.subfield);
    genotype::Code code;
    const CallFault fault = parse_call(text, to.rules, code);
    if (fault != CallFault::none) return {fault, sample, std::string(text)};
    set(to.row, sample, code);
    if (tab == std::string_view::npos) {
      if (sample + 1 < to.samples) return {CallFault::columns, sample, {}};
      return {};
    }
    rest.remove_prefix(tab + 1);
  }
}

GenotypeFault decode_genotypes(const BinaryGenotypes& genotypes, const CallRow& to) {
  std::memset(to.row, 0, to.stride);
  for (std::int64_t sample = 0; sample < to.samples; ++sample) {
    genotype::Code code;
    const CallFault fault = decode_binary_call(genotypes, sample, to.rules, code);
    if (fault != CallFault::none) return {fault, sample, binary_call_text(genotypes, sample)};
    set(to.row, sample, code);
  }
  return {};
}

}  // namespace reference
}  // namespace yupana::io
