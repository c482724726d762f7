#include <gtest/gtest.h>

#include <cstring>

#include "tests/graph/graphs.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/graph/distributed_closure.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {
namespace {

template <class T>
SquareMatrix<T> closed_by_ranks(const SquareMatrix<T>& start,
                                int ranks,
                                const ContextParams& device) {
  const std::int64_t n = start.size();
  SquareMatrix<T> closed(n);
  ThreadRanks(ranks).run([&](Comm& comm) {
    Context context(device);
    DistributedSymmetricMatrix<T> tiles(comm, n);
    scatter_rows(context, tiles, split_rows(n, ranks), [&](std::int64_t i, T* row) {
      std::copy_n(start.row(i), i + 1, row);
    });
    compute_closure(context, tiles);
    gather_rows(context, tiles, split_rows(n, ranks), [&](Range rows, MatrixView<const T> values) {
      for (std::int64_t i = rows.begin; i < rows.end; ++i) {
        std::copy_n(values.row(i - rows.begin), n, closed.row(i));
      }
    });
  });
  return closed;
}

template <class T>
class DistributedClosureOnGpus : public testing::Test {};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(DistributedClosureOnGpus, Types);

TYPED_TEST(DistributedClosureOnGpus, TheClosureHasTheBitsOfTheCpuInOneProcess) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  for (const auto& [n, ranks] : std::vector<std::pair<std::int64_t, int>>{
           {65, 2}, {1025, 1}, {2113, 1}, {2113, 4}, {3001, 3}, {4500, 2}}) {
    const SquareMatrix<T> start = long_path_weights<T>(n);
    SquareMatrix<T> one(n);
    std::copy_n(start.data(), n * n, one.data());
    Context context({.device = "cpu"});
    shortest_paths(context, one.view(), {.method = PathMethod::symmetric});
    const SquareMatrix<T> many = closed_by_ranks(start, ranks, {.device = "cuda:0", .threads = 2});
    EXPECT_EQ(std::memcmp(one.data(), many.data(), static_cast<std::size_t>(n * n) * sizeof(T)), 0)
        << n << " vertices, " << ranks << " ranks";
  }
}

TYPED_TEST(DistributedClosureOnGpus, WhatTheGpuCannotHoldIsClosedOnTheCpu) {
  YUPANA_NEEDS_GPU();
  using T = TypeParam;
  const SquareMatrix<T> start = long_path_weights<T>(1500);
  const SquareMatrix<T> cpu = closed_by_ranks(start, 2, {.device = "cpu", .threads = 1});
  const SquareMatrix<T> gpu = closed_by_ranks(
      start, 2, {.device = "cuda:0", .threads = 1, .gpu_memory = std::uint64_t{1} << 20});
  EXPECT_EQ(std::memcmp(cpu.data(), gpu.data(), cpu.size() * cpu.size() * sizeof(T)), 0);
}

}  // namespace
}  // namespace yupana::graph
