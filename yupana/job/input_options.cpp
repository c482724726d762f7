// Which options have an effect on which inputs.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "yupana/core/messages.hpp"
#include "yupana/genotype/cohort_notes.hpp"
#include "yupana/genotype/simulate.hpp"
#include "yupana/job/input.hpp"

namespace yupana::job {
namespace {

const InputParams& defaults() {
  static const InputParams params;
  return params;
}

/// Of each InputKind.
constexpr const char* descriptions[] = {"PLINK 1 data sets",
                                        "PLINK 1 text files",
                                        "PLINK 2 data sets",
                                        "BGEN files",
                                        "VCF and BCF",
                                        "VCF-Zarr",
                                        ".npy files",
                                        "simulations",
                                        "arrays"};

}  // namespace

const std::vector<InputOption>& input_options() {
  using enum InputKind;
  using P = const InputParams&;
  static const std::vector<InputOption> options = {
      {"--bim", {plink}, [](P p) { return !p.bim.empty(); }},
      {"--fam", {plink}, [](P p) { return !p.fam.empty(); }},
      {"--pvar", {pgen}, [](P p) { return !p.pvar.empty(); }},
      {"--psam", {pgen}, [](P p) { return !p.psam.empty(); }},
      {"--sample", {bgen}, [](P p) { return !p.sample.empty(); }},
      {"--bgen", {bgen}, [](P p) { return p.ref_last; }},
      {"--hard-call-threshold",
       {bgen},
       [](P p) { return p.hard_call_threshold != defaults().hard_call_threshold; }},
      {"--dosage", {pgen, bgen, vcf}, [](P p) { return p.cohort.dosage; }},
      {"--keep-fam", {plink, text, pgen, bgen}, [](P p) { return !p.keep_fam_file.empty(); }},
      {"--remove-fam", {plink, text, pgen, bgen}, [](P p) { return !p.remove_fam_file.empty(); }},
      {"--extract",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return !p.extract.path.empty(); }},
      {"--exclude",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return !p.exclude.path.empty(); }},
      {"--nonfounders", {plink, text, pgen, simulated}, [](P p) { return p.cohort.nonfounders; }},
      {"--chr", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return !p.chromosomes.empty(); }},
      {"--all-chr", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return p.all_chromosomes; }},
      {"--chr-set",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return p.autosomes != defaults().autosomes; }},
      {"--region", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return !p.region.empty(); }},
      {"--from-bp",
       {plink, text, pgen, bgen, vcf, zarr},
       [](P p) { return p.from_bp.has_value(); }},
      {"--to-bp", {plink, text, pgen, bgen, vcf, zarr}, [](P p) { return p.to_bp.has_value(); }},
      {"--snps-only",
       {plink, pgen, bgen, vcf, zarr},
       [](P p) { return p.snps_only || p.just_acgt; }},
      {"--half-call", {vcf, zarr}, [](P p) { return p.half_call != defaults().half_call; }},
      {"--polyploid", {vcf}, [](P p) { return p.polyploid != defaults().polyploid; }},
      {"--multiallelic",
       {pgen, bgen, vcf, zarr},
       [](P p) { return p.multiallelic != defaults().multiallelic; }},
      {"--var-filter", {pgen, vcf}, [](P p) { return p.filtered || !p.ignored_filters.empty(); }},
      {"--var-min-qual", {pgen, vcf}, [](P p) { return p.min_qual.has_value(); }},
      {"--round", {npy}, [](P p) { return p.round; }}};
  return options;
}

std::string no_effect(const InputOption& option, const InputParams& params, InputKind kind) {
  std::string kinds;
  for (const InputKind good : option.kinds) {
    kinds += (kinds.empty() ? "" : ", ");
    kinds += descriptions[static_cast<std::size_t>(good)];
  }
  return fmt::format("on {}: it is for {}",
                     kind == InputKind::array ? "an array" : "'" + params.path + "'",
                     kinds);
}

void refuse_second_pass(const InputParams& params, std::string_view option) {
  const std::string& path = params.path;
  struct stat status {};
  const bool is_input = path == "-";
  if (!is_input && (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) ||
                    S_ISDIR(status.st_mode) || input_kind(params) != InputKind::vcf)) {
    return;
  }
  throw usage_error("{}: takes two passes, and {} cannot be read twice; write it to a file first",
                    option,
                    is_input ? "standard input" : path + " is a pipe and");
}

void refuse_idle_options(const InputParams& params, InputKind kind) {
  if (params.king_cutoff && !(*params.king_cutoff >= 0 && *params.king_cutoff < 0.5)) {
    throw usage_error("--king-cutoff: expected a kinship from 0 to below 0.5, got {}",
                      *params.king_cutoff);
  }
  if (params.min_qual && !std::isfinite(*params.min_qual)) {
    throw usage_error("--var-min-qual: expected a finite number, got {}", *params.min_qual);
  }
  genotype::check_params(params.cohort);
  if (params.cohort.max_sample_missing < 1) refuse_second_pass(params, "--mind");
  if (params.king_cutoff) refuse_second_pass(params, "--king-cutoff");
  if (params.indep_pairwise.window > 0) refuse_second_pass(params, "--indep-pairwise");
  if (kind == InputKind::simulated && params.cohort.nonfounders &&
      genotype::simulate_params(params.path.substr(params.path.find(':') + 1)).family_size == 1) {
    throw usage_error(
        "--nonfounders has no effect on '{}': without family-size=N all samples are founders; "
        "leave --nonfounders out",
        params.path);
  }
  for (const InputOption& option : input_options()) {
    const auto& kinds = option.kinds;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) continue;
    if (!option.is_set(params)) continue;
    throw usage_error(
        "{0} has no effect {1}; leave {0} out", option.name, no_effect(option, params, kind));
  }
}

}  // namespace yupana::job
