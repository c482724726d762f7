#include "yupana/forest/growth_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/prune.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

class Rules : public testing::Test {
 protected:
  static std::vector<TreeParams> all() {
    return {{.monotonic = {1, -1, 0, 1}},
            {.random_splits = true},
            {.monotonic = {0, 1, 1, -1}, .random_splits = true}};
  }
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};

/// Labels of 0 and more, for Poisson's deviance.
template <class T>
void make_counts(Sample<T>& sample) {
  for (double& y : sample.values) y = std::max(0.0, std::floor(3 + 2 * y));
}

/// How often a prediction (of class 1, or the number) falls where a feature rises, or rises where
/// it falls, over all rows and steps of the feature.
template <class T>
std::int64_t faults(Context& context,
                    const Sample<T>& sample,
                    const std::vector<Tree>& trees,
                    const std::vector<std::int8_t>& monotonic) {
  constexpr std::int64_t steps = 9;
  const Model model = model_of(sample, trees);
  std::int64_t count = 0;
  for (std::int64_t f = 0; f < sample.table.columns(); ++f) {
    Array<double> before;
    for (std::int64_t k = 0; k < steps; ++k) {
      Table<T> moved(sample.table.rows(), sample.table.names());
      for (std::int64_t c = 0; c < moved.columns(); ++c) {
        std::copy_n(sample.table.column(c), moved.rows(), moved.column(c));
      }
      std::fill_n(moved.column(f), moved.rows(), static_cast<T>(-0.6 + 0.15 * k));
      const Matrix<double> shares = predict_shares(context, model, moved.view());
      Array<double> now(moved.rows());
      for (std::int64_t i = 0; i < moved.rows(); ++i) now[i] = shares(i, shares.cols() - 1);
      for (std::int64_t i = 0; k > 0 && i < moved.rows(); ++i) {
        count += (now[i] - before[i]) * monotonic[static_cast<std::size_t>(f)] < 0;
      }
      before = std::move(now);
    }
  }
  return count;
}

TEST_F(Rules, TreesEqualTheReferenceOnAnyThreads) {
  std::uint64_t seed = 1;
  for (const std::int32_t classes : {0, 2}) {
    for (const double missing : {0.0, 0.2}) {
      for (const int weights : {0, 1, 2}) {
        for (const std::int64_t levels : {0, 6}) {
          const auto sample = make_sample<float>({200, 4, classes, levels, missing, weights, seed});
          for (TreeParams params : all()) {
            for (const std::int64_t leaves : {0, 9}) {
              params.min_samples_leaf = 2;
              params.max_leaf_nodes = leaves;
              params.seed = ++seed;
              const Tree expected =
                  fit_tree(reference_, sample.table.view(), sample.target(), params);
              for (const int threads : {1, 2, 7}) {
                Context context({.device = "cpu", .threads = threads});
                const Tree got = fit_tree(context, sample.table.view(), sample.target(), params);
                ASSERT_EQ(difference(expected, got), "") << classes << " " << missing;
              }
            }
          }
        }
      }
    }
  }
}

TEST_F(Rules, HoldForEveryCriterion) {
  auto sample = make_sample<double>({300, 4, 0, 0, 0, 0, 5});
  make_counts(sample);
  const auto two = make_sample<double>({300, 4, 2, 0, 0, 0, 5});
  const std::vector<std::int8_t> monotonic = {-1, 1, -1, 1};
  for (const Criterion criterion :
       {Criterion::variance, Criterion::poisson, Criterion::gini, Criterion::entropy}) {
    const bool is_class = criterion == Criterion::gini || criterion == Criterion::entropy;
    const auto& own = is_class ? two : sample;
    TreeParams params{.criterion = criterion};
    const Tree free = fit_tree(cpu_, own.table.view(), own.target(), params);
    params.monotonic = monotonic;
    const Tree bound = fit_tree(cpu_, own.table.view(), own.target(), params);
    EXPECT_GT(faults(cpu_, own, {free}, monotonic), 0);
    EXPECT_EQ(faults(cpu_, own, {bound}, monotonic), 0);
    EXPECT_GT(bound.leaves(), 4);
    EXPECT_EQ(faults(cpu_, own, {prune_cost_complexity(bound, 0.01)}, monotonic), 0);
  }
}

TEST_F(Rules, HoldForForestsThatEqualTheReference) {
  const std::vector<std::int8_t> monotonic = {1, 1, 0, -1};
  for (const std::int32_t classes : {0, 2}) {
    const auto sample = make_sample<float>({150, 4, classes, 0, 0.1, 0, 9});
    // One feature of four: nodes sort what they drew. All: lists.
    for (const std::int64_t drawn : {1, 0}) {
      for (const bool random : {false, true}) {
        ForestParams params{.trees = 6, .max_features = drawn};
        params.tree.monotonic = monotonic;
        params.tree.random_splits = random;
        const auto expected = fit_forest(reference_, sample.table.view(), sample.target(), params);
        const auto got = fit_forest(cpu_, sample.table.view(), sample.target(), params);
        EXPECT_TRUE(got == expected) << classes << " " << drawn << " " << random;
        EXPECT_EQ(faults(cpu_, sample, got, monotonic), 0);
      }
    }
  }
}

// Equal values, of which the missing ones are parted: their threshold was the zero of one row.
TEST_F(Rules, AThresholdOfZerosOfBothSignsHasOneSign) {
  Table<double> table(6, {"x"});
  const double zeros[] = {0.0, -0.0, 0.0, -0.0, NAN, NAN};
  const std::int32_t codes[] = {0, 0, 0, 0, 1, 1};
  for (const std::int64_t first : {0, 1}) {
    for (std::int64_t i = 0; i < 6; ++i) table.column(0)[i] = zeros[i < 4 ? (i + first) % 4 : i];
    Target target;
    target.codes = codes;
    target.classes = 2;
    for (Context* context : {&cpu_, &reference_}) {
      const Tree tree = fit_tree(*context, table.view(), target, {.random_splits = true});
      ASSERT_EQ(tree.leaves(), 2);
      EXPECT_EQ(tree.nodes[0].threshold, 0);
      EXPECT_FALSE(std::signbit(tree.nodes[0].threshold));
    }
  }
}

TEST_F(Rules, RandomThresholdsLieBetweenTheValuesOfTheirNodes) {
  const auto sample = make_sample<double>({400, 3, 2, 0, 0, 0, 3});
  std::set<double> thresholds;
  for (const std::uint64_t seed : {1, 2}) {
    const Tree tree =
        fit_tree(cpu_, sample.table.view(), sample.target(), {.seed = seed, .random_splits = true});
    std::vector<std::vector<std::int64_t>> rows(tree.nodes.size());
    for (std::int64_t i = 0; i < sample.table.rows(); ++i) rows[0].push_back(i);
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      const Node& node = tree.nodes[n];
      if (node.is_leaf()) continue;
      thresholds.insert(node.threshold);
      for (const std::int64_t i : rows[n]) {
        const double x = sample.table.column(node.feature)[i];
        EXPECT_NE(x, node.threshold);
        rows[x <= node.threshold ? node.left : node.right].push_back(i);
      }
      EXPECT_FALSE(rows[node.left].empty() || rows[node.right].empty());
    }
  }
  const Tree exact = fit_tree(cpu_, sample.table.view(), sample.target());
  for (const Node& node : exact.nodes) {
    EXPECT_TRUE(node.is_leaf() || thresholds.count(node.threshold) == 0);
  }
  EXPECT_GT(thresholds.size(), 100u);
}

TEST_F(Rules, OneHotColumnsGrowTheTreeOfTheirFeatures) {
  auto sample = make_sample<double>({200, 2, 2, 4, 0, 0, 8});
  double* const column = sample.table.column(1);
  for (std::int64_t i = 0; i < 200; ++i) column[i] = column[i] + 2;
  const TreeParams params{.one_hot = {0, 4}, .monotonic = {1, 0, 0, 0, 0}};
  const Tree got = fit_tree(cpu_, sample.table.view(), sample.target(), params);
  EXPECT_EQ(difference(got, fit_tree(reference_, sample.table.view(), sample.target(), params)),
            "");
  EXPECT_GT(got.leaves(), 2);
}

TEST_F(Rules, ThatGoWithNothingAreRefused) {
  const auto says = [&](std::int32_t classes, const TreeParams& params) {
    const auto sample = make_sample<float>({30, 2, classes, 3, 0, 0, 1});
    return refusal([&] { fit_tree(cpu_, sample.table.view(), sample.target(), params); },
                   ErrorCode::usage);
  };
  EXPECT_EQ(says(3, {.monotonic = {1, 0}}),
            "monotonic: expected numbers or two classes to predict, got 3 classes");
  EXPECT_EQ(says(2, {.monotonic = {1}}),
            "monotonic: expected an entry for each of 2 features, got 1");
  EXPECT_EQ(says(0, {.criterion = Criterion::absolute_error, .monotonic = {1, 0}}),
            "monotonic: expected another criterion than absolute errors");
  EXPECT_NE(says(2, {.categorical = {true, false}, .random_splits = true})
                .find("categorical: expected none"),
            std::string::npos);
}

}  // namespace
}  // namespace yupana::forest
