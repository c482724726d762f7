#include "yupana/job/filter.hpp"

#include "cli/command.hpp"
#include "cli/genotype_options.hpp"

namespace yupana::cli {
namespace {

Answer filter(Context& context, const Call& call, job::FilterJobParams& job, bool plan) {
  check_cohort_options(call, job.input);
  job.out = required_out(call, "a name that ends in .bed, .pgen, .vcf, .vcf.gz or .npy");
  if (plan) return plan_answer(call.command.name(), job::plan_filter(context, job));
  const job::FilterJobResult result = job::run_filter(context, job);
  return cohort_answer(context, call, result.cohort, result.files);
}

}  // namespace

void add_filter(Command& program) {
  auto params = std::make_shared<job::FilterJobParams>();
  auto plan = std::make_shared<bool>(false);
  Command command =
      add_command(program,
                  {.name = "filter",
                   .purpose = "The samples and sites that filters leave, written as .bed, .pgen, "
                              ".vcf, .vcf.gz or .npy, whichever -o names.",
                   .example = "yupana filter cohort.vcf.gz --maf 0.01 --geno 0.05 -o common.pgen",
                   .needed_out = "NAME",
                   .processor_only = true,
                   .without_gpu = "reading, filters and writing are the processor's",
                   .ignored = {"--gpu-memory"}},
                  [params, plan](Context& context, const Call& call) {
                    return filter(context, call, *params, *plan);
                  });
  add_cohort_options(command, params->input);
  add_plan_flag(command, *plan);
}

}  // namespace yupana::cli
