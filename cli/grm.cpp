#include "yupana/job/grm.hpp"

#include <algorithm>

#include "cli/command.hpp"
#include "cli/genotype_options.hpp"
#include "cli/grm.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::cli {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Answer grm(Context& context, const Call& call, job::GrmJobParams params) {
  if (params.input.path.empty()) {
    throw usage_error("grm: expected an input file, got none; see 'yupana grm --help'");
  }
  check_cohort_options(call, params.input);
  if (!params.npy) call.command.refuse({"--dtype"}, "without --format npy");
  params.out = required_out(call, "PREFIX, the beginning of the files to write, as out/run");
  const job::GrmJobResult result = job::run_grm(context, params);
  Answer answer;
  answer.text = account_text(result.cohort);
  answer.json = {{"command", "grm"},
                 {"samples", result.samples},
                 {"sites", result.sites},
                 {"account", account_json(result.cohort)},
                 {"pairs_without_sites", result.pairs_without_sites},
                 {"passes", result.passes},
                 {"stages", stages_json(context)},
                 {"peak_memory", peak_memory()}};
  answer.add_files(result.files);
  return answer;
}

}  // namespace

void add_standardize(Command& command, genotype::Standardize& standardize) {
  command.choice(
      "--standardize",
      standardize,
      {{"gcta", genotype::Standardize::gcta}, {"eigensoft", genotype::Standardize::eigensoft}},
      "variance of a site by its allele frequency p, over all samples kept: 2p(1-p), as "
      "GCTA and PLINK 2 have it, or q(1-q) with q = (1 + alleles) / (2 + 2 calls)");
}

void add_grm(Command& program) {
  auto params = std::make_shared<job::GrmJobParams>();
  Command command = add_command(
      program,
      {.name = "grm",
       .purpose = "Genomic relationship matrix, as GCTA and PLINK 2 define it, from genotypes.",
       .example = "yupana grm cohort.bed -o out/run",
       .processor_only = true,
       .ignored = {"--gpu-memory"}},
      [params](Context& context, const Call& call) { return grm(context, call, *params); });
  add_cohort_options(command, params->input);
  add_standardize(command, params->standardize);
  command
      .words(
          "--format",
          [params](const Names& words) {
            params->gcta = params->npy = false;
            for (const std::string& word : words) {
              if (word != "gcta" && word != "npy") {
                throw usage_error("--format: expected gcta or npy, got '{}'", word);
              }
              (word == "gcta" ? params->gcta : params->npy) = true;
            }
          },
          "gcta (PREFIX.grm.bin, PREFIX.grm.N.bin), npy (PREFIX.grm.npy)")
      .separated_by_commas()
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
      -infinity,
      infinity);
}

}  // namespace yupana::cli
