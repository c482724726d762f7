#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "yupana/genotype/site_block.hpp"
#include "yupana/io/vcf.hpp"

namespace yupana::io {

/// How the calls of a site become codes.
struct CallRules {
  static constexpr std::int64_t any_alt = 0;

  HalfCall half_call = HalfCall::missing;
  Polyploid polyploid = Polyploid::error;
  std::int64_t alts = 1;     ///< ALT alleles of the site: calls name alleles 0 to alts
  std::int64_t counted = 1;  ///< the allele that x counts, or any_alt for all but REF

  bool counts(std::int64_t allele) const {
    return counted == any_alt ? allele > 0 : allele == counted;
  }
  /// True where x counts allele 1, as the vector paths assume.
  bool counts_first() const { return alts >= 1 && counts(1); }
};

/// What can be wrong with one call, or with the columns that hold it.
enum class CallFault : std::uint8_t {
  none,
  columns,   ///< more or fewer columns than samples
  syntax,    ///< not a genotype
  allele,    ///< an allele that the site does not have
  half,      ///< one of two alleles missing, and the rules refuse it
  polyploid  ///< more than two alleles, and the rules refuse it
};

/// The first fault of a record: of which sample (from 0), and the call as written.
struct GenotypeFault {
  CallFault fault = CallFault::none;
  std::int64_t sample = 0;
  std::string text;
  explicit operator bool() const { return fault != CallFault::none; }
};

/// A call taken apart: alleles it names, how many of them x counts, how many are missing.
struct Call {
  std::int64_t alleles = 0;
  std::int64_t alt = 0;
  std::int64_t missing = 0;
};

/// The code of a call, or the rule it breaks.
inline CallFault code_of(const Call& call, const CallRules& rules, genotype::Code& code) {
  using genotype::Code;
  constexpr Code diploid[] = {
      genotype::homozygous_a2, genotype::heterozygous, genotype::homozygous_a1};
  code = genotype::missing_call;
  if (call.alleles == call.missing) return CallFault::none;
  if (call.alleles > 2) {
    return rules.polyploid == Polyploid::error ? CallFault::polyploid : CallFault::none;
  }
  if (call.missing == 1) {
    if (rules.half_call == HalfCall::error) return CallFault::half;
    if (rules.half_call == HalfCall::haploid) code = diploid[2 * call.alt];
    if (rules.half_call == HalfCall::reference) code = diploid[call.alt];
    return CallFault::none;
  }
  code = diploid[call.alleles == 1 ? 2 * call.alt : call.alt];
  return CallFault::none;
}

/// Reads one GT value: alleles ('.' or a number) joined by '/' or '|', with the leading phase mark
/// that VCF 4.4 allows.
inline CallFault parse_call(std::string_view text, const CallRules& rules, genotype::Code& code) {
  const auto digit = [&](std::size_t i) {
    return i < text.size() && text[i] >= '0' && text[i] <= '9';
  };
  const auto separator = [&](std::size_t i) {
    return i < text.size() && (text[i] == '/' || text[i] == '|');
  };
  Call call;
  bool known = true;
  for (std::size_t i = separator(0) ? 1 : 0;; ++i) {
    ++call.alleles;
    if (i < text.size() && text[i] == '.') {
      ++call.missing;
      ++i;
    } else {
      if (!digit(i)) return CallFault::syntax;
      constexpr std::int64_t beyond = 1 << 30;  // more alleles than a site can have
      std::int64_t allele = 0;
      for (; digit(i); ++i) allele = std::min(beyond, 10 * allele + (text[i] - '0'));
      call.alt += rules.counts(allele);
      if (allele > rules.alts) known = false;
    }
    if (i == text.size()) break;
    if (!separator(i)) return CallFault::syntax;
  }
  return known ? code_of(call, rules, code) : CallFault::allele;
}

/// The sample columns of a text record: everything after the tab that follows FORMAT, without the
/// end of the line, which is '\n' or "\r\n". At least 64 readable bytes follow.
struct TextGenotypes {
  std::string_view columns;
  std::int64_t subfield = 0;  ///< which of FORMAT's subfields is GT, from 0
  bool alone = false;         ///< FORMAT is GT and nothing else
};

/// The GT array of a BCF record: `ploidy` values a sample of `width` bytes, little endian. At least
/// 64 readable bytes follow the end.
struct BinaryGenotypes {
  const std::uint8_t* values = nullptr;
  std::int64_t ploidy = 0;
  int width = 1;  ///< 1, 2 or 4
};

/// One BCF call as code.
CallFault decode_binary_call(const BinaryGenotypes& genotypes,
                             std::int64_t sample,
                             const CallRules& rules,
                             genotype::Code& code);

/// The row of a SiteBlock that the calls of a site fill, and their rules.
struct CallRow {
  std::int64_t samples = 0;
  CallRules rules;
  std::uint8_t* row = nullptr;
  std::int64_t stride = 0;  ///< bytes of the row, a multiple of 64, padding included
};

/// Decodes the calls of a site, call by call, and names the first fault.
namespace reference {
GenotypeFault decode_genotypes(const TextGenotypes& genotypes, const CallRow& to);
GenotypeFault decode_genotypes(const BinaryGenotypes& genotypes, const CallRow& to);
}  // namespace reference

/// The same, 64 bytes of calls at a time; false, with the row undefined, where the record has a
/// fault: the reference version then says which.
namespace cpu {
bool decode_genotypes(const TextGenotypes& genotypes, const CallRow& to);
bool decode_genotypes(const BinaryGenotypes& genotypes, const CallRow& to);
/// How often `byte` appears in `text`.
std::int64_t count_bytes(std::string_view text, char byte);
}  // namespace cpu

}  // namespace yupana::io
