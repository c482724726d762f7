#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/forest/samples.hpp"
#include "tests/support/gpu.hpp"
#include "yupana/forest/predict.hpp"

namespace yupana::forest {
namespace {

template <class X>
bool same_bits(const Matrix<X>& a, const Matrix<X>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(
             a.data(), b.data(), static_cast<std::size_t>(a.rows() * a.cols()) * sizeof(X)) == 0;
}

template <class T>
void predict_alike(std::int64_t depth, std::int64_t features, std::int32_t classes) {
  SCOPED_TRACE(fmt::format("depth {}, {} features, {} classes", depth, features, classes));
  Context cpu({.device = "cpu"}), gpu({.device = "cuda:0"});
  const auto sample = make_sample<T>({9000, features, classes, 0, 0.1, 0, 5});
  Model model;
  model.features = sample.table.names();
  for (std::int32_t c = 0; c < classes; ++c) model.classes.push_back(std::to_string(c));
  ForestParams params{.trees = 3};
  // A leaf alone, which is that of all places of complete levels, is among deep trees.
  Tree leaf;
  leaf.nodes.resize(1);
  leaf.outputs = std::max(classes, 1);
  leaf.values.assign(static_cast<std::size_t>(leaf.outputs), 0.75);
  for (const std::int64_t most : {depth, std::max<std::int64_t>(depth / 2, 1)}) {
    params.tree.max_depth = most;
    const auto trees = fit_forest(cpu, sample.table.view(), sample.target(), params);
    model.trees.insert(model.trees.end(), trees.begin(), trees.end());
    model.trees.push_back(leaf);
  }
  for (const std::int64_t rows : {1, 511, 8193, 70'001}) {
    const auto other = make_sample<T>({rows, features, classes, 0, 0.2, 0, 6});
    const auto table = other.table.view();
    EXPECT_TRUE(same_bits(predict_shares(cpu, model, table), predict_shares(gpu, model, table)))
        << rows << " rows";
    EXPECT_TRUE(same_bits(apply(cpu, model, table), apply(gpu, model, table))) << rows << " rows";
  }
}

// Complete levels with their leaves in shared memory, then with leaves elsewhere, then nodes with
// places, which the second cache holds.
TEST(GpuPredictions, TreesOfEveryDepthEndInTheSameLeaves) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t depth : {1, 2, 6, 10, 11, 12, 13, 30}) {
    for (const std::int32_t classes : {0, 2, 7}) {
      predict_alike<float>(depth, 5, classes);
      predict_alike<double>(depth, 5, classes);
    }
  }
}

// 60 columns leave room for few threads; 200 for none.
TEST(GpuPredictions, WideRowsEndInTheSameLeaves) {
  YUPANA_NEEDS_GPU();
  for (const std::int64_t features : {18, 40, 60, 200}) {
    predict_alike<float>(7, features, 3);
    predict_alike<double>(7, features, 0);
  }
}

}  // namespace
}  // namespace yupana::forest
