#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/gpu.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/forest/predict.hpp"
#ifdef YUPANA_CUDA
#include "yupana/core/cuda/page_lock.hpp"
#endif

namespace yupana::forest {
namespace {

// Columns of 2^29 + 8 floats lie 2^31 + 32 bytes apart, beyond the driver's largest pitch.
TEST(LargePredictionOnGpu, AColumnLongerThanTheDriversPitchIsReadWhole) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t rows = (std::int64_t{1} << 29) + 8;
  Context context({.device = "cuda:0"});
  if (context.memory() < (std::uint64_t{14} << 30)) {
    GTEST_SKIP() << "no GPU: 14 GiB of free host memory are needed";
  }
  Table<float> table(rows, {"a", "b"});
  context.parallel_for(rows, 1 << 20, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      table.column(0)[row] = 0;
      table.column(1)[row] = static_cast<float>(row % 7);
    }
  });
  Model model;
  model.features = table.names();
  model.trees.resize(1);
  Tree& tree = model.trees[0];
  tree.nodes.resize(3);
  tree.nodes[0].feature = 1;
  tree.nodes[0].threshold = 2.5;
  tree.nodes[0].left = 1;
  tree.nodes[0].right = 2;
  tree.values = {0.5, -1, 1};
  const Matrix<double> got = predict_shares(context, model, table.view());
  std::int64_t wrong = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    wrong += got(row, 0) != (row % 7 > 2 ? 1.0 : -1.0);
  }
  EXPECT_EQ(wrong, 0);
}

// More than 32 MB of values go through page-locked memory, two pieces in flight at a time;
// the memory allowed makes them small and the last one short.
TEST(LargePredictionOnGpu, RowsThatComeInPiecesArePredictedAsOnTheProcessor) {
  YUPANA_NEEDS_GPU();
  constexpr std::int64_t rows = 1'000'003, columns = 9;
  Table<float> table(rows, {"a", "b", "c", "d", "e", "f", "g", "h", "i"});
  for (std::int64_t c = 0; c < columns; ++c) {
    for (std::int64_t row = 0; row < rows; ++row) {
      table.column(c)[row] = static_cast<float>((row * (2 * c + 3) + c) % 1009);
    }
  }
  Model model;
  model.features = table.names();
  model.trees.resize(columns);
  for (std::int64_t c = 0; c < columns; ++c) {
    Tree& tree = model.trees[static_cast<std::size_t>(c)];
    tree.nodes.resize(3);
    tree.nodes[0].feature = static_cast<std::int32_t>(c);
    tree.nodes[0].threshold = 100.5 * static_cast<double>(c + 1);
    tree.nodes[0].left = 1;
    tree.nodes[0].right = 2;
    tree.values = {0, -1.0 / static_cast<double>(c + 1), 1.0 / static_cast<double>(c + 3)};
  }
  Context cpu({.device = "cpu"});
  const Matrix<double> shares = predict_shares(cpu, model, table.view());
  const Matrix<std::int32_t> leaves = apply(cpu, model, table.view());
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{6} << 20}) {
    Context gpu({.device = "cuda:0", .gpu_memory = memory});
    const Matrix<double> got = predict_shares(gpu, model, table.view());
    EXPECT_TRUE(std::equal(shares.data(), shares.data() + rows, got.data()));
    const Matrix<std::int32_t> got_leaves = apply(gpu, model, table.view());
    EXPECT_TRUE(std::equal(leaves.data(), leaves.data() + rows * columns, got_leaves.data()));
#ifdef YUPANA_CUDA
    const auto bytes = static_cast<std::uint64_t>(rows * columns) * sizeof(float);
    const yupana::cuda::PageLock lock(table.column(0), bytes);
    ASSERT_TRUE(lock);
    const Matrix<double> straight = predict_shares(gpu, model, table.view());
    EXPECT_TRUE(std::equal(shares.data(), shares.data() + rows, straight.data()));
#endif
  }
}

}  // namespace
}  // namespace yupana::forest
