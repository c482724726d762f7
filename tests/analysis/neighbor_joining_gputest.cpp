#include <gtest/gtest.h>

#include <string>

#include "tests/analysis/joined_matrices.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/core/error.hpp"

#ifdef YUPANA_CUDA
#include "yupana/analysis/neighbor_joining_backends.hpp"

namespace yupana::analysis {
namespace {

constexpr Joining methods[] = {Joining::nj, Joining::bionj};

/// The kernels themselves, also for sizes that the public function leaves to the CPU.
template <class T>
void expect_the_tree_of_the_cpu(MatrixView<const T> d) {
  Context gpu({.device = "cuda:0"}), cpu({.device = "cpu"});
  for (const Joining method : methods) {
    const Phylogeny want = cpu::neighbor_joining(cpu, d, method);
    const Phylogeny got = cuda::neighbor_joining(gpu, d.data, d.rows, d.stride, method);
    EXPECT_TRUE(test::same_bits(got, want)) << d.rows << " bionj " << (method == Joining::bionj);
  }
}

TEST(GpuNeighborJoining, HasTheBitsOfTheCpuWithTies) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {3, 4, 5, 7, 16, 31, 32, 33, 131, 257, 600}) {
    test::for_distances_with_ties(n,
                                  [](const auto& d) { expect_the_tree_of_the_cpu(test::view(d)); });
  }
}

TEST(GpuNeighborJoining, HasTheBitsOfTheCpuWhereSumsAreRounded) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t n : {3, 4, 33, 128, 311, 1031}) {
    test::for_rounded_distances(n,
                                [](const auto& d) { expect_the_tree_of_the_cpu(test::view(d)); });
  }
}

TEST(GpuNeighborJoining, TakesRowsThatLieApart) {
  YUPANA_NEEDS_GPU();
  const auto d = test::random_distances<float>(300, 0, 1);
  expect_the_tree_of_the_cpu(MatrixView<const float>(d.data(), 277, 277, 300));
}

TEST(GpuNeighborJoining, RowsOfManyPanelsAndRenewedKeys) {
  YUPANA_NEEDS_GPU();
  expect_the_tree_of_the_cpu(test::view(test::random_distances<double>(4001, 0, 1)));
  expect_the_tree_of_the_cpu(test::view(test::additive(3000, 5, 1, 64).d));
}

TEST(GpuNeighborJoining, RunsOnTheCpuWhereTheMatrixDoesNotFit) {
  YUPANA_NEEDS_GPU();
  const auto d = test::random_distances<float>(2500, 0, 1);
  std::string said;
  Context small({.device = "cuda:0", .gpu_memory = 8 << 20}), gpu({.device = "cuda:0"});
  small.on_note([&](const std::string& note) { said += note; });
  const Phylogeny tree = neighbor_joining(small, test::view(d));
  EXPECT_NE(said.find("does not fit the GPU"), std::string::npos) << said;
  EXPECT_EQ(small.bytes_moved(), 0u);
  EXPECT_TRUE(test::same_bits(tree, neighbor_joining(gpu, test::view(d))));
  EXPECT_GT(gpu.bytes_moved(), 0u);
}

TEST(GpuNeighborJoining, StopsWhereItIsCancelled) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  const auto d = test::random_distances<float>(3000, 0, 1);
  gpu.cancel();
  EXPECT_THROW(neighbor_joining(gpu, test::view(d)), Error);
}

}  // namespace
}  // namespace yupana::analysis

#else
TEST(GpuNeighborJoining, NeedsABuildWithCuda) { YUPANA_NEEDS_GPU(); }
#endif
