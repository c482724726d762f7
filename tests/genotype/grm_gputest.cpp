// Relationships on GPUs have the sums of the CPU. Without CUDA in the build there is one test,
// which says so.
#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"

#ifdef YUPANA_CUDA
#include <atomic>
#include <thread>

#include "tests/genotype/grm_cases.hpp"
#include "yupana/core/cuda/runtime.hpp"

namespace yupana::genotype {
namespace {

using namespace testing;

TEST(CudaGrm, EqualsTheReference) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t samples : {1, 2, 63, 129, 257}) {
    for (const std::int64_t sites : {1, 127, 129, 700}) {
      for (const double missing : {0.0, 0.03}) {
        SCOPED_TRACE(fmt::format("{} x {}, {} missing", samples, sites, missing));
        const SiteBlock block = mixed_block(samples, sites, missing, 7);
        for (const Standardize standardize : {Standardize::gcta, Standardize::eigensoft}) {
          const GrmParams params = {.standardize = standardize};
          expect_same(grm_of(block, {.device = "cuda:0", .params = params}),
                      grm_of(block, {.device = "reference", .params = params}));
        }
      }
    }
  }
}

TEST(CudaGrm, SeveralSquaresAndManySitesEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  for (const double missing : {0.0, 0.01, 0.5}) {
    const SiteBlock block = mixed_block(900, 5000, missing, 11);
    expect_same(grm_of(block, {.device = "cuda:0"}), grm_of(block, {}));
  }
  const SiteBlock block = mixed_block(9, 300000, 0.01, 13);
  expect_same(grm_of(block, {.device = "cuda:0"}), grm_of(block, {}));
}

TEST(CudaGrm, BlocksAndBandsMakeNoDifference) {
  YUPANA_NEEDS_GPU();
  const SiteBlock block = mixed_block(600, 2000, 0.02, 13);
  const Grm whole = grm_of(block, {});
  for (const std::int64_t sites : {97, 512}) {
    expect_same(grm_of(block, {.device = "cuda:0", .block_sites = sites}), whole);
  }
  for (const Range rows : {Range{0, 100}, {100, 101}, {255, 257}, {101, 600}}) {
    expect_same(grm_of(block, {.device = "cuda:0", .params = {.rows = rows}}), whole);
  }
}

// Weights of a million samples' rarest alleles would have the highest power; here alleles of one in
// many samples, and common ones.
TEST(CudaGrm, RareAndCommonAllelesEqualTheCpu) {
  YUPANA_NEEDS_GPU();
  SiteBlock block = random_block(5000, 300, 3, 0.001);
  for (std::int64_t site = 0; site < 300; site += 2) {
    for (std::int64_t i = 0; i < 5000; ++i) set_code(block, site, i, homozygous_a2);
    set_code(block, site, site, heterozygous);
  }
  expect_same(grm_of(block, {.device = "cuda:0"}), grm_of(block, {}));
}

/// The most device memory in use while `work` runs, beyond what was before.
template <class Work>
std::uint64_t held_memory(const Work& work) {
  const std::uint64_t before = yupana::cuda::free_device_memory();
  std::atomic<bool> done = false;
  std::uint64_t least = before;
  std::thread watch([&] {
    while (!done) least = std::min(least, yupana::cuda::free_device_memory());
  });
  work();
  done = true;
  watch.join();
  return before - least;
}

TEST(CudaGrm, TheLeastMemoryThatARefusalNamesIsEnoughAndKept) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t samples = 12000, sites = 3000;
  Context context({.device = "cuda:0"});
  const std::uint64_t memory = GrmCounter::least_gpu_memory(context, samples);
  Context less({.device = "cuda:0", .gpu_memory = memory - 1});
  EXPECT_LT(GrmCounter::room(less, samples).cells, samples);
  Context little({.device = "cuda:0", .gpu_memory = memory});
  const GrmRoom room = GrmCounter::room(little, samples);
  ASSERT_GE(room.cells, samples);
  ASSERT_GE(room.block_sites, sites);
  const SiteBlock block = random_block(samples, sites, 3, 0.01);
  const auto last_band = [&](Context& on) {
    GrmCounter counter(on, samples, {.rows = triangle_band(samples - 1, samples, room.cells)});
    counter.add(calls_of(block, {0, sites}, identity(samples)));
    return counter.take();
  };
  last_band(context);  // kernels are loaded
  Grm grm;
  const std::uint64_t held = held_memory([&] { grm = last_band(little); });
  EXPECT_LE(held, memory + memory / 10);
  Context cpu({.device = "cpu"});
  expect_same(grm, last_band(cpu));
}

TEST(CudaGrm, SeveralDevicesEachHaveABand) {
  YUPANA_NEEDS_GPU();
  if (yupana::cuda::device_count() < 2) GTEST_SKIP() << "needs two GPUs";
  for (const std::int64_t samples : {1, 2, 700}) {
    const SiteBlock block = mixed_block(samples, 900, 0.02, 17);
    expect_same(grm_of(block, {.device = "cuda:0,1"}), grm_of(block, {}));
  }
}

}  // namespace
}  // namespace yupana::genotype
#endif
