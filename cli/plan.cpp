#include "yupana/job/plan.hpp"

#include "cli/genotype_options.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/job/cluster_plan.hpp"
#include "yupana/job/fermat.hpp"

namespace yupana::cli {
namespace {

struct PlanOptions {
  std::string command = "dist";
  job::PlanParams sizes{.named = false};
  job::ClusterParams cluster;
  bool complete = false;
  bool fermat = false;
  int gpus = 0;  ///< of a cluster; 0: this machine
};

/// Of a run with the options that are standard.
std::uint64_t output_bytes(const PlanOptions& options) {
  const std::int64_t n = options.sizes.samples;
  if (options.fermat) return job::fermat_output_bytes({}, {.samples = n});
  return static_cast<std::uint64_t>(8 * static_cast<double>(n) * static_cast<double>(n));
}

Answer plan_on_cluster(const Call& call, const PlanOptions& options) {
  job::ClusterParams params = options.cluster;
  params.fermat = options.fermat;
  params.gpus = options.gpus;
  params.samples = options.sizes.samples;
  params.sites = options.sizes.sites;
  params.missing = options.sizes.missing;
  params.hethet = options.sizes.hethet;
  if (call.context.gpu_memory > 0) params.gpu_memory = call.context.gpu_memory;
  const job::ClusterPlan plan = job::plan_cluster(params);
  return {job::describe(plan), job::plan_json(plan)};
}

/// Pairs of more samples take more bytes than 64 bits count.
constexpr std::int64_t max_samples = 500'000'000;

Answer plan(Context& context, const Call& call, PlanOptions options) {
  if (options.sizes.samples > max_samples) {
    throw usage_error("--samples: expected at most {}, whose pairs 64 bits can count, got {}",
                      max_samples,
                      options.sizes.samples);
  }
  options.sizes.missing = !options.complete;
  options.sizes.reader_bytes = job::reading_bytes(options.sizes.sites);
  if (options.fermat && options.command == "dist" && call.command.given("command")) {
    throw usage_error("--fermat has no effect on a plan of dist; plan fermat");
  }
  options.fermat |= options.command == "fermat";
  if (options.fermat && options.sizes.hethet) {
    throw usage_error("--king has no effect on a plan of fermat; leave it out");
  }
  if (options.gpus > 0) return plan_on_cluster(call, options);
  if (options.fermat) {
    const auto bytes = [&](bool missing) {
      return job::fermat_bytes({}, job::sizes_of_cohort(options.sizes, missing));
    };
    options.sizes.after_bytes = bytes(options.sizes.missing);
    options.sizes.complete_after_bytes = bytes(false);
    options.sizes.one_band = true;
  } else {
    options.sizes.cell_bytes = 8;
  }
  job::Plan plan = job::make_plan(context, options.sizes);
  job::add_disk(plan, "", output_bytes(options));
  return plan_answer(options.fermat ? "fermat" : "dist", plan);
}

/// The name of a command that is planned by sizes alone.
std::string planned_command(const std::string& word) {
  if (word == "dist" || word == "fermat") return word;
  const bool has_plan = word == "pca" || word == "grm" || word == "filter";
  throw usage_error(
      "command: expected dist or fermat, got '{}'{}",
      word,
      has_plan ? fmt::format("; for a file, 'yupana {} FILE --plan' plans it", word) : "");
}

void add_cluster_options(Command& command, PlanOptions& options) {
  job::ClusterParams& cluster = options.cluster;
  command.number("--gpus", options.gpus, "plan for a cluster of so many GPUs, on paper", 1);
  command.number("--gpus-per-node", cluster.gpus_per_node, "of that cluster");
  command.number("--network", cluster.network, "GB/s that each of its GPUs sends, and receives");
  command.number(
      "--file-rate", cluster.file_rate, "GB/s that each node reads from files, or writes");
  command.number("--pcie", cluster.pcie, "GB/s from a node's memory to each GPU");
  command.needs({"--gpus-per-node", "--network", "--file-rate", "--pcie"}, {"--gpus"});
  command.excludes({"--memory", "--device"}, "--gpus", "it plans for other machines");
}

}  // namespace

void add_plan_flag(Command& command, bool& plan) {
  command.flag(
      "--plan", plan, "print memory, passes, output and, with -o, the free disk; do nothing");
}

void add_plan(Command& program) {
  auto options = std::make_shared<PlanOptions>();
  Command command = add_command(
      program,
      {.name = "plan",
       .purpose =
           "Memory, passes and output of a run of given size on this machine or, with --gpus, "
           "memory, bytes and time on a cluster that need not exist; without any file.",
       .example = "yupana plan dist --samples 30000 --sites 600M",
       .ignored = {"-o", "--threads"}},
      [options](Context& context, const Call& call) { return plan(context, call, *options); });
  command
      .word(
          "command",
          [options](const std::string& word) { options->command = planned_command(word); },
          "of which a run is planned: dist or fermat")
      .shows(options->command);
  command.count("--samples", options->sizes.samples, "individuals, at most 500M").required();
  command.count("--sites", options->sizes.sites, "sites").required();
  command.flag("--no-missing", options->complete, "no call is missing");
  command.flag("--king", options->sizes.hethet, "count sites heterozygous in both");
  command.flag("--fermat", options->fermat, "for the fermat command, which holds the matrix");
  add_cluster_options(command, *options);
}

}  // namespace yupana::cli
