#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tests/support/folder.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/tiles.hpp"
#include "yupana/job/distances.hpp"
#include "yupana/job/fermat.hpp"

namespace yupana::job {
namespace {

namespace fs = std::filesystem;
using test::bytes_of;
using test::Folder;

FermatJobParams job(const std::string& input, const std::string& out, double alpha) {
  FermatJobParams params;
  params.input.path = input;
  params.alphas = {alpha};
  params.fermat.prune = false;
  params.out = out;
  return params;
}

TEST(CudaFermatJob, NothingGoesBackUpBetweenDistancesAndLengths) {
  YUPANA_NEEDS_GPU();
  const Folder folder;
  constexpr std::int64_t n = 1100, sites = 3000;
  for (const double alpha : {2.0, 4.0}) {
    Context gpu({"cuda:0"}), cpu({"cpu"});
    const std::string input = "simulate:1100x3000,fst=0.2";
    run_fermat(gpu, job(input, folder / "gpu", alpha));
    run_fermat(cpu, job(input, folder / "cpu", alpha));
    EXPECT_EQ(bytes_of(folder / "gpu.fermat.npy"), bytes_of(folder / "cpu.fermat.npy"));
    EXPECT_EQ(bytes_of(folder / "gpu.dist.npy"), bytes_of(folder / "cpu.dist.npy"));
    // Genotypes go up, 2 bits each in rows of 64 bytes; distances and lengths come down.
    const std::uint64_t up = round_up(divide_up(n, 4), 64) * sites;
    EXPECT_EQ(gpu.bytes_moved(), up + 2 * sizeof(std::int32_t) * n * n);
    EXPECT_EQ(cpu.bytes_moved(), 0u);
  }
}

TEST(CudaFermatJob, FloatLengthsWithMissingCallsAreWithinTheBound) {
  YUPANA_NEEDS_GPU();
  const Folder folder;
  Context gpu({"cuda:0"});
  FermatJobParams params = job("simulate:1100x3000,missing=0.02", folder / "gpu", 2);
  const FermatJobResult first = run_fermat(gpu, params);
  EXPECT_EQ(first.alphas.at(0).lengths_precision, "float32");
  const std::string lengths = bytes_of(folder / "gpu.fermat.npy");
  run_fermat(gpu, params);
  EXPECT_EQ(bytes_of(folder / "gpu.fermat.npy"), lengths);
  Context cpu({"cpu"});
  params.out = folder / "cpu";
  run_fermat(cpu, params);
  const std::string other = bytes_of(folder / "cpu.fermat.npy");
  ASSERT_EQ(other.size(), lengths.size());
  constexpr std::size_t header = 128;
  for (std::size_t at = header; at + 4 <= other.size(); at += 4) {
    float a = 0, b = 0;
    std::memcpy(&a, lengths.data() + at, 4);
    std::memcpy(&b, other.data() + at, 4);
    ASSERT_NEAR(a, b, 1e-6 * b);  // paths of a few steps, each within 2^-24
  }
}

// Times and the device stand in the report alone.
TEST(CudaFermatJob, ARealCohortGivesTheFilesOfTheCpu) {
  YUPANA_NEEDS_GPU();
  const std::string data = shared_data("genotypes/hapmap279/hapmap279");
  if (!fs::exists(data + ".bed")) GTEST_SKIP() << "no " << data << ".bed";
  const Folder folder;
  for (const std::string device : {"cpu", "cuda:0"}) {
    Context context({device});
    FermatJobParams params = job(data + ".bed", folder / device.substr(0, 3), 2);
    params.alphas = {2, 8};
    params.labels = data + ".samples.tsv";
    params.label_column = "pop.group";
    run_fermat(context, params);
  }
  int files = 0;
  for (const auto& file : fs::directory_iterator(fs::path(folder / ""))) {
    const std::string name = file.path().filename().string();
    if (name.rfind("cpu.", 0) != 0 || file.path().extension() == ".html") continue;
    ++files;
    const std::string twin = folder / ("cud" + name.substr(3));
    EXPECT_TRUE(bytes_of(file.path().string()) == bytes_of(twin)) << name;
  }
  EXPECT_GT(files, 5);
}

TEST(CudaDistanceJob, ARealCohortGivesTheFilesOfTheCpuInEveryMetric) {
  YUPANA_NEEDS_GPU();
  const std::string data = shared_data("genotypes/hapmap279/hapmap279");
  if (!fs::exists(data + ".bed")) GTEST_SKIP() << "no " << data << ".bed";
  using genotype::Metric;
  for (const Metric metric : {Metric::squared_euclidean,
                              Metric::euclidean,
                              Metric::manhattan,
                              Metric::ibs,
                              Metric::one_minus_ibs,
                              Metric::hamming,
                              Metric::king,
                              Metric::normalized}) {
    const Folder folder;
    for (const std::string device : {"cpu", "cuda:0"}) {
      Context context({device});
      DistanceJobParams params;
      params.input.path = data + ".bed";
      params.metric.metric = metric;
      if (metric == Metric::normalized) params.input.cohort.max_site_missing = 0;
      params.out = folder / device.substr(0, 3);
      run_distances(context, params);
    }
    EXPECT_TRUE(bytes_of(folder / "cpu.dist.npy") == bytes_of(folder / "cud.dist.npy"))
        << int(metric);
    EXPECT_EQ(bytes_of(folder / "cpu.ids"), bytes_of(folder / "cud.ids"));
  }
}

TEST(CudaDistanceJob, BandsOfASmallGpuGiveTheSameFile) {
  YUPANA_NEEDS_GPU();
  const Folder folder;
  std::int64_t passes = 0;
  for (const std::uint64_t memory : {0, 24 << 20}) {
    Context gpu({.device = "cuda:0", .gpu_memory = memory});
    DistanceJobParams params;
    params.input.path = "simulate:1500x2000,missing=0.01";
    params.out = folder / (memory == 0 ? "whole" : "bands");
    passes = run_distances(gpu, params).passes;
  }
  EXPECT_GT(passes, 1);
  EXPECT_EQ(bytes_of(folder / "whole.dist.npy"), bytes_of(folder / "bands.dist.npy"));
}

TEST(CudaDistanceJob, AGpuTooSmallForOneBandIsRefusedWithThePlan) {
  YUPANA_NEEDS_GPU();
  const Folder folder;
  Context gpu({.device = "cuda:0", .gpu_memory = 1 << 20});
  DistanceJobParams params;
  params.input.path = "simulate:1500x2000";
  params.out = folder / "none";
  test::expect_refusal(
      [&] { run_distances(gpu, params); }, "--gpu-memory", ErrorCode::out_of_resources);
  EXPECT_FALSE(fs::exists(folder / "none.dist.npy"));
}

}  // namespace
}  // namespace yupana::job
