#pragma once

#include <string_view>

namespace yupana::io {

/// The treatment of a site with several ALT alleles.
enum class Multiallelic {
  skip,      ///< left out and counted
  split,     ///< one site for each ALT: x counts that allele, every other allele is as REF
  collapse,  ///< one site: x counts the alleles that are not REF, as PLINK 2's --make-king does
};

/// Which variants --snps-only leaves, as in PLINK 2.
enum class SnpsOnly {
  off,        ///< every variant
  any,        ///< no allele of more than one character
  just_acgt,  ///< single A, C, G, T in either case; '.' and '0' where an allele is missing
};

/// True where one allele of a variant passes.
inline bool passes(SnpsOnly rule, std::string_view allele) {
  if (rule == SnpsOnly::off) return true;
  if (allele.size() != 1) return false;
  constexpr std::string_view letters = "ACGTacgt.0";
  return rule == SnpsOnly::any || letters.find(allele[0]) != letters.npos;
}

/// The reason in SiteAccount::skipped of the other variants.
constexpr std::string_view no_snp_reason = "no single-base variant (--snps-only)";

}  // namespace yupana::io
