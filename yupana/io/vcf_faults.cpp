#include "yupana/io/vcf_faults.hpp"

#include "yupana/core/messages.hpp"

namespace yupana::io {

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result(text.substr(0, most));
  for (char& letter : result) {
    if (letter < ' ' || letter > '~') letter = '?';
  }
  return text.size() > most ? result + "..." : result;
}

std::string explain(const GenotypeFault& fault, const std::string& sample, std::int64_t alts) {
  const std::string call = fmt::format("sample {}: '{}'", sample, shown(fault.text));
  switch (fault.fault) {
    case CallFault::allele:
      return call + (alts > 1 ? fmt::format(" names an allele that the site does not have: it has "
                                            "REF (0) and ALT (1 to {})",
                                            alts)
                              : std::string(" names an allele that the site does not have: it has "
                                            "REF (0) and one ALT (1)"));
    case CallFault::half:
      return call + " is a half call; take them with --half-call missing, haploid or reference";
    case CallFault::polyploid:
      return call +
             " has more than two alleles; yupana reads haploid and diploid calls: leave the "
             "site out, or take such calls as missing with --polyploid missing";
    case CallFault::none:
    case CallFault::columns:
    case CallFault::syntax:
      break;
  }
  return call + " is no genotype";
}

}  // namespace yupana::io
