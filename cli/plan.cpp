#include "yupana/job/plan.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "yupana/core/error.hpp"
#include "yupana/job/cluster_plan.hpp"
#include "yupana/job/fermat_sizes.hpp"

namespace yupana::cli {
namespace {

struct PlanOptions {
  std::string command = "dist";
  job::PlanParams sizes;
  job::ClusterParams cluster;
  bool complete = false;
  bool fermat = false;
  int gpus = 0;  ///< of a cluster; 0: this machine
};

/// Of a run with the options that are standard.
std::uint64_t output_bytes(const PlanOptions& options) {
  const std::int64_t n = options.sizes.samples;
  if (options.fermat) return job::fermat_output_bytes({}, n, job::fractional_cell);
  return static_cast<std::uint64_t>(8 * static_cast<double>(n) * static_cast<double>(n));
}

void check_cluster_options(const CommonOptions& common) {
  const char* given = common.context.memory > 0         ? "--memory"
                      : common.context.device != "auto" ? "--device"
                                                        : nullptr;
  if (given == nullptr) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("{} has no effect with --gpus, which plans for other machines; give one", given));
}

Answer plan_on_cluster(const CommonOptions& common, const PlanOptions& options) {
  check_cluster_options(common);
  job::ClusterParams params = options.cluster;
  params.fermat = options.fermat;
  params.gpus = options.gpus;
  params.samples = options.sizes.samples;
  params.sites = options.sizes.sites;
  params.missing = options.sizes.missing;
  params.hethet = options.sizes.hethet;
  if (common.context.gpu_memory > 0) params.gpu_memory = common.context.gpu_memory;
  const job::ClusterPlan plan = job::plan_cluster(params);
  return {job::describe(plan), job::plan_json(plan)};
}

Answer plan(Context& context, const CommonOptions& common, PlanOptions options) {
  options.sizes.missing = !options.complete;
  options.fermat |= options.command == "fermat";
  if (options.fermat && options.sizes.hethet) {
    throw Error(ErrorCode::usage, "--king has no effect on a plan of fermat; leave it out");
  }
  if (options.gpus > 0) return plan_on_cluster(common, options);
  if (options.fermat) {
    const int cell = options.sizes.missing ? job::fractional_cell : job::whole_cell;
    options.sizes.after_bytes = job::fermat_bytes({}, options.sizes.samples, cell);
    options.sizes.one_band = true;
  } else {
    options.sizes.cell_bytes = 8;
  }
  job::Plan plan = job::make_plan(context, options.sizes);
  job::add_disk(plan, "", output_bytes(options));
  return {job::describe(plan), job::plan_json(plan)};
}

void add_cluster_options(CLI::App& app, PlanOptions& options) {
  job::ClusterParams& cluster = options.cluster;
  CLI::Option* const gpus =
      app.add_option("--gpus", options.gpus, "plan for a cluster of so many GPUs, on paper")
          ->check(CLI::PositiveNumber);
  const auto number = [&](const char* name, auto& value, const char* help) {
    app.add_option(name, value, help)->needs(gpus)->capture_default_str();
  };
  number("--gpus-per-node", cluster.gpus_per_node, "of that cluster");
  number("--network", cluster.network, "GB/s that each of its GPUs sends, and receives");
  number("--file-rate", cluster.file_rate, "GB/s that each node reads from files, or writes");
  number("--pcie", cluster.pcie, "GB/s from a node's memory to each GPU");
}

}  // namespace

void add_plan(CLI::App& program) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App& app = add_command(
      program,
      "plan",
      "Memory, passes and output of a run of given size on this machine or, with --gpus, memory, "
      "bytes and time on a cluster that need not exist; without any file.",
      "yupana plan dist --samples 30000 --sites 600M",
      [options](Context& context, const CommonOptions& common) {
        return plan(context, common, *options);
      },
      Runs::anywhere,
      Ranks::one,
      {.out = true, .threads = true});
  app.add_option("command", options->command, "of which a run is planned: dist or fermat")
      ->check(CLI::IsMember({"dist", "fermat"}))
      ->capture_default_str();
  add_count(app, "--samples", options->sizes.samples, "individuals")->required();
  add_count(app, "--sites", options->sizes.sites, "sites")->required();
  app.add_flag("--no-missing", options->complete, "every call is there");
  app.add_flag("--king", options->sizes.hethet, "count sites heterozygous in both");
  app.add_flag("--fermat", options->fermat, "for the fermat command, which holds the matrix");
  add_cluster_options(app, *options);
}

}  // namespace yupana::cli
