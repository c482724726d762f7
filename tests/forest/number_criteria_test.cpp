#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/lists.hpp"
#include "yupana/forest/median.hpp"
#include "yupana/forest/one_hot.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

constexpr Criterion criteria[] = {Criterion::absolute_error, Criterion::poisson};

/// Numbers of 0 and more, as Poisson's deviance wants them; some are 0.
template <class T>
Sample<T> counts(SampleParams params) {
  params.classes = 0;
  Sample<T> sample = make_sample<T>(params);
  for (double& y : sample.values) y = std::max(0.0, y + 0.5);
  sample.values.back() = 3;
  if (params.weights > 0) sample.weights.back() = 1;
  return sample;
}

class NumberCriteria : public testing::Test {
 protected:
  template <class T>
  Tree agree(const SampleParams& shape, const TreeParams& params) {
    const auto sample = counts<T>(shape);
    const Tree expected = fit_tree(reference_, sample.table.view(), sample.target(), params);
    const Tree got = fit_tree(cpu_, sample.table.view(), sample.target(), params);
    EXPECT_EQ(difference(expected, got), "")
        << text_of(shape) << ", criterion " << static_cast<int>(params.criterion);
    return got;
  }
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};

TEST_F(NumberCriteria, EqualTheReferenceNodeByNode) {
  std::size_t nodes = 0;
  const SampleRanges ranges{
      .rows = {1, 2, 3, 7, 8, 9, 17, 33, 121}, .classes = {0}, .levels = {0, 2, 6}};
  for_each_sample(ranges, [&](const SampleParams& shape) {
    for (const Criterion criterion : criteria) {
      nodes += agree<float>(shape, {.criterion = criterion}).nodes.size();
      agree<double>(shape, {.criterion = criterion, .min_samples_leaf = 2});
    }
  });
  EXPECT_GT(nodes, 1000u);
}

TEST_F(NumberCriteria, EqualTheReferenceUnderEveryStoppingRule) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    for (const Criterion criterion : criteria) {
      const SampleParams shape{150, 6, 0, seed % 2 == 0 ? 4 : 0, 0.1, 0, seed};
      agree<double>(shape, {.criterion = criterion, .max_depth = 3});
      agree<double>(shape, {.criterion = criterion, .min_weight_fraction_leaf = 0.1});
      agree<double>(shape, {.criterion = criterion, .max_leaf_nodes = 9});
      agree<double>(shape, {.criterion = criterion, .min_impurity_decrease = 0.01});
      agree<double>(shape, {.criterion = criterion, .max_features = 2, .seed = seed});
    }
  }
}

TEST_F(NumberCriteria, OfForestsEqualTheReference) {
  const auto sample = counts<double>({200, 12, 0, 0, 0.1, 1, 8});
  for (const Criterion criterion : criteria) {
    for (const std::int64_t drawn : {2, 8}) {  // by ranks of rows, by lists
      ForestParams params{.trees = 5, .max_features = drawn};
      params.tree.criterion = criterion;
      const auto expected = fit_forest(reference_, sample.table.view(), sample.target(), params);
      const auto got = fit_forest(cpu_, sample.table.view(), sample.target(), params);
      for (std::size_t t = 0; t < 5; ++t) {
        EXPECT_EQ(difference(expected[t], got[t]), "");
      }
    }
  }
}

TEST_F(NumberCriteria, OfFeaturesThatAreNotMadeGiveTheTreeOfThoseThatAre) {
  auto sample = counts<double>({150, 2, 0, 5, 0.1, 0, 5});
  Table<double>& table = sample.table;
  for (double* x = table.column(0); x != table.column(0) + table.rows(); ++x) *x += 3;
  const std::vector<std::int64_t> starts{0, 50, 80, 150, 150};
  std::vector<std::uint32_t> rows;
  std::vector<double> values;
  for (std::int64_t i = 0; i < 150; ++i) {
    rows.push_back(static_cast<std::uint32_t>(i < 50 ? 3 * i : i < 80 ? i : i - 80));
    values.push_back(static_cast<double>(i % 7) - 3.5);
  }
  const SparseColumns<double> sparse{150, 4, starts.data(), rows.data(), values.data()};
  for (const Criterion criterion : criteria) {
    const TreeParams params{.criterion = criterion, .one_hot = {6, 0}};
    const auto made = with_features(table.view(), params.one_hot);
    const Tree tree = fit_tree(cpu_, made.view(), sample.target(), {.criterion = criterion});
    EXPECT_GT(tree.nodes.size(), 30u);
    EXPECT_EQ(difference(tree, fit_tree(cpu_, table.view(), sample.target(), params)), "");
    const TreeParams plain{.criterion = criterion};
    EXPECT_EQ(difference(fit_tree(cpu_, with_zeros(sparse).view(), sample.target(), plain),
                         fit_sparse_tree(cpu_, sparse, sample.target(), plain)),
              "");
  }
}

TEST_F(NumberCriteria, PoissonPartsCategoriesBestInOrderOfTheirMeans) {
  auto sample = counts<double>({120, 3, 0, 5, 0.1, 0, 6});
  for (std::int64_t f = 0; f < 3; ++f) {
    double* x = sample.table.column(f);
    for (std::int64_t i = 0; i < 120; ++i) x[i] = std::floor(std::fabs(x[i]));
  }
  TreeParams params{.criterion = Criterion::poisson, .categorical = {true, false, true}};
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target(), params);
  EXPECT_GT(tree.sets.size(), 3u);
  EXPECT_EQ(difference(fit_tree(reference_, sample.table.view(), sample.target(), params), tree),
            "");
  params.criterion = Criterion::absolute_error;
  EXPECT_EQ(refusal([&] { fit_tree(cpu_, sample.table.view(), sample.target(), params); },
                    ErrorCode::usage),
            "categorical: expected none with absolute errors, whose best parting no order has; "
            "make a feature of each category, or take another criterion");
}

/// Five rows in order of one feature.
Table<double> line() {
  Table<double> table(5, {"x"});
  for (std::int64_t i = 0; i < 5; ++i) table.column(0)[i] = static_cast<double>(i);
  return table;
}

TEST_F(NumberCriteria, MediansByHand) {
  // Errors of the cuts: 0 + 100, 1 + 97, 4 + 97, 5 + 0; below, 0 + 3, 1 + 2 and 4 + 0.
  const std::vector<double> y{1, 2, 5, 3, 100};
  const Target target{.values = y.data()};
  const TreeParams params{.criterion = Criterion::absolute_error, .max_depth = 2};
  for (Context* context : {&cpu_, &reference_}) {
    const Tree tree = fit_tree(*context, line().view(), target, params);
    ASSERT_EQ(tree.nodes.size(), 5u);
    EXPECT_EQ(tree.nodes[0].threshold, 3.5);
    EXPECT_EQ(tree.nodes[0].impurity, (2 + 1 + 2 + 0 + 97) / 5.0);
    EXPECT_EQ(tree.nodes[1].impurity, (1.5 + 0.5 + 2.5 + 0.5) / 4);
    EXPECT_EQ(tree.values, (std::vector<double>{3, 2.5, 1, 3, 100}));
  }
}

TEST_F(NumberCriteria, PoissonByHandNoChildIsOfZerosAlone) {
  const std::vector<double> y{0, 0, 1, 2, 9};
  const Target target{.values = y.data()};
  for (Context* context : {&cpu_, &reference_}) {
    const Tree tree = fit_tree(*context, line().view(), target, {.criterion = Criterion::poisson});
    ASSERT_EQ(tree.nodes.size(), 5u);
    EXPECT_EQ(tree.nodes[0].threshold, 3.5);
    const double root = (1 * std::log(1 / 2.4) + 2 * std::log(2 / 2.4) + 9 * std::log(9 / 2.4)) / 5;
    EXPECT_NEAR(tree.nodes[0].impurity, root, 1e-15);
    EXPECT_NEAR(tree.nodes[1].impurity, (std::log(1 / 0.75) + 2 * std::log(2 / 0.75)) / 4, 1e-15);
    EXPECT_EQ(tree.nodes[1].threshold, 2.5);  // not 1.5, whose left rows are 0
    EXPECT_EQ(tree.values[4], 9);
  }
}

TEST_F(NumberCriteria, ErrorsOfPartsAreThoseOfTheirRowsAlone) {
  for (const int weights : {0, 1, 2}) {
    const auto sample = counts<double>({60, 1, 0, weights == 1 ? 5 : 0, 0, weights, 11});
    const Problem problem = make_problem(60, sample.target(), Criterion::absolute_error);
    std::vector<std::uint32_t> rows, left;
    for (std::uint32_t i = 0; i < 60; ++i) {
      if (problem.weight(i) > 0) rows.push_back(i);
    }
    const SortedLabels all(problem, rows.data(), std::ssize(rows));
    PartedLabels parts(all);
    while (rows.size() > 1) {
      const std::uint32_t row = rows[rows.size() * 3 / 7];
      std::erase(rows, row);
      left.push_back(row);
      parts.move(problem, row);
      const SortedLabels a(problem, left.data(), std::ssize(left));
      const SortedLabels b(problem, rows.data(), std::ssize(rows));
      EXPECT_TRUE(parts.error() == a.error() + b.error());
      EXPECT_EQ(parts.lighter(), std::min(a.weight(), b.weight()));
    }
  }
}

TEST_F(NumberCriteria, LogarithmsAreThoseOfTheMathLibrary) {
  RandomSequence random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto n = static_cast<std::int64_t>(random.word() >> (2 + i % 60)) + 1;
    const double expected = std::log2(static_cast<double>(n));
    EXPECT_NEAR(std::ldexp(static_cast<double>(fixed_log2(n)), -57), expected, 2e-14) << n;
  }
}

TEST_F(NumberCriteria, WithoutSenseAreRefused) {
  const auto fitted = [&](const std::vector<double>& y, Criterion criterion) {
    fit_tree(cpu_, line().view(), Target{.values = y.data()}, {.criterion = criterion});
  };
  EXPECT_EQ(refusal([&] {
              fitted({1, 2, -1, 3, 4}, Criterion::poisson);
            }),
            "row 3: expected 0 or more for Poisson's deviance, got -1");
  EXPECT_EQ(refusal([&] {
              fitted({0, 0, 0, 0, 0}, Criterion::poisson);
            }),
            "the labels add up to 0; Poisson's deviance needs more than 0, and a double");
  const std::vector<std::int32_t> codes{0, 1, 0, 1, 1};
  const Target classes{.codes = codes.data(), .classes = 2};
  for (const Criterion criterion : criteria) {
    EXPECT_EQ(refusal([&] { fit_tree(cpu_, line().view(), classes, {.criterion = criterion}); },
                      ErrorCode::usage),
              "criterion: expected gini or entropy, of classes; got one of numbers");
  }
}

TEST_F(NumberCriteria, OfLabelsOfEverySizeEqualTheReference) {
  for (const double scale : {1e-300, 1e-12, 1e12, 1e290}) {
    auto sample = counts<double>({80, 3, 0, 0, 0, 2, 21});
    for (double& y : sample.values) y *= scale;
    for (const Criterion criterion : criteria) {
      const TreeParams params{.criterion = criterion, .min_samples_leaf = 3};
      const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target(), params);
      EXPECT_GT(tree.nodes.size(), 20u);
      EXPECT_EQ(
          difference(fit_tree(reference_, sample.table.view(), sample.target(), params), tree), "");
      EXPECT_TRUE(tree.nodes[0].impurity > 0 && tree.nodes[0].impurity < HUGE_VAL);
    }
  }
}

}  // namespace
}  // namespace yupana::forest
