#include "yupana/genotype/cohort_notes.hpp"

#include <string_view>
#include <unordered_map>

#include "yupana/core/messages.hpp"

namespace yupana::genotype {
namespace {

/// The options that count founders alone, as a sentence begins with them.
std::string founders_options(const CohortParams& params) {
  std::string names;
  const auto add = [&](bool given, const char* name) {
    if (given) names += (names.empty() ? "" : ", ") + std::string(name);
  };
  add(params.min_hwe > 0, "--hwe");
  add(params.min_maf > 0, "--maf");
  add(params.max_maf < 0.5, "--max-maf");
  add(params.min_mac > 0, "--mac");
  return names;
}

}  // namespace

std::string reasons(const std::map<std::string, std::int64_t>& dropped) {
  std::string text;
  for (const auto& [reason, count] : dropped) text += fmt::format(", {} {}", count, reason);
  return text;
}

void note_founders(const Context& context,
                   const CohortParams& params,
                   std::int64_t founders,
                   std::size_t kept) {
  const std::string options = founders_options(params);
  const bool one = options.find(',') == std::string::npos;
  if (founders == 0) {
    context.note(
        fmt::format("{} {} founders, and there is none: every sample kept names a "
                    "parent; --nonfounders counts all samples",
                    options,
                    one ? "counts" : "count"));
    return;
  }
  context.note(fmt::format("{} {} founders alone, {} of {} samples; --nonfounders counts all",
                           options,
                           one ? "counts" : "count",
                           founders,
                           kept));
}

void note_haploid(const Context& context) {
  context.note(
      "sites of X, Y or MT are among those kept, and count as if all had two copies of them: one "
      "allele of a male on X as two; PLINK leaves them out of distances, kinships and "
      "relationships, as yupana does without --chr, --all-chr and --region");
}

void note_dosages(const Context& context,
                  const CohortParams& params,
                  const CohortSummary& summary) {
  const std::int64_t sites = summary.dosage_sites + summary.call_sites;
  if (summary.dosage_sites == 0) {
    throw input_error(
        "--dosage: expected dosages in {}, got hard calls alone at {} sites; leave --dosage out",
        params.name,
        sites);
  }
  if (summary.call_sites == 0) return;
  context.note(
      fmt::format("--dosage: {} of {} sites have dosages; of the others the hard calls count",
                  summary.dosage_sites,
                  sites));
}

void check_params(const CohortParams& params) {
  if (params.dosage && params.missing != Missing::pairwise) {
    throw usage_error("--dosage: expected --missing pairwise; hard calls alone are imputed");
  }
  const auto rate = [](const char* name, double value, double most) {
    if (value >= 0 && value <= most) return;
    throw usage_error("{}: expected a number from 0 to {}, got {}", name, most, value);
  };
  rate("--mind", params.max_sample_missing, 1);
  rate("--geno", params.max_site_missing, 1);
  rate("--hwe", params.min_hwe, 1);
  rate("--maf", params.min_maf, 0.5);
  rate("--max-maf", params.max_maf, 0.5);
  if (params.min_maf > params.max_maf) {
    throw usage_error("--maf {:g} is above --max-maf {:g}, which leaves no site; exchange them",
                      params.min_maf,
                      params.max_maf);
  }
  rate("--thin", params.thin, 1);
  if (params.min_mac < 0) {
    throw usage_error("--mac: expected a whole number of 0 or more, got {}", params.min_mac);
  }
}

std::vector<bool> marked_samples(const std::vector<std::string>& ids,
                                 const std::vector<std::string>& list,
                                 const char* option) {
  std::unordered_map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < ids.size(); ++i) place.emplace(ids[i], i);
  std::vector<bool> marks(ids.size());
  for (const std::string& id : list) {
    const auto found = place.find(id);
    if (found == place.end()) {
      throw input_error("{}: sample '{}' is not among {} of the input; correct the list",
                        option,
                        id,
                        counted(std::ssize(ids), "sample"));
    }
    marks[found->second] = true;
  }
  return marks;
}

double CohortSummary::missing_rate() const {
  const double calls = static_cast<double>(samples_kept) * static_cast<double>(sites.kept);
  return calls > 0 ? static_cast<double>(calls_missing) / calls : 0;
}

void check_sites_left(const CohortSummary& summary, const std::string& name) {
  if (summary.sites.kept > 0) return;
  if (summary.sites.read == 0) {
    throw bad_file(name,
                   "expected at least one site, got 0; check that it is the right file, and "
                   "--region, --from-bp and --to-bp where they are given");
  }
  const bool autosomes = summary.sites.skipped.contains("not autosomal");
  throw bad_file(name,
                 "no site left of {} read{}; loosen the filters{} or check the input",
                 summary.sites.read,
                 reasons(summary.sites.skipped),
                 autosomes ? " (--all-chr takes every chromosome)" : "");
}

void note_imputed(const Context& context, const CohortSummary& summary) {
  if (summary.calls_missing == 0) return;
  context.note(fmt::format("{} missing calls ({:.3g} %) took their site's most frequent genotype",
                           summary.calls_missing,
                           100 * summary.missing_rate()));
}

}  // namespace yupana::genotype
