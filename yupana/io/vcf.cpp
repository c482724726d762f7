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
      fmt::format("--half-call: expected missing, haploid, reference or error, got '{}'", name));
}

Polyploid polyploid_from_name(std::string_view name) {
  if (name == "error" || name == "e") return Polyploid::error;
  if (name == "missing" || name == "m") return Polyploid::missing;
  throw Error(ErrorCode::usage,
              fmt::format("--polyploid: expected error or missing, got '{}'", name));
}

Multiallelic multiallelic_from_name(std::string_view name) {
  if (name == "skip") return Multiallelic::skip;
  if (name == "split") return Multiallelic::split;
  if (name == "collapse") return Multiallelic::collapse;
  throw Error(ErrorCode::usage,
              fmt::format("--multiallelic: expected skip, split or collapse, got '{}'", name));
}

std::unique_ptr<genotype::Source> open_vcf(Context& context, const VcfParams& params) {
  return std::make_unique<VcfSource>(context, params);
}

}  // namespace yupana::io
