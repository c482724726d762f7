#include "yupana/job/grm.hpp"

#include <limits>

#include "cli/command.hpp"
#include "cli/genotype_options.hpp"

namespace yupana::cli {
namespace {

Answer grm(Context& context, const Call& call, job::GrmJobParams params, bool plan) {
  check_cohort_options(call, params.input);
  if (!params.npy) call.command.refuse({"--dtype"}, "without --format npy");
  params.out = call.out;
  if (plan) return plan_answer(call.command.name(), job::plan_grm_job(context, params));
  required_out(call, prefix_out);
  const job::GrmJobResult result = job::run_grm(context, params);
  Answer answer = cohort_answer(context, call, result.cohort, result.files);
  answer.json["pairs_without_sites"] = result.pairs_without_sites;
  answer.json["passes"] = result.passes;
  return answer;
}

}  // namespace

void add_grm(Command& program) {
  auto params = std::make_shared<job::GrmJobParams>();
  auto plan = std::make_shared<bool>(false);
  Command command = add_command(
      program,
      {.name = "grm",
       .purpose = "Genomic relationship matrix, as GCTA and PLINK 2 define it, from genotypes.",
       .example = "yupana grm cohort.bed -o out/run",
       .needed_out = prefix_out,
       .endings = {".grm.bin", ".grm.N.bin", ".grm.npy", ".grm.sp", ".grm.id", ".grm", ".npy"}},
      [params, plan](Context& context, const Call& call) {
        return grm(context, call, *params, *plan);
      });
  add_cohort_options(command, params->input);
  add_dosage(command, params->input);
  add_standardize(command, params->standardize);
  command
      .words(
          "--format",
          [params](const Names& words) {
            params->gcta = params->npy = false;
            for (const std::string& word : cut_at_commas(words)) {
              if (word != "gcta" && word != "npy") {
                throw usage_error("--format: expected gcta or npy, got '{}'", word);
              }
              (word == "gcta" ? params->gcta : params->npy) = true;
            }
          },
          "gcta (PREFIX.grm.bin, PREFIX.grm.N.bin), npy (PREFIX.grm.npy)")
      .shows("gcta,npy");
  command.choice("--dtype",
                 params->type,
                 {{"float64", io::NpyType::float64}, {"float32", io::NpyType::float32}},
                 "of the .npy");
  command.number(
      "--cutoff",
      params->cutoff,
      "also write pairs of this relationship or more, and the diagonal, as GCTA's sparse "
      "matrix: PREFIX.grm.sp",
      -std::numeric_limits<double>::infinity(),
      infinity);
  add_plan_flag(command, *plan);
}

}  // namespace yupana::cli
