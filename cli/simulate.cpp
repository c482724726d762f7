#include "yupana/genotype/simulate.hpp"

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/command.hpp"
#include "yupana/core/error.hpp"
#include "yupana/job/simulate.hpp"

namespace yupana::cli {
namespace {

Answer simulate(Context& context,
                const CommonOptions& common,
                const job::SimulateJobParams& params) {
  if (common.out.empty()) {
    throw Error(ErrorCode::usage,
                "simulate: -o PREFIX is wanted: the files are PREFIX.bed, .bim, .fam, .labels.tsv");
  }
  job::SimulateJobParams job = params;
  job.out = common.out;
  const std::vector<std::string> files = job::run_simulate(context, job);
  Answer answer;
  answer.text = fmt::format("simulated {} samples x {} sites in {} populations\n",
                            job.cohort.samples,
                            job.cohort.sites,
                            job.cohort.populations);
  for (const std::string& file : files) answer.text += "wrote    " + file + "\n";
  answer.json = {{"command", "simulate"},
                 {"samples", job.cohort.samples},
                 {"sites", job.cohort.sites},
                 {"stages", stages_json(context)},
                 {"files", files}};
  return answer;
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto params = std::make_shared<job::SimulateJobParams>();
  CLI::App& app = add_command(
      program,
      "simulate",
      "A cohort with population structure (Balding-Nichols), as .bed or VCF, with its labels.",
      "yupana simulate --samples 600 --sites 50k --populations 3 -o cohort",
      [params](Context& context, const CommonOptions& common) {
        return simulate(context, common, *params);
      });
  genotype::SimulateParams& cohort = params->cohort;
  add_count(app, "--samples", cohort.samples, "individuals")->required();
  add_count(app, "--sites", cohort.sites, "sites")->required();
  app.add_option("--populations", cohort.populations, "populations of equal size")
      ->capture_default_str();
  app.add_option("--fst", cohort.fst, "F_ST between them")->capture_default_str();
  app.add_option("--missing", cohort.missing, "share of missing calls")->capture_default_str();
  add_seed(app, cohort.seed, "other seeds give other cohorts");
  app.add_option("--format", params->format, "bed, vcf, vcf.gz")
      ->check(one_of({"bed", "vcf", "vcf.gz"}))
      ->capture_default_str();
}

}  // namespace yupana::cli
