#include "yupana/job/cluster_plan.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "yupana/core/machine.hpp"
#include "yupana/core/messages.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/job/fermat.hpp"

namespace yupana::job {
namespace {

constexpr MeasuredRate rates[] = {
    {"pair counts, no call missing",
     2050e12,
     "pair-SNP/s",
     "bench/results/distances_cuda.jsonl and distances_cuda_multi.jsonl, between both: H200"},
    {"pair counts, calls missing",
     1253e12,
     "pair-SNP/s",
     "bench/results/distances_cuda.jsonl: n=16384, one H200"},
    {"transposition of codes", 2.7e12, "genotypes/s", "yupana/genotype/README.md, one H200"},
    {"metric",
     0.9e9,
     "numbers/s",
     "docs/performance.md: 1.0 s at n = 30,000, one H200 and 16 cores"},
    {"shortest paths",
     14.55e12,
     "(add+min)/s",
     "bench/results/paths_cuda_multi.jsonl: n=30000 int32, each of four H200"},
    {"pictures of a matrix",
     30000. * 30000 / 3.2,
     "numbers/s",
     "docs/performance.md: 2.6 to 3.2 s at n = 30,000, one H200 and 16 cores"},
};
enum RateIndex { count_complete, count_missing, transposing, metric, paths, pictures };
double rate(RateIndex which) { return rates[which].value; }

/// Codes of blocks in flight and their planes: a few GB at any size, as block_bytes of the GPU
/// counter, which takes at most an eighth of the memory for them.
constexpr double most_block_bytes = 8e9;
constexpr int number_bytes = 8;           ///< of .dist.npy
constexpr int length_bytes = 4;           ///< of a path: int32 or float32
constexpr int fermat_matrices = 4;        ///< that are analyzed: d, F^(1/alpha), d^alpha, F
constexpr std::int64_t tile_rows = 256;   ///< of the squares in which GPUs hold sums
constexpr std::int64_t panel_rows = 512;  ///< pivots of a step of the closure

/// The sizes that do not depend on the cut.
struct Load {
  explicit Load(const ClusterParams& p) : params(p) {
    n = static_cast<double>(p.samples);
    m = static_cast<double>(p.sites);
    pairs = n * (n - 1) / 2;
    cells = n * (n + 1) / 2;
    file = std::ceil(n / 4) * m;
    const bool wide = m >= 4294967296.;
    // On GPUs the sums of both kinds of products where calls may miss, as their counter holds them;
    // between GPUs the counts of a pair.
    gpu_pair = 4 * (p.missing ? (p.hethet ? 7 : 6) : 2);
    sent_pair = (wide ? 8 : 4) * (p.missing ? (p.hethet ? 5 : 3) : 2);
    // Of all sites at the most: codes of two blocks and three planes.
    blocks = std::min(
        {most_block_bytes, static_cast<double>(p.gpu_memory) / 8, n * m * (2 * 0.25 + 3 * 0.125)});
    nodes = static_cast<int>(divide_up(p.gpus, p.gpus_per_node));
  }
  double memory() const { return static_cast<double>(params.gpu_memory) - blocks; }
  /// Bytes of the closure's matrix and a panel on each of `gpus`.
  double path_bytes(double gpus) const {
    return length_bytes * n * (n / gpus + 2 * std::min<double>(panel_rows, n));
  }

  const ClusterParams& params;
  double n, m, pairs, cells, file, gpu_pair, sent_pair, blocks;
  int nodes;
};

struct Cut {
  std::int64_t pair_groups, site_groups;
};

/// Nodes that a cut needs: those of one site group times the groups, or several groups a node.
std::int64_t nodes_of(const Load& load, Cut cut) {
  const std::int64_t node = std::min(load.params.gpus_per_node, load.params.gpus);
  if (cut.pair_groups >= node) return divide_up(cut.pair_groups, node) * cut.site_groups;
  return divide_up(cut.site_groups, node / cut.pair_groups);
}

/// The least number of passes whose sums fit; none where even the smallest tiles do not.
std::optional<std::int64_t> passes_of(const Load& load, int pair_groups) {
  const double sums = load.gpu_pair * load.cells / pair_groups;
  if (load.memory() <= 0) return std::nullopt;
  const auto passes = static_cast<std::int64_t>(std::max(1.0, std::ceil(sums / load.memory())));
  const double tiles = std::ceil(load.n / tile_rows);
  if (static_cast<double>(passes) * pair_groups > tiles * (tiles + 1) / 2) return std::nullopt;
  return passes;
}

void add_fermat(const Load& load, ClusterPlan& plan) {
  const double gpus = plan.used_gpus();
  plan.gpu_bytes = std::max(plan.gpu_bytes, load.path_bytes(gpus));
  const PlanParams sizes{.samples = load.params.samples, .sites = load.params.sites};
  plan.host_bytes =
      static_cast<double>(fermat_bytes({}, sizes_of_cohort(sizes, load.params.missing)));
  plan.relaxations = load.n * load.n * load.n / 2;
  // Every GPU receives every panel that it did not make: n^2 lengths in all.
  const double panels = length_bytes * load.n * load.n * (gpus - 1) / gpus;
  plan.sent_bytes += panels * gpus;
  plan.written_bytes += load.n * load.n * length_bytes;
  const double work = plan.relaxations / gpus / rate(paths);
  // Panels are sent during the preceding step: the longer of the two.
  plan.stages.push_back({"shortest paths", std::max(work, panels / (load.params.network * 1e9))});
  plan.stages.push_back({"pictures", fermat_matrices * load.n * load.n / rate(pictures)});
}

ClusterPlan plan_cut(const Load& load, Cut cut, std::int64_t passes) {
  const ClusterParams& p = load.params;
  ClusterPlan plan;
  plan.params = p;
  plan.pair_groups = static_cast<int>(cut.pair_groups);
  plan.site_groups = static_cast<int>(cut.site_groups);
  plan.passes = passes;
  plan.nodes = static_cast<int>(nodes_of(load, cut));
  const double gpus = plan.used_gpus(), groups = cut.pair_groups,
               times = static_cast<double>(passes);
  const double sums = load.gpu_pair * load.cells / (groups * times);
  plan.gpu_bytes = sums + load.blocks;
  const double copies = std::ceil(groups / std::min(p.gpus_per_node, p.gpus));
  plan.read_bytes = load.file * times * copies;
  plan.upload_bytes = load.file * times * groups;
  // Reduce-scatter of a tile among s GPUs: each sends all of it but its own part.
  const double share = 1 - 1 / static_cast<double>(cut.site_groups);
  const double sent = load.sent_pair * load.cells / groups * share;
  plan.sent_bytes = sent * gpus;
  plan.written_bytes = load.n * load.n * number_bytes;
  plan.pair_sites = load.pairs * load.m;
  const double transposed =
      load.n * load.m / static_cast<double>(cut.site_groups) * times / rate(transposing);
  plan.stages = {
      {"read", plan.read_bytes / plan.nodes / (p.file_rate * 1e9), true},
      {"upload", plan.upload_bytes / gpus / (p.pcie * 1e9), true},
      {"count",
       plan.pair_sites / gpus / rate(p.missing ? count_missing : count_complete) + transposed,
       true},
      {"reduce", sent / (p.network * 1e9)},
      {"metric", load.n * load.n / gpus / rate(metric)},
  };
  if (p.fermat) add_fermat(load, plan);
  plan.stages.push_back({"write", plan.written_bytes / plan.nodes / (p.file_rate * 1e9)});
  double flow = 0;
  const ClusterStage* longest = &plan.stages.front();
  for (const ClusterStage& stage : plan.stages) {
    if (stage.seconds > longest->seconds) longest = &stage;
    if (stage.flows) flow = std::max(flow, stage.seconds);
    if (!stage.flows) plan.seconds += stage.seconds;
  }
  plan.seconds += flow;
  plan.bottleneck = longest->name;
  return plan;
}

void check(const ClusterParams& p) {
  const auto expect = [](double got, double low, const char* option) {
    if (got >= low) return;
    throw usage_error("plan: expected {} of at least {:g}, got {:g}", option, low, got);
  };
  constexpr double above_zero = 1e-9;
  expect(static_cast<double>(p.samples), 2, "--samples");
  expect(static_cast<double>(p.sites), 1, "--sites");
  expect(p.gpus, 1, "--gpus");
  expect(p.gpus_per_node, 1, "--gpus-per-node");
  expect(static_cast<double>(p.gpu_memory), 1, "--gpu-memory");
  expect(p.network, above_zero, "--network");
  expect(p.file_rate, above_zero, "--file-rate");
  expect(p.pcie, above_zero, "--pcie");
  // Every cut is tried: gpus x log gpus of them.
  if (p.gpus > 65536) throw usage_error("plan: expected --gpus of at most 65536, got {}", p.gpus);
}

std::string groups(int count, const char* of) {
  return fmt::format("{} of {}", counted(count, "group"), of);
}

/// "12.3 s", "4 min", "2.1 h"
std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

/// Nothing fits: says what would.
[[noreturn]] void refuse(const Load& load) {
  const ClusterParams& p = load.params;
  const double own = load.n * length_bytes * 2 * std::min<double>(panel_rows, load.n);
  // Next to blocks, which take an eighth at most, the smallest tile of sums.
  const double tile = load.gpu_pair * tile_rows * tile_rows / 7 * 8;
  const double here = p.fermat ? std::max(load.path_bytes(p.gpus), tile) : tile;
  std::string others;
  if (p.fermat && static_cast<double>(p.gpu_memory) > own) {
    others = fmt::format(
        " or --gpus {:.0f}",
        std::ceil(length_bytes * load.n * load.n / (static_cast<double>(p.gpu_memory) - own)));
  }
  throw resource_error(
      "GPU memory: {} samples need {} on each of {} GPUs, {} given; take --gpu-memory {}{}",
      p.samples,
      needed_bytes(here),
      p.gpus,
      allowed_bytes(p.gpu_memory),
      memory_option(here),
      others);
}

}  // namespace

std::span<const MeasuredRate> measured_rates() { return rates; }

const ClusterStage& ClusterPlan::stage(std::string_view name) const {
  const auto found = std::find_if(
      stages.begin(), stages.end(), [&](const ClusterStage& s) { return s.name == name; });
  if (found != stages.end()) return *found;
  throw usage_error("plan: no stage '{}'", name);
}

ClusterPlan plan_cluster(const ClusterParams& params) {
  check(params);
  const Load load(params);
  std::optional<ClusterPlan> best;
  double one_group = 0;
  for (int groups = 1; groups <= params.gpus; ++groups) {
    const std::optional<std::int64_t> passes = passes_of(load, groups);
    if (!passes) continue;
    for (int sites = 1; sites <= params.gpus / groups; ++sites) {
      const Cut cut = {groups, sites};
      if (nodes_of(load, cut) > load.nodes || sites > params.sites) break;
      if (params.fermat &&
          load.path_bytes(groups * sites) > static_cast<double>(params.gpu_memory)) {
        continue;
      }
      ClusterPlan plan = plan_cut(load, cut, *passes);
      if (groups == 1 && (one_group == 0 || plan.seconds < one_group)) one_group = plan.seconds;
      if (!best || plan.seconds < best->seconds) best = std::move(plan);
    }
  }
  if (!best) refuse(load);
  best->one_group_seconds = one_group;
  return *std::move(best);
}

std::string describe(const ClusterPlan& plan) {
  const ClusterParams& p = plan.params;
  std::string text;
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<12} {}\n", name, value);
  };
  add("command",
      fmt::format("{}, on paper: nothing of this was run", p.fermat ? "fermat" : "dist"));
  add("samples", fmt::format("{}", p.samples));
  add("sites",
      fmt::format(
          "{}, {}", human_count(p.sites), p.missing ? "some calls missing" : "no call missing"));
  add("cluster",
      fmt::format("{} of {} GPUs on {}", plan.used_gpus(), p.gpus, counted(plan.nodes, "node")));
  add("assumed",
      fmt::format("--gpu-memory {}, --gpus-per-node {}, --network {:g} GB/s a GPU,",
                  human_bytes(p.gpu_memory),
                  p.gpus_per_node,
                  p.network));
  add("", fmt::format("--file-rate {:g} GB/s a node, --pcie {:g} GB/s a GPU", p.file_rate, p.pcie));
  add("cut",
      fmt::format("{} x {}, {}",
                  groups(plan.pair_groups, "pairs"),
                  groups(plan.site_groups, "sites"),
                  counted(plan.passes, "pass", "passes")));
  add("GPU memory",
      fmt::format("{} on each, {} in all",
                  human_bytes(plan.gpu_bytes),
                  human_bytes(plan.gpu_bytes * plan.used_gpus())));
  if (p.fermat) {
    add("host memory", human_bytes(plan.host_bytes) + " on the first node, which makes the report");
  }
  add("work",
      human_count(plan.pair_sites) + " pair-SNP comparisons" +
          (p.fermat ? fmt::format(", {} add+min", human_count(plan.relaxations)) : ""));
  add("bytes",
      fmt::format("{} read, {} uploaded, {} sent between GPUs, {} written",
                  human_bytes(plan.read_bytes),
                  human_bytes(plan.upload_bytes),
                  human_bytes(plan.sent_bytes),
                  human_bytes(plan.written_bytes)));
  for (const ClusterStage& stage : plan.stages) {
    text += fmt::format("  {:<15} {:>10}{}{}\n",
                        stage.name,
                        duration(stage.seconds),
                        stage.flows ? "  concurrent" : "",
                        stage.name == plan.bottleneck ? "  <- bottleneck" : "");
  }
  add("time", duration(plan.seconds));
  if (plan.pair_groups > 1) {
    add("", duration(plan.one_group_seconds) + " if every GPU counted all pairs (--pair-groups 1)");
  }
  add("measured", "rates of one GPU that the times follow from:");
  for (const MeasuredRate& rate : measured_rates()) {
    text += fmt::format(
        "  {:<29} {:>8} {}  {}\n", rate.name, human_count(rate.value), rate.unit, rate.source);
  }
  return text;
}

nlohmann::ordered_json plan_json(const ClusterPlan& plan) {
  const ClusterParams& p = plan.params;
  auto stages = nlohmann::ordered_json::array(), measured = stages;
  for (const ClusterStage& stage : plan.stages) {
    stages.push_back({{"stage", stage.name}, {"seconds", stage.seconds}, {"flows", stage.flows}});
  }
  for (const MeasuredRate& rate : measured_rates()) {
    measured.push_back(
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
          {"rates", measured}};
}

}  // namespace yupana::job
