#include "yupana/job/plan.hpp"

#include "cli/command.hpp"

namespace yupana::cli {
namespace {

struct PlanOptions {
  job::PlanParams sizes;
  bool complete = false;
  bool fermat = false;
};

Answer plan(Context& context, PlanOptions options) {
  options.sizes.missing = !options.complete;
  if (options.fermat) {
    options.sizes.later_bytes =
        job::fermat_matrix_bytes(options.sizes.samples, options.sizes.missing);
    options.sizes.one_band = true;
  }
  job::Plan plan = job::make_plan(context, options.sizes);
  job::estimate_time(context, plan);
  return {job::describe(plan), job::plan_json(plan)};
}

}  // namespace

void add_plan(CLI::App& program) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App& app = add_command(
      program,
      "plan",
      "Memory, passes and time of a run of given size on this machine, without any file.",
      "yupana plan --samples 30000 --sites 600M",
      [options](Context& context, const CommonOptions&) { return plan(context, *options); });
  add_count(app, "--samples", options->sizes.samples, "individuals")->required();
  add_count(app, "--sites", options->sizes.sites, "sites")->required();
  app.add_flag("--no-missing", options->complete, "every call is there");
  app.add_flag("--king", options->sizes.hethet, "count sites heterozygous in both");
  app.add_flag("--fermat", options->fermat, "for the fermat command, which holds the matrix");
}

}  // namespace yupana::cli
