#include "yupana/forest/one_hot.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

/// A table whose columns, but for one of numbers, are of `levels` categories; some have no row.
template <class T>
Sample<T> make_categories(const SampleParams& params, std::vector<std::int32_t>& one_hot) {
  Sample<T> sample = make_sample<T>(params);
  one_hot.assign(static_cast<std::size_t>(params.features),
                 static_cast<std::int32_t>(params.levels + 2));
  one_hot[1] = 0;
  for (std::int64_t f = 0; f < params.features; ++f) {
    T* column = sample.table.column(f);
    for (std::int64_t i = 0; i < params.rows; ++i) {
      column[i] += static_cast<T>((params.levels + 1) / 2 + 1);
    }
  }
  return sample;
}

class OneHot : public testing::Test {
 protected:
  template <class T>
  void agree(const SampleParams& shape, TreeParams params) {
    std::vector<std::int32_t> one_hot;
    const auto sample = make_categories<T>(shape, one_hot);
    const Table<T> made = with_features(sample.table.view(), one_hot);
    const Tree expected = fit_tree(cpu_, made.view(), sample.target(), params);
    params.one_hot = one_hot;
    for (Context* context : {&one_, &cpu_, &seven_, &reference_}) {
      if (context == &reference_ && shape.rows > 1000) continue;
      const Tree got = fit_tree(*context, sample.table.view(), sample.target(), params);
      ASSERT_EQ(difference(expected, got), "") << text_of(shape);
    }
    nodes_ += std::ssize(expected.nodes);
    expect_same_leaves<T>(sample, made, expected, one_hot);
  }
  /// The tree's own leaves of the made features are those of its form for columns.
  template <class T>
  void expect_same_leaves(const Sample<T>& sample,
                          const Table<T>& made,
                          const Tree& tree,
                          const std::vector<std::int32_t>& one_hot) {
    Model features = model_of(sample, {tree}), columns = features;
    features.features.resize(static_cast<std::size_t>(made.columns()));
    columns.trees = on_columns({tree}, sample.table.columns(), one_hot);
    const auto expected = apply(cpu_, features, made.view());
    const auto got = apply(cpu_, columns, sample.table.view());
    for (std::int64_t i = 0; i < made.rows(); ++i) {
      ASSERT_EQ(expected(i, 0), got(i, 0)) << "row " << i;
      ASSERT_EQ(expected(i, 0), leaf_of(columns.trees[0], [&](std::int64_t f) {
                  return sample.table.view()(i, f);
                }));
    }
  }
  Context one_{{.device = "cpu", .threads = 1}};
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context seven_{{.device = "cpu", .threads = 7}};
  Context reference_{{.device = "reference"}};
  std::int64_t nodes_ = 0;
};

TEST_F(OneHot, TreesAreThoseOfTheMadeFeatures) {
  const SampleRanges ranges{.features = 4,
                            .rows = {1, 2, 9, 33, 150},
                            .classes = {0, 2, 3, 5},
                            .levels = {1, 2, 5, 30},
                            .weighted_rows = 9};
  for_each_sample(ranges, [&](const SampleParams& shape) {
    agree<float>(shape, {});
    agree<double>(shape, {.criterion = Criterion::entropy, .min_samples_leaf = 3});
    agree<double>(shape, {.min_weight_fraction_leaf = 0.1});
    agree<double>(shape, {.max_leaf_nodes = 5, .max_features = 2, .seed = shape.seed});
  });
  EXPECT_GT(nodes_, 10'000);
}

TEST_F(OneHot, CategoriesAreManyOrAsManyAsAWordHasBits) {
  for (const std::int64_t levels : {59, 60, 61, 62, 63, 64, 200}) {
    agree<float>({600, 3, 2, levels, 0.1, 0, 3}, {});
    agree<double>({600, 3, 0, levels, 0, 0, 4}, {});
  }
}

TEST_F(OneHot, TreesAreThoseOfTheMadeFeaturesWhereBranchesGrowSideBySide) {
  agree<float>({40'000, 3, 2, 8, 0.05, 0, 3}, {.max_depth = 4});
  agree<double>({40'000, 3, 0, 8, 0, 0, 4}, {.max_depth = 3});
}

TEST_F(OneHot, ForestsAreThoseOfTheMadeFeatures) {
  std::uint64_t seed = 1;
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
      for (const std::int64_t drawn : {root_of_features, std::int64_t{0}, std::int64_t{3}}) {
        for (const int weights : {0, 1}) {
          std::vector<std::int32_t> one_hot;
          const SampleParams shape{200, 4, classes, 12, 0.1, weights, seed++};
          const auto sample = make_categories<double>(shape, one_hot);
          const Table<double> made = with_features(sample.table.view(), one_hot);
          ForestParams params{.trees = 5, .sampling = sampling, .max_features = drawn};
          const auto expected = fit_forest(cpu_, made.view(), sample.target(), params);
          params.tree.one_hot = one_hot;
          for (Context* context : {&one_, &cpu_, &seven_, &reference_}) {
            const auto got = fit_forest(*context, sample.table.view(), sample.target(), params);
            for (std::size_t t = 0; t < expected.size(); ++t) {
              ASSERT_EQ(difference(expected[t], got[t]), "") << "tree " << t;
            }
          }
        }
      }
    }
  }
}

TEST_F(OneHot, ForestsOfTwoClassesByEntropyAreNotLeavesAlone) {
  std::vector<std::int32_t> one_hot;
  const auto sample = make_categories<double>({300, 4, 2, 12, 0, 0, 5}, one_hot);
  ForestParams params{.trees = 3};
  params.tree.criterion = Criterion::entropy;
  params.tree.one_hot = one_hot;
  const auto expected = fit_forest(reference_, sample.table.view(), sample.target(), params);
  const auto got = fit_forest(cpu_, sample.table.view(), sample.target(), params);
  for (std::size_t t = 0; t < expected.size(); ++t) {
    EXPECT_EQ(difference(expected[t], got[t]), "") << "tree " << t;
  }
}

TEST_F(OneHot, ForestsCountCategoriesInRowsOfFewAndOfManyColumns) {
  std::uint64_t seed = 1;
  for (const std::int32_t classes : {2, 3}) {
    for (const std::int64_t features : {4, 70}) {  // keys of 16 bits and of 32
      for (const std::int64_t rows : {30, 700}) {
        std::vector<std::int32_t> one_hot;
        const auto sample =
            make_categories<float>({rows, features, classes, 12, 0, 0, seed++}, one_hot);
        const Table<float> made = with_features(sample.table.view(), one_hot);
        ForestParams params{.trees = 3, .max_features = 9};
        const auto expected = fit_forest(cpu_, made.view(), sample.target(), params);
        params.tree.one_hot = one_hot;
        const auto got = fit_forest(cpu_, sample.table.view(), sample.target(), params);
        for (std::size_t t = 0; t < expected.size(); ++t) {
          ASSERT_EQ(difference(expected[t], got[t]), "") << features << " columns, tree " << t;
        }
      }
    }
  }
}

TEST_F(OneHot, ForestsWhoseBranchesAreBroughtNearAreThoseOfTheMadeFeatures) {
  // 16,384 keys of 16 bits are: those of 4,096 rows of columns, and of 381 of features.
  for (const std::int32_t classes : {2, 3}) {
    for (const double missing : {0.0, 0.05}) {
      std::vector<std::int32_t> one_hot;
      const auto sample = make_categories<float>({9000, 4, classes, 12, missing, 0, 7}, one_hot);
      const Table<float> made = with_features(sample.table.view(), one_hot);
      ForestParams params{.trees = 2, .max_features = 9};
      const auto expected = fit_forest(cpu_, made.view(), sample.target(), params);
      params.tree.one_hot = one_hot;
      const auto got = fit_forest(cpu_, sample.table.view(), sample.target(), params);
      for (std::size_t t = 0; t < expected.size(); ++t) {
        ASSERT_EQ(difference(expected[t], got[t]), "") << classes << " classes, tree " << t;
      }
    }
  }
}

TEST_F(OneHot, AlphaIsChosenAsOfTheMadeFeatures) {
  std::vector<std::int32_t> one_hot;
  const auto sample = make_categories<double>({300, 4, 3, 6, 0.1, 0, 5}, one_hot);
  const Table<double> made = with_features(sample.table.view(), one_hot);
  const auto folds = folds_of(300, sample.target(), 4, false, 1);
  TreeParams params;
  const auto expected = choose_alpha(cpu_, made.view(), sample.target(), params, folds, 4);
  params.one_hot = one_hot;
  const auto got = choose_alpha(cpu_, sample.table.view(), sample.target(), params, folds, 4);
  EXPECT_GT(got.alphas.size(), 5u);
  EXPECT_EQ(expected.alphas, got.alphas);
  EXPECT_EQ(expected.scores, got.scores);
}

TEST_F(OneHot, CategoriesAreWholeNumbersBelowTheirCount) {
  std::vector<std::int32_t> one_hot;
  for (const double wrong : {-1.0, 0.5, 7.0, std::numeric_limits<double>::infinity()}) {
    auto sample = make_categories<double>({20, 2, 2, 5, 0, 0, 1}, one_hot);
    sample.table.column(0)[7] = wrong;
    for (Context* context : {&cpu_, &reference_}) {
      const std::string message = refusal(
          [&] { fit_tree(*context, sample.table.view(), sample.target(), {.one_hot = one_hot}); });
      EXPECT_NE(message.find("row 8: expected a category, a whole number from 0 to 6, got"),
                std::string::npos)
          << message;
    }
  }
}

TEST_F(OneHot, ColumnsAreAllNamedAndNotSplitOtherwiseToo) {
  const auto sample = make_sample<double>({20, 2, 2, 5, 0, 0, 1});
  const auto says = [&](const TreeParams& params) {
    return refusal([&] { fit_tree(cpu_, sample.table.view(), sample.target(), params); },
                   ErrorCode::usage);
  };
  EXPECT_EQ(says({.one_hot = {3}}), "one_hot: expected an entry for each of 2 columns, got 1");
  EXPECT_EQ(says({.categorical = {true, true}, .one_hot = {0, 0}}),
            "categorical: expected none beside one_hot columns, got 2 features");
}

}  // namespace
}  // namespace yupana::forest
