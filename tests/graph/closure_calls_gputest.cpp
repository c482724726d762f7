// What a call on a device promises in addition to its lengths: memory, bytes counted, an end on
// request.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/graph/graphs.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/graph/fermat.hpp"

namespace yupana::graph {
namespace {

TEST(GpuMemory, TooLittleForOneStripIsSaid) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0", .gpu_memory = 1 << 20});
  const auto w = random_graph<float>(1100);
  test::expect_refusal([&] { closed(gpu, w); }, "--gpu-memory", ErrorCode::out_of_resources);
}

TEST(GpuMemory, BytesOverTheBusAreCounted) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  closed(gpu, random_graph<float>(1100));
  EXPECT_EQ(gpu.bytes_moved(), 2u * 1100 * 1100 * sizeof(float));
}

TEST(GpuCancel, StopsTheRunAndLeavesTheDeviceUsable) {
  YUPANA_NEEDS_GPU();
  const auto w = random_graph<float>(1500);
  Context gpu({.device = "cuda:0"});
  gpu.cancel();
  EXPECT_THROW(closed(gpu, w), Error);
  Context again({.device = "cuda:0"});
  Context host({.device = "cpu"});
  const auto whole = random_graph<std::int32_t>(1500);
  EXPECT_EQ(differences(closed(again, whole), closed(host, whole)), 0);
}

TEST(GpuFermat, EqualsTheCpu) {
  YUPANA_NEEDS_GPU();
  Context gpu({.device = "cuda:0"});
  Context host({.device = "cpu"});
  for (const bool prune : {true, false}) {
    for (const std::int64_t n : {3, 150, 1300}) {
      const auto squares = random_graph<std::int32_t>(n, {.largest = 5000});
      const FermatParams params = {.alpha = 2, .prune = prune};
      const auto there = fermat(gpu, copy_of(squares), Entries::squares, params);
      const auto here = fermat(host, copy_of(squares), Entries::squares, params);
      EXPECT_EQ(differences(std::get<SquareMatrix<std::int32_t>>(there.lengths),
                            std::get<SquareMatrix<std::int32_t>>(here.lengths)),
                0);
      EXPECT_EQ(there.kept_edges, here.kept_edges);
    }
  }
}

}  // namespace
}  // namespace yupana::graph
