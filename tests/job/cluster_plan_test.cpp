#include "yupana/job/cluster_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"

namespace yupana::job {
namespace {

double seconds(const ClusterPlan& plan, const char* stage) { return plan.stage(stage).seconds; }

/// One GPU, round numbers: 1,000 samples x 27 M sites.
ClusterParams small() {
  ClusterParams params;
  params.samples = 1000;
  params.sites = 27'000'000;
  params.missing = false;
  params.gpus = 1;
  params.gpu_memory = std::uint64_t{80} * 1000 * 1000 * 1000;
  params.file_rate = 2.5;
  params.pcie = 50;
  return params;
}

/// 500,000 x 600 M with missing calls on 64 GPUs.
ClusterParams large() {
  ClusterParams params;
  params.samples = 500'000;
  params.sites = 600'000'000;
  params.gpus = 64;
  params.gpu_memory = std::uint64_t{130} * 1000 * 1000 * 1000;
  params.network = 50;
  params.file_rate = 100;
  params.pcie = 50;
  return params;
}

TEST(ClusterPlan, AgreesWithSumsByHandForOneGpu) {
  const ClusterPlan plan = plan_cluster(small());
  EXPECT_EQ(plan.pair_groups, 1);
  EXPECT_EQ(plan.site_groups, 1);
  EXPECT_EQ(plan.passes, 1);
  EXPECT_EQ(plan.nodes, 1);
  // Two sums of 4 bytes for 500,500 pairs, and blocks of 8 GB.
  EXPECT_DOUBLE_EQ(plan.gpu_bytes, 4'004'000 + 8e9);
  // 250 bytes a site.
  EXPECT_DOUBLE_EQ(plan.read_bytes, 6.75e9);
  EXPECT_DOUBLE_EQ(plan.upload_bytes, 6.75e9);
  EXPECT_DOUBLE_EQ(plan.sent_bytes, 0);
  EXPECT_DOUBLE_EQ(plan.written_bytes, 8e6);
  EXPECT_DOUBLE_EQ(plan.pair_sites, 499'500. * 27e6);
  EXPECT_DOUBLE_EQ(seconds(plan, "read"), 2.7);
  EXPECT_DOUBLE_EQ(seconds(plan, "upload"), 0.135);
  // 1.34865e13 / 2.05e15 of products and 2.7e10 / 2.7e12 of transposition.
  EXPECT_NEAR(seconds(plan, "count"), 0.006579 + 0.01, 1e-6);
  EXPECT_DOUBLE_EQ(seconds(plan, "reduce"), 0);
  EXPECT_NEAR(seconds(plan, "metric"), 1e6 / 0.9e9, 1e-12);
  EXPECT_DOUBLE_EQ(seconds(plan, "write"), 0.0032);
  EXPECT_NEAR(plan.seconds, 2.7 + 1e6 / 0.9e9 + 0.0032, 1e-9);
  EXPECT_EQ(plan.bottleneck, "read");
}

TEST(ClusterPlan, AgreesWithSumsByHandForManyGpus) {
  ClusterParams params = large();
  params.fermat = true;
  const ClusterPlan plan = plan_cluster(params);
  // Six sums of 4 bytes for 125,000,250,000 pairs are 3.000006 TB; 122 GB a GPU are left beside
  // the blocks, so 25 tiles at least: with p groups of pairs, ceil(24.59 / p) passes.
  const int p = plan.pair_groups, s = plan.site_groups;
  EXPECT_GE(p * plan.passes, 25);
  EXPECT_LE(p * s, 64);
  EXPECT_DOUBLE_EQ(plan.gpu_bytes, 3.000006e12 / (p * static_cast<double>(plan.passes)) + 8e9);
  const double copies = p > 8 ? (p + 7) / 8 : 1;
  EXPECT_DOUBLE_EQ(plan.read_bytes, 75e12 * static_cast<double>(plan.passes) * copies);
  EXPECT_DOUBLE_EQ(plan.upload_bytes, 75e12 * static_cast<double>(plan.passes) * p);
  EXPECT_DOUBLE_EQ(plan.pair_sites, 124'999'750'000. * 6e8);
  EXPECT_NEAR(seconds(plan, "count"),
              124'999'750'000. * 6e8 / (p * s) / 1253e12 +
                  5e5 * 6e8 * static_cast<double>(plan.passes) / s / 2.7e12,
              1e-6);
  // Three counts of 4 bytes a pair; all but 1 / s of a tile is sent by each of its s GPUs.
  EXPECT_NEAR(seconds(plan, "reduce"), 1.500003e12 / p * (s - 1) / s / 50e9, 1e-9);
  // Distances twice, and float weights: more than the analysis with its linkage, 18.4 bytes a cell.
  EXPECT_NEAR(plan.host_bytes, 20.0 * 5e5 * 5e5, 1e9);
  EXPECT_DOUBLE_EQ(plan.relaxations, 6.25e16);
  // 6.25e16 / 64 / 14.55e12 = 67.1 s of work beside 1e12 bytes of panels: 20 s.
  EXPECT_NEAR(seconds(plan, "shortest paths"), 6.25e16 / (p * s) / 14.55e12, 1e-6);
  // Four matrices of 2.5e11 numbers at 30,000^2 / 3.2 s.
  EXPECT_NEAR(seconds(plan, "pictures"), 4 * 2.5e11 * 3.2 / 9e8, 1e-6);
  EXPECT_EQ(plan.bottleneck, "pictures");
}

TEST(ClusterPlan, TimesWhatWasMeasuredOnOneTwoAndFourGpusWithinATenth) {
  ClusterParams params;
  params.samples = 30'000;
  params.sites = 30'408'704;
  params.missing = false;
  for (const auto& [gpus, measured] : {std::pair{1, 7.54}, {2, 3.80}, {4, 1.94}}) {
    params.gpus = gpus;
    EXPECT_NEAR(seconds(plan_cluster(params), "count") / measured, 1, 0.1) << gpus << " GPUs";
  }
  // Streamed from page-locked memory: 1.48 s.
  params.samples = 4'000;
  params.sites = 79'691'776;
  params.gpus = 1;
  const ClusterPlan plan = plan_cluster(params);
  EXPECT_NEAR(seconds(plan, "upload") / 1.48, 1, 0.1);
  EXPECT_LT(seconds(plan, "count"), seconds(plan, "upload"));
}

TEST(ClusterPlan, NeverTakesLongerWithMoreGpus) {
  for (const bool fermat : {false, true}) {
    for (const auto& [samples, sites] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 1},
                                                            {300, 5},
                                                            {1000, 1000},
                                                            {30'000, 600'000'000},
                                                            {150'000, 1'000'000},
                                                            {500'000, 600'000'000}}) {
      for (const int node : {1, 3, 8}) {
        ClusterParams params = large();
        params.fermat = fermat;
        params.samples = samples;
        params.sites = sites;
        params.gpus_per_node = node;
        double last = std::numeric_limits<double>::infinity();
        for (int gpus = fermat ? 16 : 1; gpus <= 131; ++gpus) {
          params.gpus = gpus;
          const ClusterPlan plan = plan_cluster(params);
          EXPECT_LE(plan.seconds, last) << samples << " x " << sites << ", " << gpus << " GPUs";
          EXPECT_LE(plan.seconds, plan.one_group_seconds);
          EXPECT_LE(plan.used_gpus(), gpus);
          EXPECT_LE(plan.gpu_bytes, static_cast<double>(params.gpu_memory));
          EXPECT_LE(plan.site_groups, sites);
          EXPECT_LE(plan.nodes, (gpus + node - 1) / node);
          last = plan.seconds;
        }
      }
    }
  }
}

TEST(ClusterPlan, MovesTheBottleneckFromProductsToFiles) {
  ClusterParams params = large();
  params.samples = 100'000;
  params.file_rate = 1000;
  EXPECT_EQ(plan_cluster(params).bottleneck, "count");
  params.file_rate = 1;
  EXPECT_EQ(plan_cluster(params).bottleneck, "read");
  params.file_rate = 1000;
  params.pcie = 1;
  EXPECT_EQ(plan_cluster(params).bottleneck, "upload");
}

TEST(ClusterPlan, CutsIntoPassesWhereSumsDoNotFit) {
  ClusterParams params = large();
  params.gpus = 1;
  EXPECT_EQ(plan_cluster(params).passes, 25);
  params.gpu_memory *= 2;  // blocks stay at 8 GB: 3.000006 TB / 252 GB
  EXPECT_EQ(plan_cluster(params).passes, 12);
  params.missing = false;  // a third of the sums
  EXPECT_EQ(plan_cluster(params).passes, 4);
}

TEST(ClusterPlan, RefusesWhatDoesNotFitAndSaysWhatWould) {
  ClusterParams params = large();
  params.fermat = true;
  params.gpus = 4;  // 1 TB of lengths
  try {
    plan_cluster(params);
    FAIL() << "a quarter of 1 TB in 130 GB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
    const std::string text = error.what();
    // 1 TB / (130 GB - 2 panels of 512 x 500,000 lengths)
    EXPECT_NE(text.find("or --gpus 8"), std::string::npos) << text;
    EXPECT_NE(text.find("253 GB on each of 4 GPUs, 130 GB given"), std::string::npos) << text;
  }
  params.gpus = 7;
  EXPECT_THROW(plan_cluster(params), Error);
  params.gpus = 8;
  EXPECT_LE(plan_cluster(params).gpu_bytes, 130e9);
  params.fermat = false;
  params.gpu_memory = 1000;
  EXPECT_THROW(plan_cluster(params), Error);
}

TEST(ClusterPlan, NamesTheSizeThatCannotBe) {
  for (const auto& [change, option] : std::vector<std::pair<void (*)(ClusterParams&), const char*>>{
           {[](ClusterParams& p) { p.samples = 1; }, "--samples"},
           {[](ClusterParams& p) { p.sites = 0; }, "--sites"},
           {[](ClusterParams& p) { p.gpus = 0; }, "--gpus"},
           {[](ClusterParams& p) { p.gpus_per_node = 0; }, "--gpus-per-node"},
           {[](ClusterParams& p) { p.network = 0; }, "--network"},
           {[](ClusterParams& p) { p.file_rate = -1; }, "--file-rate"},
           {[](ClusterParams& p) { p.pcie = std::nan(""); }, "--pcie"}}) {
    ClusterParams params = large();
    change(params);
    test::expect_refusal([&] { plan_cluster(params); }, option, ErrorCode::usage);
  }
}

/// The best value of a bench among a file's lines that name these words.
double best_measured(const std::string& file, const std::string& words, const std::string& unit) {
  std::ifstream lines(std::string(YUPANA_SOURCE_DIR) + "/bench/results/" + file);
  double best = 0;
  for (std::string text; std::getline(lines, text);) {
    const auto line = nlohmann::json::parse(text);
    const std::string what =
        line["case"].get<std::string>() + ", " + line["impl"].get<std::string>();
    const bool ours = line["verified"] == true && what.find("yupana") != what.npos;
    if (!ours || what.find(words) == what.npos || line["unit"] != unit) continue;
    best = std::max(best, line["value"].get<double>());
  }
  return best;
}

// Rates grow old where the files are measured anew.
TEST(ClusterPlan, RatesAreThoseOfTheFilesTheyNameWithinATenth) {
  const auto rate = [](std::string_view name) {
    for (const MeasuredRate& one : measured_rates()) {
      if (one.name == name) return one.value;
    }
    return 0.0;
  };
  const double complete = best_measured(
      "distances_cuda.jsonl", "n=16384 m=262144, no missing, planes on the device", "T pair-SNP/s");
  const double missing = best_measured("distances_cuda.jsonl",
                                       "n=16384 m=262144, 1 % missing, planes on the device",
                                       "T pair-SNP/s");
  const double paths =
      best_measured("paths_cuda_multi.jsonl",
                    "n=30000 int32 symmetric closure on the devices, yupana cuda, 4",
                    "T (add+min)/s");
  EXPECT_NEAR(rate("pair counts, no call missing") / (complete * 1e12), 1, 0.1);
  EXPECT_NEAR(rate("pair counts, calls missing") / (missing * 1e12), 1, 0.1);
  EXPECT_NEAR(rate("shortest paths") / (paths / 4 * 1e12), 1, 0.1);
}

TEST(ClusterPlan, TellsEveryAssumptionAndWhereRatesWereMeasured) {
  ClusterParams params = large();
  params.fermat = true;
  const ClusterPlan plan = plan_cluster(params);
  const std::string text = describe(plan);
  for (const char* wanted : {"--gpu-memory",
                             "--gpus-per-node 8",
                             "--network 50",
                             "--file-rate 100",
                             "--pcie 50",
                             "bottleneck",
                             "on paper"}) {
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " in\n" << text;
  }
  for (const MeasuredRate& rate : measured_rates()) {
    EXPECT_GT(rate.value, 0);
    EXPECT_NE(text.find(rate.source), std::string::npos) << rate.name;
  }
  const auto json = plan_json(plan);
  EXPECT_EQ(json["stages"].size(), plan.stages.size());
  EXPECT_EQ(json["seconds"], plan.seconds);
  EXPECT_EQ(json["bottleneck"], plan.bottleneck);
}

}  // namespace
}  // namespace yupana::job
