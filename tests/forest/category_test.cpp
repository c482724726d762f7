#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

class Categories : public testing::Test {
 protected:
  template <class T>
  void agree(const SampleParams& shape, TreeParams params) {
    const auto sample = make_categories<T>(shape);
    params = with_categories(params, shape.features);
    const Tree expected = fit_tree(reference_, sample.table.view(), sample.target(), params);
    const Tree got = fit_tree(cpu_, sample.table.view(), sample.target(), params);
    ASSERT_EQ(difference(expected, got), "") << text_of(shape);
    ASSERT_EQ(expected.sets, got.sets);
    splits_ += std::ssize(got.sets);
  }
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
  std::int64_t splits_ = 0;
};

TEST_F(Categories, AreSplitAsByTheReference) {
  const SampleRanges ranges{.features = 4,
                            .rows = {1, 2, 9, 33, 150},
                            .classes = {0, 2, 3, 5},
                            .levels = {2, 5, 10, 30},
                            .weighted_rows = 9};
  for_each_sample(ranges, [&](const SampleParams& shape) {
    agree<float>(shape, {});
    agree<double>(shape, {.criterion = Criterion::entropy, .min_samples_leaf = 3});
    agree<double>(shape, {.max_leaf_nodes = 5, .max_features = 2, .seed = shape.seed});
  });
  EXPECT_GT(splits_, 1000);
}

TEST_F(Categories, AreSplitAsByTheReferenceWhereBranchesGrowSideBySide) {
  const SampleParams shape{40'000, 2, 3, 8, 0.05, 0, 3};
  agree<float>(shape, {.max_depth = 3});
}

/// Decrease of impurity, times all weight, of the rows that go left and right.
double gain(const Sample<double>& sample, const std::vector<char>& left) {
  const auto spread = [&](int side) {  // 0, 1: of a side, 2: of all
    double weight = 0, sum = 0, squares = 0;
    std::vector<double> counts(static_cast<std::size_t>(std::max(1, sample.classes)), 0);
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (side < 2 && left[i] != side) continue;
      const double w = sample.weights.empty() ? 1 : sample.weights[i];
      weight += w;
      if (sample.classes > 0) {
        counts[static_cast<std::size_t>(sample.codes[i])] += w;
      } else {
        sum += w * sample.values[i];
        squares += w * sample.values[i] * sample.values[i];
      }
    }
    if (weight == 0) return 0.0;
    if (sample.classes == 0) return squares - sum * sum / weight;
    double share = 0;
    for (const double count : counts) share += count * count;
    return weight - share / weight;
  };
  return spread(2) - spread(0) - spread(1);
}

/// The best of all partings of the categories and missing values in two.
double best_of_all_subsets(const Sample<double>& sample, std::int64_t categories) {
  const double* x = sample.table.view().column(0);
  double best = 0;
  for (std::uint32_t mask = 1; mask < (1U << (categories + 1)); ++mask) {
    std::vector<char> left(sample.table.rows());
    for (std::size_t i = 0; i < left.size(); ++i) {
      const auto category = x[i] != x[i] ? categories : static_cast<std::int64_t>(x[i]);
      left[i] = (mask >> category & 1) != 0;
    }
    best = std::max(best, gain(sample, left));
  }
  return best;
}

TEST_F(Categories, OfANodeArePartedAsWellAsByAnySubset) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const std::int32_t classes : {0, 2, 3, 6}) {
      const int weights = static_cast<int>(seed % 3);
      auto sample = make_categories<double>({60, 2, classes, 9, seed % 2 * 0.1, weights, seed});
      std::fill_n(sample.table.column(1), 60, 0.0);
      const TreeParams params = with_categories({.max_depth = 1}, 2);
      const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target(), params);
      ASSERT_EQ(tree.nodes.size(), 3u);
      std::vector<char> left(60);
      for (std::size_t i = 0; i < left.size(); ++i) {
        left[i] = tree.goes_left(tree.nodes[0], sample.table.column(0)[i]);
      }
      EXPECT_NEAR(gain(sample, left), best_of_all_subsets(sample, 10), 1e-9) << seed;
    }
  }
}

TEST_F(Categories, ThatANodeDidNotSeeGoWhereMissingValuesGo) {
  Table<double> table(6, {"x"});
  const double x[] = {0, 0, 0, 2, 2, 5};
  std::copy(x, x + 6, table.column(0));
  const std::vector<std::int32_t> codes{0, 0, 0, 1, 1, 0};
  Target target;
  target.codes = codes.data();
  target.classes = 2;
  TreeParams params;
  params.categorical = {true};
  const Tree tree = fit_tree(cpu_, table.view(), target, params);
  ASSERT_EQ(tree.nodes.size(), 3u);
  EXPECT_EQ(tree.sets, (std::vector<CategorySet>{{true, true, false, true, true, true}}));
  EXPECT_TRUE(tree.nodes[0].missing_left);
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double other : {1.0, 3.0, 6.0, -1.0, 0.5, 1e300, none}) {
    EXPECT_TRUE(tree.goes_left(tree.nodes[0], other)) << other;
  }
}

TEST_F(Categories, ArePredictedAsTheTreeIsRead) {
  ForestParams params;
  params.trees = 7;
  // Sets that a word holds, with a bit for missing values, and larger ones.
  for (const std::int64_t levels : {20, 62, 63, 64, 130}) {
    const auto sample = make_categories<float>({400, 4, 3, levels, 0.1, 0, 7});
    for (const std::int64_t drawn : {1, 3}) {
      params.max_features = drawn;
      params.tree = with_categories({}, 4);
      const auto forest = fit_forest(cpu_, sample.table.view(), sample.target(), params);
      const auto expected = fit_forest(reference_, sample.table.view(), sample.target(), params);
      ASSERT_EQ(forest, expected);
      auto other = make_categories<float>({300, 4, 3, levels + 4, 0.1, 0, 8});
      constexpr float infinity = std::numeric_limits<float>::infinity();
      std::int64_t row = 0;
      for (const float odd :
           {2.5F, -1.0F, 63.0F, 64.0F, 1e9F, infinity, -infinity, std::nanf("")}) {
        for (std::int64_t f = 0; f < 4; ++f) other.table.column(f)[row++] = odd;
      }
      const Model model = model_of(sample, forest);
      const auto nodes = apply(cpu_, model, other.table.view());
      for (std::int64_t i = 0; i < 300; ++i) {
        for (std::int64_t t = 0; t < params.trees; ++t) {
          const Tree& tree = forest[static_cast<std::size_t>(t)];
          ASSERT_EQ(nodes(i, t),
                    leaf_of(tree, [&](std::int64_t f) { return other.table.column(f)[i]; }))
              << levels << " levels, row " << i;
        }
      }
    }
  }
}

TEST_F(Categories, KeepTheirSetsWhereATreeIsPruned) {
  const auto sample = make_categories<double>({200, 4, 2, 12, 0, 0, 9});
  const TreeParams params = with_categories({}, 4);
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target(), params);
  const Tree pruned = prune_cost_complexity(tree, 0.01);
  ASSERT_LT(pruned.sets.size(), tree.sets.size());
  std::int32_t next = 0;
  for (const Node& node : pruned.nodes) {
    if (node.set >= 0) {
      EXPECT_EQ(node.set, next++);
    }
    EXPECT_EQ(node.set >= 0, node.feature >= 0 && node.feature < 3);
  }
  EXPECT_EQ(next, std::ssize(pruned.sets));
}

TEST_F(Categories, AreWholeNumbersFromZero) {
  const std::vector<std::int32_t> codes{0, 1};
  Target target;
  target.codes = codes.data();
  target.classes = 2;
  TreeParams params;
  params.categorical = {true};
  for (const double x : {-1.0, 0.5, 1048576.0, HUGE_VAL}) {
    Table<double> table(2, {"x"});
    table.column(0)[0] = 0;
    table.column(0)[1] = x;
    EXPECT_EQ(refusal([&] { fit_tree(cpu_, table.view(), target, params); }),
              fmt::format("row 2, feature 1: a category is a whole number from 0 to 1048575, got "
                          "{}; number the categories",
                          x));
  }
  params.categorical = {true, false};
  Table<double> table(2, {"x"});
  std::fill_n(table.column(0), 2, 0.0);
  EXPECT_EQ(refusal([&] { fit_tree(cpu_, table.view(), target, params); }, ErrorCode::usage),
            "categorical: expected an entry for each of 1 features, got 2");
}

// Tests on GPUs took such samples and were refused before they compared anything.
TEST(Samples, OfManyLevelsHadClassesBelowZero) {
  for (const std::int32_t classes : {2, 4, 7}) {
    const auto sample = make_sample<float>({2000, 130, classes, 3000, 0.05, 0, 11});
    EXPECT_EQ(*std::min_element(sample.codes.begin(), sample.codes.end()), 0);
    EXPECT_EQ(*std::max_element(sample.codes.begin(), sample.codes.end()), classes - 1);
  }
}

}  // namespace
}  // namespace yupana::forest
