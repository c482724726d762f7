// The options of genotype inputs that have no effect on some kinds of them.
#include <algorithm>

#include "yupana/job/input.hpp"

namespace yupana::job {
namespace {

const InputParams& defaults() {
  static const InputParams params;
  return params;
}

std::string described(InputKind kind) {
  switch (kind) {
    case InputKind::plink:
      return "PLINK data sets";
    case InputKind::vcf:
      return "VCF and BCF";
    case InputKind::npy:
      return ".npy files";
    case InputKind::simulated:
      return "simulations";
    case InputKind::array:
      return "arrays";
  }
  return {};
}

}  // namespace

const std::vector<InputOption>& input_options() {
  using enum InputKind;
  using P = const InputParams&;
  static const std::vector<InputOption> options = {
      {"--bim", {plink}, [](P p) { return !p.bim.empty(); }},
      {"--fam", {plink}, [](P p) { return !p.fam.empty(); }},
      {"--nonfounders", {plink}, [](P p) { return p.cohort.nonfounders; }},
      {"--chr", {plink, vcf}, [](P p) { return !p.chromosomes.empty(); }},
      {"--all-chr", {plink, vcf}, [](P p) { return p.all_chromosomes; }},
      {"--chr-set", {plink, vcf}, [](P p) { return p.autosomes != defaults().autosomes; }},
      {"--region", {plink, vcf}, [](P p) { return !p.region.empty(); }},
      {"--snps-only", {plink, vcf}, [](P p) { return p.snps_only || p.just_acgt; }},
      {"--half-call", {vcf}, [](P p) { return p.half_call != defaults().half_call; }},
      {"--polyploid", {vcf}, [](P p) { return p.polyploid != defaults().polyploid; }},
      {"--multiallelic", {vcf}, [](P p) { return p.multiallelic != defaults().multiallelic; }},
      {"--var-filter", {vcf}, [](P p) { return p.filtered || !p.ignored_filters.empty(); }},
      {"--var-min-qual", {vcf}, [](P p) { return p.min_qual.has_value(); }},
      {"--round", {npy}, [](P p) { return p.round; }}};
  return options;
}

Error no_effect(const InputOption& option, const InputParams& params, InputKind kind) {
  std::string kinds;
  for (const InputKind good : option.kinds) {
    kinds += (kinds.empty() ? "" : ", ") + described(good);
  }
  return Error(ErrorCode::usage,
               fmt::format("{} has no effect on {}: it is for {}; leave it out",
                           option.name,
                           kind == InputKind::array ? "an array" : "'" + params.path + "'",
                           kinds));
}

void refuse_idle_options(const InputParams& params, InputKind kind) {
  for (const InputOption& option : input_options()) {
    const auto& kinds = option.kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    if (option.is_set(params)) throw no_effect(option, params, kind);
  }
}

}  // namespace yupana::job
