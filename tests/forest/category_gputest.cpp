#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "tests/forest/samples.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/one_hot.hpp"
#include "yupana/forest/predict.hpp"
#ifdef YUPANA_CUDA
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/forest/tree_cuda.hpp"
#endif

namespace yupana::forest {
namespace {

using test::refusal;

class GpuCategories : public testing::Test {
 protected:
  void SetUp() override {
    YUPANA_NEEDS_GPU();
    gpu_.emplace(ContextParams{.device = "cuda:0"});
  }
  template <class T>
  void agree(const SampleParams& shape, TreeParams params) {
    const auto sample = make_categories<T>(shape);
    params = with_categories(params, shape.features);
    const Tree expected = fit_tree(cpu_, sample.table.view(), sample.target(), params);
    const Tree got = fit_tree(*gpu_, sample.table.view(), sample.target(), params);
    ASSERT_EQ(difference(expected, got), "") << text_of(shape);
    ASSERT_EQ(expected.sets, got.sets);
    splits_ += std::ssize(got.sets);
  }
  /// Shares and leaves of a table by both, in host memory.
  template <class T>
  void predict_alike(const Model& model, TableView<T> table) {
    const auto expected = predict_shares(cpu_, model, table);
    const auto got = predict_shares(*gpu_, model, table);
    EXPECT_EQ(std::memcmp(expected.data(),
                          got.data(),
                          static_cast<std::size_t>(got.rows() * got.cols()) * sizeof(double)),
              0);
    const auto ends = apply(cpu_, model, table);
    const auto own_ends = apply(*gpu_, model, table);
    EXPECT_EQ(
        std::memcmp(
            ends.data(), own_ends.data(), static_cast<std::size_t>(ends.rows() * ends.cols()) * 4),
        0);
  }
  Context cpu_{{.device = "cpu"}};
  std::optional<Context> gpu_;
  std::int64_t splits_ = 0;
};

TEST_F(GpuCategories, AreSplitAsByTheProcessor) {
  const SampleRanges ranges{.features = 4,
                            .rows = {1, 2, 33, 513, 1999},
                            .classes = {0, 2, 3, 5},
                            .levels = {2, 10, 30},
                            .weighted_rows = 9};
  for_each_sample(ranges, [&](const SampleParams& shape) {
    agree<float>(shape, {});
    agree<double>(shape, {.criterion = Criterion::entropy, .min_samples_leaf = 3});
    agree<double>(shape, {.max_leaf_nodes = 5, .max_features = 2, .seed = shape.seed});
  });
  EXPECT_GT(splits_, 1000);
}

TEST_F(GpuCategories, OfLargerTablesAreSplitAsByTheProcessor) {
  for (const std::int32_t classes : {0, 2, 4}) {
    for (const std::int64_t levels : {9, 3000}) {
      agree<float>({100'003, 6, classes, levels, 0.05, 0, 11}, {.max_depth = 10});
    }
    agree<double>({30'011, 5, classes, 70, 0.1, 2, 3}, {});
    agree<float>({30'011, 5, classes, 70, 0, 0, 3}, {.min_weight_fraction_leaf = 0.01});
  }
}

TEST_F(GpuCategories, OfForestsAreSplitAsByTheProcessor) {
  for (const std::int32_t classes : {0, 2, 3}) {
    const auto sample = make_categories<float>({2500, 5, classes, 12, 0.1, 0, 7});
    for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
      for (const std::int64_t trees : {1, 9, 70}) {
        ForestParams params{.trees = trees, .sampling = sampling};
        params.tree = with_categories({.seed = 3}, 5);
        params.max_features = trees == 9 ? 1 : root_of_features;
        const auto expected = fit_forest(cpu_, sample.table.view(), sample.target(), params);
        const auto got = fit_forest(*gpu_, sample.table.view(), sample.target(), params);
        EXPECT_TRUE(expected == got)
            << classes << " classes, sampling " << static_cast<int>(sampling) << ", " << trees;
      }
    }
  }
}

// Of disjoint parts a device holds the rows of its own trees alone, which may lack categories.
TEST_F(GpuCategories, ThatOnlyOtherRowsHaveLeaveTheirPlacesInSets) {
  for (const std::int32_t classes : {2, 3}) {
    const auto sample = make_categories<float>({600, 3, classes, 90, 0, 0, 7});
    ForestParams params{.trees = 5, .first_tree = 3, .all_trees = 40};
    params.sampling = Sampling::partition;
    params.tree = with_categories({}, 3);
    const auto expected = fit_forest(cpu_, sample.table.view(), sample.target(), params);
    const auto got = fit_forest(*gpu_, sample.table.view(), sample.target(), params);
    EXPECT_TRUE(expected == got) << classes;
  }
}

TEST_F(GpuCategories, OfUnknownNumbersAreRefusedBeforeAnyWork) {
  auto sample = make_categories<float>({100, 3, 2, 5, 0, 0, 1});
  sample.table.column(0)[41] = 1.5f;
  const auto said = [&](Context& context) {
    return test::refusal(
        [&] { fit_tree(context, sample.table.view(), sample.target(), with_categories({}, 3)); });
  };
  EXPECT_EQ(said(*gpu_), said(cpu_));
}

/// Values absent from the training table, in addition to those in it.
template <class T>
void put_strangers(Sample<T>& sample) {
  T* const column = sample.table.column(0);
  const T strangers[] = {
      T(-1), T(0.5), T(62), T(63), T(64), T(1 << 20), T(1e30), T(-1e30), T(INFINITY), T(NAN)};
  std::copy(std::begin(strangers), std::end(strangers), column);
}

TEST_F(GpuCategories, LeadWhereTheyLeadOnTheProcessor) {
  for (const std::int32_t classes : {0, 2, 7}) {
    for (const std::int64_t levels : {12, 400}) {
      for (const std::int64_t features : {4, 130, 300}) {  // in shared memory, and not; wide nodes
        auto sample = make_categories<float>({4001, features, classes, levels, 0.1, 0, 5});
        ForestParams params{.trees = 5};
        params.tree = with_categories({.max_depth = 9}, features);
        const auto grown = fit_forest(cpu_, sample.table.view(), sample.target(), params);
        put_strangers(sample);
        for (const Voting voting : {Voting::soft, Voting::hard}) {
          const Model model = model_of(sample, grown, voting);
          ASSERT_TRUE(splits_categories(model.trees));
          predict_alike(model, sample.table.view());
        }
      }
    }
    auto sample = make_categories<double>({4001, 3, classes, 90, 0.1, 0, 5});
    const TreeParams params = with_categories({}, 3);
    const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target(), params);
    put_strangers(sample);
    predict_alike(model_of(sample, {tree}), sample.table.view());
  }
}

// So many rows that blocks of the largest size hold the trees, too.
TEST_F(GpuCategories, ManyRowsLeadWhereTheyLeadOnTheProcessor) {
  const auto agree_on_many = [&]<class T>(T, std::int32_t classes) {
    const auto few = make_categories<T>({3001, 4, classes, 12, 0.1, 0, 5});
    auto many = make_categories<T>({140'001, 4, classes, 12, 0.1, 0, 6});
    put_strangers(many);
    for (const bool categories : {true, false}) {
      ForestParams params{.trees = 5};
      params.tree.max_depth = 7;
      if (categories) params.tree = with_categories(params.tree, 4);
      const auto grown = fit_forest(cpu_, few.table.view(), few.target(), params);
      predict_alike(model_of(few, grown), many.table.view());
    }
  };
  for (const std::int32_t classes : {0, 2, 7}) {
    agree_on_many(float{}, classes);
    agree_on_many(double{}, classes);
  }
}

TEST_F(GpuCategories, OfOneHotColumnsLeadWhereTheyLeadOnTheProcessor) {
  const auto sample = make_categories<float>({3000, 3, 2, 7, 0.1, 0, 5});
  const std::vector<std::int32_t> one_hot = {9, 9, 0};
  const TreeParams params{.max_depth = 8, .one_hot = one_hot};
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target(), params);
  const Model model = model_of(sample, on_columns({tree}, 3, one_hot));
  ASSERT_TRUE(splits_categories(model.trees));
  predict_alike(model, sample.table.view());
}

#ifdef YUPANA_CUDA
TEST_F(GpuCategories, OfTablesInTheirMemoryAreSplitAndLeadAlike) {
  using yupana::cuda::check;
  using yupana::cuda::DeviceArray;
  const auto sample = make_categories<double>({3001, 5, 3, 20, 0.1, 0, 8});
  const TableView<double> table = sample.table.view();
  ASSERT_EQ(table.stride, table.rows);
  DeviceArray<double> there(table.rows * table.columns);
  check(cudaMemcpy(there.data(), table.data, there.bytes(), cudaMemcpyHostToDevice), "copy");
  const TreeParams params = with_categories({.max_depth = 9}, 5);
  const Tree tree = fit_tree(cpu_, table, sample.target(), params);
  EXPECT_TRUE(tree == cuda::fit_resident_tree(*gpu_, table, there.data(), sample.target(), params));
  const Model model = model_of(sample, {tree});
  DeviceArray<double> shares(table.rows * 3);
  const TableView<double> seen{there.data(), table.rows, table.columns, table.rows};
  cuda::predict_resident_shares(model, 0, seen, shares.data());
  Matrix<double> got(table.rows, 3);
  check(cudaMemcpy(got.data(), shares.data(), shares.bytes(), cudaMemcpyDeviceToHost), "copy");
  const auto want = predict_shares(cpu_, model, table);
  EXPECT_EQ(std::memcmp(got.data(), want.data(), shares.bytes()), 0);
}
#endif

}  // namespace
}  // namespace yupana::forest
