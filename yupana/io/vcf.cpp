#include "yupana/io/vcf.hpp"

#include "yupana/core/error.hpp"
#include "yupana/io/vcf_source.hpp"

namespace yupana::io {

HalfCall half_call_from_name(std::string_view name) {
  if (name == "missing" || name == "m") return HalfCall::missing;
  if (name == "haploid" || name == "h") return HalfCall::haploid;
  if (name == "reference" || name == "r") return HalfCall::reference;
  if (name == "error" || name == "e") return HalfCall::error;
  throw Error(
      ErrorCode::usage,
      fmt::format("half call: missing, haploid, reference or error wanted, '{}' given", name));
}

Polyploid polyploid_from_name(std::string_view name) {
  if (name == "error" || name == "e") return Polyploid::error;
  if (name == "missing" || name == "m") return Polyploid::missing;
  throw Error(ErrorCode::usage,
              fmt::format("polyploid: error or missing wanted, '{}' given", name));
}

std::unique_ptr<genotype::Source> open_vcf(Context& context, const VcfParams& params) {
  return std::make_unique<VcfSource>(context, params);
}

}  // namespace yupana::io
