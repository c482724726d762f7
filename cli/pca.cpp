#include <numeric>

#include "cli/command.hpp"
#include "cli/genotype_options.hpp"
#include "yupana/job/grm.hpp"

namespace yupana::cli {
namespace {

Answer pca(Context& context, const Call& call, job::PcaJobParams params, bool plan) {
  check_cohort_options(call, params.input);
  const bool on_processor = params.approximate || !params.project.empty();
  const bool free = call.context.device == "auto" && context.backend() == Backend::cuda;
  if (on_processor && free) throw OnProcessor();
  params.command = command_line();
  params.out = call.out;
  if (plan) return plan_answer(call.command.name(), job::plan_pca(context, params));
  required_out(call, prefix_out);
  const job::PcaJobResult result = job::run_pca(context, params);
  std::string components;
  for (std::size_t k = 0; k < result.eigenvalues.size(); ++k) {
    components += fmt::format("PC{:<6} eigenvalue {:.6g}, {:.3g} % of the trace\n",
                              k + 1,
                              result.eigenvalues[k],
                              100 * result.eigenvalues[k] / result.trace);
  }
  Answer answer = cohort_answer(context, call, result.cohort, result.files, components);
  if (!params.project.empty()) return answer;
  const double sum = std::accumulate(result.eigenvalues.begin(), result.eigenvalues.end(), 0.0);
  if (sum > result.trace * (1 + 1e-9)) {
    context.note(
        "the components have more than 100 % of the trace: where calls are missing, relationships "
        "of pairs over different sites may have negative eigenvalues; with --missing mode they "
        "have "
        "none");
  }
  answer.json["eigenvalues"] = result.eigenvalues;
  answer.json["trace"] = result.trace;
  return answer;
}

}  // namespace

void add_pca(Command& program) {
  auto params = std::make_shared<job::PcaJobParams>();
  auto plan = std::make_shared<bool>(false);
  Command command = add_command(
      program,
      {.name = "pca",
       .purpose = "Principal components of individuals from genotypes: exact eigenvectors of the "
                  "relationship matrix of 'yupana grm'.",
       .example = "yupana pca cohort.bed -o out/run --components 10",
       .needed_out = prefix_out,
       .without_gpu = "--approx, --project and dosages are the processor's",
       .endings =
           {".eigenvec", ".eigenval", ".loadings.tsv", ".html", ".svg", ".pdf", ".png", ".tsv"}},
      [params, plan](Context& context, const Call& call) {
        return pca(context, call, *params, *plan);
      });
  add_cohort_options(command, params->input);
  command.number("--components", params->pca.components, "eigenvectors to write", 1);
  add_dosage(command, params->input);
  add_standardize(command, params->standardize);
  command.flag("--loadings",
               params->loadings,
               "also write the weight of every site in every component: PREFIX.loadings.tsv");
  command.flag(
      "--report",
      params->report,
      "also write a page and pictures, PREFIX.html, .svg, .pdf, .png: individuals, the share of "
      "each component and, with --loadings, arrows of the sites that weigh most");
  command.text(
      "--labels", params->labels, "sample <tab> label, or FID IID label: colours of the report");
  command.text("--label-column",
               params->label_column,
               "name or number of the label's column, where there are several");
  add_pictures(command, params->pictures);
  command.needs({"--labels", "--figures", "--figure-width"}, {"--report"});
  command.needs({"--label-column"}, {"--labels"});
  command.text("--project",
               params->project,
               "PREFIX.loadings.tsv of an earlier run, with PREFIX.eigenval beside it: instead of "
               "components write the samples' coordinates among that run's, with its allele "
               "frequencies; missing calls and sites count as the mean");
  command.flag("--approx",
               params->approximate,
               "without the matrix, by up to 20 passes over the input: for more samples than fit "
               "memory; missing calls count as their site's mean");
  command.excludes({"--loadings", "--report", "--approx", "--components", "--standardize"},
                   "--project",
                   "the components are those of the earlier run");
  add_plan_flag(command, *plan);
}

}  // namespace yupana::cli
