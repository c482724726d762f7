#include <gtest/gtest.h>

#include "tests/support/gpu.hpp"
#include "yupana/core/machine.hpp"
#include "yupana/forest/predict.hpp"

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

}  // namespace
}  // namespace yupana::forest
