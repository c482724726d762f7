// Pruning on GPUs leaves the sites that the CPU leaves. Without CUDA in the build there is one
// test, which says so.
#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include "tests/genotype/ld_prune_cases.hpp"
#include "yupana/core/error.hpp"
#include "yupana/core/machine.hpp"

namespace yupana::genotype {
namespace {

using namespace testing;

TEST(CudaLdPrune, LeavesTheSitesOfTheCpu) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.1}) {
    for (const std::int64_t samples : {2, 65, 513, 1025, 2100}) {
      SiteBlock block = correlated_block(samples, 700, 3, missing);
      if (samples != 65) name_one_chromosome(block);
      for (const LdPruneParams& params : {LdPruneParams{10, false, 1, 0.2},
                                          {7, false, 3, 0.5},
                                          {12, true, 1, 0.3},
                                          {900, true, 1, 0.3},
                                          {5000, false, 5, 0.8}}) {
        const std::vector<bool> expected = prune(block, params, {.device = "cpu"});
        // Of little memory many blocks are read, whose windows begin in those before.
        for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{1} << 16}) {
          ASSERT_EQ(prune(block, params, {.device = "cuda:0", .memory = memory}), expected)
              << samples << " samples, window " << params.window << ", missing " << missing;
        }
      }
    }
  }
}

// Windows of more sites than the GPU compares at a time.
TEST(CudaLdPrune, WindowsBeyondTheGpusMemoryAreComparedInParts) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.02}) {
    SiteBlock block = correlated_block(300, 9000, 5, missing);
    name_one_chromosome(block);
    const LdPruneParams params = {6000, false, 40, 0.4};
    const std::vector<bool> expected = prune(block, params, {.device = "cpu"});
    EXPECT_EQ(prune(block, params, {.device = "cuda:0"}), expected);
    EXPECT_EQ(prune(block, params, {.device = "cuda:0", .gpu_memory = std::uint64_t{128} << 20}),
              expected);
  }
}

// Batches of a window are shared out: one by parts of little memory, one of all.
TEST(CudaLdPrune, SeveralDevicesShareTheBatches) {
  YUPANA_NEEDS_GPU();
  if (yupana::cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  for (const double missing : {0.0, 0.02}) {
    SiteBlock block = correlated_block(513, 9000, 7, missing);
    name_one_chromosome(block);
    for (const LdPruneParams& params : {LdPruneParams{6000, false, 40, 0.4}, {50, false, 5, 0.2}}) {
      const std::vector<bool> expected = prune(block, params, {.device = "cpu"});
      for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{128} << 20}) {
        EXPECT_EQ(prune(block, params, {.device = "cuda:0,1", .gpu_memory = memory}), expected)
            << "window " << params.window << ", missing " << missing << ", memory " << memory;
      }
    }
  }
}

TEST(CudaLdPrune, TooLittleMemoryIsToldWithWhatIsEnough) {
  YUPANA_NEEDS_GPU();
  SiteBlock block = correlated_block(300, 4000, 5, 0.02);
  name_one_chromosome(block);
  const LdPruneParams params = {3000, false, 40, 0.4};
  try {
    prune(block, params, {.device = "cuda:0", .gpu_memory = std::uint64_t{4} << 20});
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_resources);
    EXPECT_NE(std::string(error.what()).find("raise --gpu-memory to "), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace yupana::genotype
#else

TEST(CudaLdPrune, NeedsTheCudaBuild) { YUPANA_NEEDS_GPU(); }
#endif
