#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "tests/forest/samples.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/error.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/validate.hpp"
#include "yupana/io/table.hpp"
#ifdef YUPANA_CUDA
#include "yupana/core/cuda/runtime.hpp"
#include "yupana/forest/tree_cuda.hpp"
#endif

namespace yupana::forest {
namespace {

using test::refusal;

std::string text_of(const SampleParams& sample, const TreeParams& params) {
  return fmt::format("{}; criterion {}, depth {}, leaf {}, max_features {}",
                     text_of(sample),
                     static_cast<int>(params.criterion),
                     params.max_depth,
                     params.min_samples_leaf,
                     params.max_features);
}

class GpuTrees : public testing::Test {
 protected:
  void SetUp() override {
    YUPANA_NEEDS_GPU();
    gpu_.emplace(ContextParams{.device = "cuda:0"});
  }
  template <class T>
  void agree(const SampleParams& sample_params, const TreeParams& params) {
    const auto sample = make_sample<T>(sample_params);
    const auto table = sample.table.view();
    const Tree expected = fit_tree(cpu_, table, sample.target(), params);
    const Tree got = fit_tree(*gpu_, table, sample.target(), params);
    EXPECT_EQ(difference(expected, got), "") << text_of(sample_params, params);
    if (sample_params.rows > 130) return;
    const Tree obvious = fit_tree(reference_, table, sample.target(), params);
    EXPECT_EQ(difference(obvious, got), "") << text_of(sample_params, params);
  }
  Context cpu_{{.device = "cpu"}};
  Context reference_{{.device = "reference"}};
  std::optional<Context> gpu_;
};

// A warp takes 32 entries at a time, a tile is 512.
TEST_F(GpuTrees, EqualTheProcessorAndTheReferenceNodeByNode) {
  const SampleRanges ranges{.rows = {1, 2, 3, 31, 32, 33, 121, 511, 512, 513, 1025, 1999},
                            .classes = {0, 2, 3},
                            .levels = {0, 6},
                            .weighted_rows = 31};
  for_each_sample(ranges, [&](const SampleParams& sample) {
    agree<float>(sample, {});
    agree<double>(sample, {.criterion = Criterion::entropy, .min_samples_leaf = 2});
  });
}

TEST_F(GpuTrees, EqualTheProcessorForManyClasses) {
  for (const std::int32_t classes : {2, 5, 17, 40, 300}) {
    for (const int weights : {0, 2}) {
      for (const double missing : {0.0, 0.1}) {
        const SampleParams sample{3000, 4, classes, 0, missing, weights, 7};
        agree<float>(sample, {.max_depth = 6});
        agree<float>(sample, {.criterion = Criterion::entropy, .min_samples_leaf = 5});
      }
    }
  }
}

// Four warps a block with the weights of 5,000 classes take 160,000 bytes of shared memory.
TEST_F(GpuTrees, ManyClassesExceededTheSharedMemoryOfOtherGpus) {
  const LimitedGpu limited;
  for (const int weights : {0, 2}) {
    const SampleParams sample{9000, 3, 5000, 0, 0.1, weights, 7};
    agree<float>(sample, {.max_depth = 3});
    agree<float>(sample, {.criterion = Criterion::entropy, .max_depth = 2});
  }
}

TEST_F(GpuTrees, EqualTheProcessorUnderEveryStoppingRule) {
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    for (const std::int32_t classes : {0, 2, 4}) {
      const SampleParams sample{2000, 6, classes, seed % 2 == 0 ? 9 : 0, 0.1, 0, seed};
      for (const Criterion criterion : {Criterion::gini, Criterion::entropy}) {
        for (const std::int64_t depth : {1, 3, 7, 20}) {
          agree<float>(sample, {.criterion = criterion, .max_depth = depth});
        }
        agree<float>(sample, {.criterion = criterion, .min_samples_split = 40});
        agree<float>(sample, {.criterion = criterion, .min_samples_leaf = 100});
        agree<float>(sample, {.criterion = criterion, .min_weight_fraction_leaf = 0.07});
        agree<float>(sample, {.criterion = criterion, .max_leaf_nodes = 23});
        agree<float>(sample, {.criterion = criterion, .min_impurity_decrease = 0.003});
        agree<float>(sample, {.criterion = criterion, .min_gain = 0.01});
        agree<float>(sample, {.criterion = criterion, .max_features = 2, .seed = seed});
      }
    }
  }
}

TEST_F(GpuTrees, EqualTheProcessorOnLargerTables) {
  for (const std::int32_t classes : {0, 2, 7}) {
    for (const std::int64_t levels : {0, 50}) {
      const SampleParams sample{100'003, 9, classes, levels, levels > 0 ? 0.05 : 0, 0, 11};
      agree<float>(sample, {.max_depth = 10});
      agree<float>(sample, {.max_depth = 12, .min_samples_leaf = 20});
    }
  }
  agree<float>({30'011, 5, 2, 0, 0.1, 2, 3}, {});
  agree<double>({30'011, 5, 0, 0, 0.1, 0, 3}, {});
}

TEST_F(GpuTrees, TiesGoToTheFirstFeatureThresholdAndTheRightSide) {
  // Equal features, values that stand once for each class (every split gains nothing), constant
  // features and features without any value.
  const std::int64_t n = 4000;
  Table<float> table(n, {"a", "b", "constant", "none", "some"});
  std::vector<std::int32_t> codes;
  for (std::int64_t i = 0; i < n; ++i) {
    table.column(0)[i] = table.column(1)[i] = static_cast<float>(i / 2);
    table.column(2)[i] = 3;
    table.column(3)[i] = NAN;
    table.column(4)[i] = i % 3 == 0 ? NAN : -0.0f;
    codes.push_back(static_cast<std::int32_t>(i % 2));
  }
  Target target;
  target.codes = codes.data();
  target.classes = 2;
  for (const std::int64_t depth : {std::int64_t{3}, unlimited_depth}) {
    const TreeParams params{.max_depth = depth};
    EXPECT_EQ(difference(fit_tree(cpu_, table.view(), target, params),
                         fit_tree(*gpu_, table.view(), target, params)),
              "");
  }
}

TEST_F(GpuTrees, ValuesThatFloatsBarelyTellApartArePartedAlike) {
  Table<float> table(600, {"x", "y"});
  std::vector<double> values;
  float x = 1;
  for (std::int64_t i = 0; i < 600; ++i) {
    table.column(0)[i] = x = std::nextafter(x, 2.0f);
    table.column(1)[i] = static_cast<float>((i * 7919) % 600) * 1e-42f - 3e-40f;
    values.push_back(std::sin(static_cast<double>(i * i)));
  }
  Target target;
  target.values = values.data();
  EXPECT_EQ(difference(fit_tree(cpu_, table.view(), target), fit_tree(*gpu_, table.view(), target)),
            "");
}

TEST_F(GpuTrees, AChainOfADeepTreeIsGrownToItsEnd) {
  // Each level parts one row from the rest.
  Table<double> table(200, {"x"});
  std::vector<double> values;
  for (std::int64_t i = 0; i < 200; ++i) {
    table.column(0)[i] = static_cast<double>(i);
    values.push_back(std::ldexp(1.0, static_cast<int>(i) / 4));
  }
  Target target;
  target.values = values.data();
  const Tree expected = fit_tree(cpu_, table.view(), target);
  EXPECT_EQ(difference(expected, fit_tree(*gpu_, table.view(), target)), "");
  EXPECT_GT(expected.depth(), 12);
}

TEST_F(GpuTrees, ForestsEqualTheProcessorForEverySampling) {
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const int weights : {0, 2}) {
      const auto sample = make_sample<float>({2500, 5, classes, 0, 0.1, weights, 7});
      for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
        for (const std::int64_t trees : {1, 5, 70}) {
          ForestParams params{.trees = trees, .sampling = sampling};
          params.tree.seed = 3;
          params.tree.max_depth = trees == 5 ? unlimited_depth : 4;
          params.tree.max_leaf_nodes = trees == 1 ? 7 : 0;
          params.max_samples = sampling == Sampling::bootstrap && trees == 5 ? 900 : 0;
          const auto table = sample.table.view();
          const std::vector<Tree> a = fit_forest(cpu_, table, sample.target(), params);
          const std::vector<Tree> b = fit_forest(*gpu_, table, sample.target(), params);
          for (std::size_t t = 0; t < a.size(); ++t) {
            ASSERT_EQ(difference(a[t], b[t]), "")
                << classes << " classes, weights " << weights << ", sampling "
                << static_cast<int>(sampling) << ", tree " << t << " of " << trees;
          }
        }
      }
    }
  }
}

// Rows are drawn on the device: as many as there are trees, around a warp, and some blocks' worth.
TEST_F(GpuTrees, RowsAreDrawnWithTheBitsOfTheProcessor) {
  for (const std::int64_t rows : {1, 2, 5, 31, 32, 33, 257, 100'003}) {
    // Of few rows, some part would have none of weight above 0.
    const auto sample = make_sample<float>({rows, 3, 2, 0, 0, rows > 1000 ? 2 : 0, 7});
    for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
      for (const std::int64_t trees : {1, 5, 67}) {
        if (sampling == Sampling::partition && trees > rows) continue;
        ForestParams params{.trees = trees, .sampling = sampling};
        params.tree.max_depth = 1;
        const auto a = fit_forest(cpu_, sample.table.view(), sample.target(), params);
        const auto b = fit_forest(*gpu_, sample.table.view(), sample.target(), params);
        EXPECT_TRUE(a == b) << rows << " rows, sampling " << static_cast<int>(sampling) << ", "
                            << trees;
      }
    }
  }
}

TEST_F(GpuTrees, ARangeOfAForestHasItsTrees) {
  const auto sample = make_sample<float>({4000, 5, 2, 0, 0.1, 0, 7});
  for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition}) {
    ForestParams params{.trees = 80, .sampling = sampling};
    params.tree.max_depth = 3;
    const auto whole = fit_forest(*gpu_, sample.table.view(), sample.target(), params);
    params.trees = 70;
    params.first_tree = 9;
    params.all_trees = 80;
    const auto some = fit_forest(*gpu_, sample.table.view(), sample.target(), params);
    for (std::size_t t = 0; t < 70; ++t) {
      EXPECT_EQ(difference(whole[9 + t], some[t]), "") << t;
    }
  }
}

TEST_F(GpuTrees, AForestDoesNotDependOnTheDevicesMemory) {
  const auto sample = make_sample<float>({20'000, 6, 2, 0, 0, 0, 7});
  Context little({.device = "cuda:0", .gpu_memory = 12 << 20});
  ForestParams params{.trees = 9};
  params.tree.max_depth = 6;
  const auto a = fit_forest(*gpu_, sample.table.view(), sample.target(), params);
  const auto b = fit_forest(little, sample.table.view(), sample.target(), params);
  EXPECT_TRUE(a == b);
}

TEST_F(GpuTrees, AForestIsTheSameOnEveryNumberOfDevices) {
  const int count = yupana::cuda::device_count();
  if (count < 2) GTEST_SKIP() << "one GPU: nothing to distribute trees over";
  const auto sample = make_sample<float>({20'000, 6, 3, 0, 0.1, 0, 7});
  std::string names = "cuda:0";
  for (int d = 1; d < count; ++d) {
    names += fmt::format(",{}", d);
    Context several({.device = names});
    for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition}) {
      ForestParams params{.trees = 11, .sampling = sampling};
      params.tree.max_depth = 8;
      const auto a = fit_forest(*gpu_, sample.table.view(), sample.target(), params);
      const auto b = fit_forest(several, sample.table.view(), sample.target(), params);
      EXPECT_TRUE(a == b);
      Model model;
      model.features = sample.table.names();
      model.classes = {"0", "1", "2"};
      model.trees = a;
      const auto x = predict_shares(*gpu_, model, sample.table.view());
      const auto y = predict_shares(several, model, sample.table.view());
      EXPECT_EQ(std::memcmp(x.data(), y.data(), 20'000 * 3 * sizeof(double)), 0);
    }
  }
}

#ifdef YUPANA_CUDA
TEST_F(GpuTrees, TablesInTheirMemoryGrowTheSameTreesAndPredictions) {
  using yupana::cuda::check;
  using yupana::cuda::DeviceArray;
  const auto sample = make_sample<double>({3001, 7, 3, 0, 0.1, 0, 8});
  const TableView<double> table = sample.table.view();
  ASSERT_EQ(table.stride, table.rows);
  DeviceArray<double> there(table.rows * table.columns);
  check(cudaMemcpy(there.data(), table.data, there.bytes(), cudaMemcpyHostToDevice), "copy");
  const TreeParams one{.max_depth = 9, .max_features = 3, .seed = 4};
  const double* const resident = there.data();
  EXPECT_EQ(difference(cuda::fit_resident_tree(*gpu_, table, resident, sample.target(), one),
                       fit_tree(cpu_, table, sample.target(), one)),
            "");
  const ForestParams many{.trees = 7};
  Model model;
  model.features = sample.table.names();
  model.classes = {"0", "1", "2"};
  model.trees = fit_forest(cpu_, table, sample.target(), many);
  EXPECT_TRUE(model.trees ==
              cuda::fit_resident_forest(*gpu_, table, resident, sample.target(), many));
  DeviceArray<double> shares(table.rows * 3);
  const TableView<double> seen{resident, table.rows, table.columns, table.rows};
  cuda::predict_resident_shares(model, 0, seen, shares.data());
  Matrix<double> got(table.rows, 3);
  check(cudaMemcpy(got.data(), shares.data(), shares.bytes(), cudaMemcpyDeviceToHost), "copy");
  const auto want = predict_shares(cpu_, model, table);
  EXPECT_EQ(std::memcmp(got.data(), want.data(), shares.bytes()), 0);
  const std::int64_t trees = std::ssize(model.trees);
  DeviceArray<std::int32_t> leaves(table.rows * trees);
  cuda::apply_to_resident(model, 0, seen, leaves.data());
  Matrix<std::int32_t> ends(table.rows, trees);
  check(cudaMemcpy(ends.data(), leaves.data(), leaves.bytes(), cudaMemcpyDeviceToHost), "copy");
  const auto nodes = apply(cpu_, model, table);
  EXPECT_EQ(std::memcmp(ends.data(), nodes.data(), leaves.bytes()), 0);
}
#endif

TEST_F(GpuTrees, PredictionsHaveTheBitsOfTheProcessor) {
  for (const std::int32_t classes : {0, 2, 5}) {
    for (const std::int64_t features : {3, 130}) {
      for (const std::int64_t rows : {1, 255, 256, 257, 3001}) {
        const auto sample = make_sample<float>({rows, features, classes, 0, 0.2, 0, 5});
        ForestParams params{.trees = 7};
        params.tree.max_depth = 9;
        Model model;
        model.features = sample.table.names();
        for (std::int32_t c = 0; c < classes; ++c) model.classes.push_back(std::to_string(c));
        model.trees = fit_forest(cpu_, sample.table.view(), sample.target(), params);
        const auto other = make_sample<float>({2 * rows, features, classes, 0, 0.3, 0, 6});
        for (const Voting voting : {Voting::soft, Voting::hard}) {
          model.voting = voting;
          const auto a = predict_shares(cpu_, model, other.table.view());
          const auto b = predict_shares(*gpu_, model, other.table.view());
          ASSERT_EQ(std::memcmp(a.data(),
                                b.data(),
                                static_cast<std::size_t>(a.rows() * a.cols()) * sizeof(double)),
                    0)
              << rows << " rows, " << features << " features, " << classes << " classes";
        }
        const auto a = apply(cpu_, model, other.table.view());
        const auto b = apply(*gpu_, model, other.table.view());
        ASSERT_EQ(std::memcmp(a.data(),
                              b.data(),
                              static_cast<std::size_t>(a.rows() * a.cols()) * sizeof(*a.data())),
                  0);
      }
    }
  }
}

TEST_F(GpuTrees, TooLittleDeviceMemoryIsToldWithThePlan) {
  const auto sample = make_sample<float>({100'000, 6, 2, 0, 0, 0, 7});
  Context little({.device = "cuda:0", .gpu_memory = 4 << 20});
  const std::string text = refusal([&] { fit_tree(little, sample.table.view(), sample.target()); },
                                   ErrorCode::out_of_resources);
  EXPECT_NE(text.find("a tree of 100000 rows and 6 features needs"), std::string::npos) << text;
  EXPECT_NE(text.find("--gpu-memory allows 4.19 MB"), std::string::npos) << text;
}

TEST_F(GpuTrees, SpambaseIsPredictedAsOnTheProcessorToTheLastRow) {
  const std::string path = shared_data("tables/spambase/spambase.data");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto file = io::read_table<float>(cpu_, path, {.label = "last"});
  Target target;
  target.codes = file.codes.data();
  target.classes = static_cast<std::int32_t>(file.classes.size());
  const std::int64_t rows = file.table.rows(), features = file.table.columns();
  const auto folds = folds_of(rows, target, 10, true, 1);
  for (const std::int64_t depth : {4, 8}) {
    for (std::int64_t fold = 0; fold < 10; ++fold) {
      Table<float> train(rows, file.table.names());
      std::vector<double> weights;
      for (std::int64_t i = 0; i < rows; ++i) weights.push_back(folds[i] == fold ? 0 : 1);
      for (std::int64_t f = 0; f < features; ++f) {
        std::copy_n(file.table.column(f), rows, train.column(f));
      }
      target.weights = weights.data();
      const TreeParams params{.max_depth = depth};
      ASSERT_EQ(difference(fit_tree(cpu_, train.view(), target, params),
                           fit_tree(*gpu_, train.view(), target, params)),
                "");
    }
  }
}

}  // namespace
}  // namespace yupana::forest
