#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "yupana/core/machine.hpp"
#include "yupana/job/cluster_plan.hpp"

namespace yupana::job {
namespace {

const char* plural(std::int64_t count) { return count == 1 ? "" : "s"; }

std::string groups(int count, const char* of) {
  return fmt::format("{} group{} of {}", count, plural(count), of);
}

/// "12.3 s", "4 min", "2.1 h"
std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string sizes_text(const ClusterPlan& plan) {
  const ClusterParams& p = plan.params;
  std::string text = fmt::format("command      {}, on paper: nothing of this was run\n",
                                 p.fermat ? "fermat" : "dist");
  text += fmt::format("samples      {}\nsites        {}, {}\n",
                      p.samples,
                      human_count(static_cast<double>(p.sites)),
                      p.missing ? "some calls missing" : "no call missing");
  text += fmt::format("cluster      {} of {} GPUs on {} node{}\n",
                      plan.used_gpus(),
                      p.gpus,
                      plan.nodes,
                      plural(plan.nodes));
  text += fmt::format(
      "assumed      --gpu-memory {}, --gpus-per-node {}, --network {:g} GB/s a GPU,\n"
      "             --file-rate {:g} GB/s a node, --pcie {:g} GB/s a GPU\n",
      human_bytes(static_cast<double>(p.gpu_memory)),
      p.gpus_per_node,
      p.network,
      p.file_rate,
      p.pcie);
  return text;
}

std::string work_text(const ClusterPlan& plan) {
  std::string text = fmt::format("cut          {} x {}, {} pass{}\n",
                                 groups(plan.pair_groups, "pairs"),
                                 groups(plan.site_groups, "sites"),
                                 plan.passes,
                                 plan.passes == 1 ? "" : "es");
  text += fmt::format("GPU memory   {} on each, {} in all\n",
                      human_bytes(plan.gpu_bytes),
                      human_bytes(plan.gpu_bytes * plan.used_gpus()));
  if (plan.host_bytes > 0) {
    text += fmt::format("host memory  {} on the first node, which makes the report\n",
                        human_bytes(plan.host_bytes));
  }
  text += fmt::format("work         {} pair-SNP comparisons", human_count(plan.pair_sites));
  if (plan.relaxations > 0) text += fmt::format(", {} add+min", human_count(plan.relaxations));
  text += fmt::format("\nbytes        {} read, {} uploaded, {} sent between GPUs, {} written\n",
                      human_bytes(plan.read_bytes),
                      human_bytes(plan.upload_bytes),
                      human_bytes(plan.sent_bytes),
                      human_bytes(plan.written_bytes));
  return text;
}

}  // namespace

std::string describe(const ClusterPlan& plan) {
  std::string text = sizes_text(plan) + work_text(plan);
  for (const ClusterStage& stage : plan.stages) {
    text += fmt::format("  {:<15} {:>10}{}{}\n",
                        stage.name,
                        duration(stage.seconds),
                        stage.flows ? "  beside each other" : "",
                        stage.name == plan.bottleneck ? "  <- bottleneck" : "");
  }
  text += fmt::format("time         {}\n", duration(plan.seconds));
  if (plan.pair_groups > 1) {
    text += fmt::format("             {} if every GPU counted all pairs (--pair-groups 1)\n",
                        duration(plan.one_group_seconds));
  }
  text += "measured     rates of one GPU that the times follow from:\n";
  for (const MeasuredRate& rate : measured_rates()) {
    text += fmt::format(
        "  {:<29} {:>8} {}  {}\n", rate.name, human_count(rate.value), rate.unit, rate.source);
  }
  return text;
}

nlohmann::ordered_json plan_json(const ClusterPlan& plan) {
  const ClusterParams& p = plan.params;
  auto stages = nlohmann::ordered_json::array(), rates = stages;
  for (const ClusterStage& stage : plan.stages) {
    stages.push_back({{"stage", stage.name}, {"seconds", stage.seconds}, {"flows", stage.flows}});
  }
  for (const MeasuredRate& rate : measured_rates()) {
    rates.push_back(
        {{"rate", rate.name}, {"value", rate.value}, {"unit", rate.unit}, {"source", rate.source}});
  }
  return {{"command", p.fermat ? "fermat" : "dist"},
          {"samples", p.samples},
          {"sites", p.sites},
          {"missing", p.missing},
          {"assumed",
           {{"gpus", p.gpus},
            {"gpus_per_node", p.gpus_per_node},
            {"gpu_memory", p.gpu_memory},
            {"network", p.network},
            {"file_rate", p.file_rate},
            {"pcie", p.pcie}}},
          {"gpus", plan.used_gpus()},
          {"nodes", plan.nodes},
          {"pair_groups", plan.pair_groups},
          {"site_groups", plan.site_groups},
          {"passes", plan.passes},
          {"gpu_bytes", plan.gpu_bytes},
          {"host_bytes", plan.host_bytes},
          {"pair_sites", plan.pair_sites},
          {"relaxations", plan.relaxations},
          {"read_bytes", plan.read_bytes},
          {"upload_bytes", plan.upload_bytes},
          {"sent_bytes", plan.sent_bytes},
          {"written_bytes", plan.written_bytes},
          {"stages", stages},
          {"bottleneck", plan.bottleneck},
          {"seconds", plan.seconds},
          {"one_group_seconds", plan.one_group_seconds},
          {"rates", rates}};
}

}  // namespace yupana::job
