#include "yupana/job/pca.hpp"

#include "cli/command.hpp"
#include "cli/genotype_options.hpp"
#include "cli/grm.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::cli {
namespace {

Answer pca(Context& context, const Call& call, job::PcaJobParams params) {
  if (params.input.path.empty()) {
    throw usage_error("pca: expected an input file, got none; see 'yupana pca --help'");
  }
  check_cohort_options(call, params.input);
  params.out = required_out(call, "PREFIX, the beginning of the files to write, as out/run");
  const job::PcaJobResult result = job::run_pca(context, params);
  Answer answer;
  answer.text = account_text(result.cohort);
  for (std::size_t k = 0; k < result.eigenvalues.size(); ++k) {
    answer.text += fmt::format("PC{:<6} eigenvalue {:.6g}, {:.3g} % of the trace\n",
                               k + 1,
                               result.eigenvalues[k],
                               100 * result.eigenvalues[k] / result.trace);
  }
  answer.json = {{"command", "pca"},
                 {"samples", result.samples},
                 {"sites", result.sites},
                 {"account", account_json(result.cohort)},
                 {"eigenvalues", result.eigenvalues},
                 {"trace", result.trace},
                 {"stages", stages_json(context)},
                 {"peak_memory", peak_memory()}};
  answer.add_files(result.files);
  return answer;
}

}  // namespace

void add_pca(Command& program) {
  auto params = std::make_shared<job::PcaJobParams>();
  Command command = add_command(
      program,
      {.name = "pca",
       .purpose = "Principal components of individuals from genotypes: exact eigenvectors of the "
                  "relationship matrix of 'yupana grm'.",
       .example = "yupana pca cohort.bed -o out/run --components 10",
       .processor_only = true,
       .ignored = {"--gpu-memory"}},
      [params](Context& context, const Call& call) { return pca(context, call, *params); });
  add_cohort_options(command, params->input);
  command.number("--components", params->pca.components, "eigenvectors to write", 1);
  add_standardize(command, params->standardize);
}

}  // namespace yupana::cli
