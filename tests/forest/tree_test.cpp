#include "yupana/forest/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/exact.hpp"
#include "yupana/forest/problem.hpp"
#include "yupana/forest/prune.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

class Trees : public testing::Test {
 protected:
  template <class T>
  void agree(const SampleParams& sample_params, TreeParams params) {
    const auto sample = make_sample<T>(sample_params);
    const Tree expected = fit_tree(reference_, sample.table.view(), sample.target(), params);
    const Tree got = fit_tree(cpu_, sample.table.view(), sample.target(), params);
    EXPECT_EQ(difference(expected, got), "")
        << text_of(sample_params) << ", criterion " << static_cast<int>(params.criterion)
        << ", max_features " << params.max_features;
  }
  Tree fit(const Table<double>& table, const Target& target, const TreeParams& params = {}) {
    const Tree tree = fit_tree(cpu_, table.view(), target, params);
    EXPECT_EQ(difference(fit_tree(reference_, table.view(), target, params), tree), "");
    return tree;
  }
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};

TEST_F(Trees, EqualTheReferenceNodeByNode) {
  const SampleRanges ranges{.rows = {1, 2, 3, 7, 8, 9, 17, 33, 121},
                            .classes = {0, 2, 3, 5},
                            .levels = {0, 2, 6},
                            .weighted_rows = 7};
  for_each_sample(ranges, [&](const SampleParams& sample) {
    agree<float>(sample, {});
    agree<double>(sample, {.criterion = Criterion::entropy, .min_samples_leaf = 2});
  });
}

TEST_F(Trees, EqualTheReferenceUnderEveryStoppingRule) {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    for (const std::int32_t classes : {0, 2, 4}) {
      const SampleParams sample{150, 6, classes, seed % 2 == 0 ? 4 : 0, 0.1, 0, seed};
      for (const Criterion criterion : {Criterion::gini, Criterion::entropy}) {
        agree<double>(sample, {.criterion = criterion, .max_depth = 1});
        agree<double>(sample, {.criterion = criterion, .max_depth = 3});
        agree<double>(sample, {.criterion = criterion, .min_samples_split = 20});
        agree<double>(sample, {.criterion = criterion, .min_samples_leaf = 13});
        agree<double>(sample, {.criterion = criterion, .min_impurity_decrease = 0.01});
        agree<double>(sample, {.criterion = criterion, .min_gain = 0.05});
        agree<double>(sample, {.criterion = criterion, .max_features = 2, .seed = seed});
      }
    }
  }
}

TEST_F(Trees, WhoseChildrenMustWeighEnoughEqualTheReference) {
  std::uint64_t seed = 40;
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const int weights : {0, 1, 2}) {
      for (const double fraction : {0.02, 0.1, 0.3, 0.5}) {
        const SampleParams sample{150, 4, classes, weights == 1 ? 6 : 0, 0.1, weights, ++seed};
        const TreeParams params{.min_weight_fraction_leaf = fraction, .min_gain = 1e-9};
        agree<double>(sample, params);
        const auto made = make_sample<double>(sample);
        const Tree tree = fit_tree(cpu_, made.table.view(), made.target(), params);
        for (const Node& node : tree.nodes) {
          EXPECT_GE(node.weight, fraction * tree.nodes[0].weight * (1 - 1e-9));
        }
      }
    }
  }
}

/// Expands, of all leaves that would be split, the one that gains most, again and again.
std::vector<std::int32_t> expanded_best_first(const Tree& tree, std::int64_t leaves) {
  std::vector<std::int32_t> open{0}, split;
  while (std::ssize(split) + 1 < leaves) {
    std::int32_t best = -1;
    double most = -1;
    for (const std::int32_t i : open) {
      const Node& node = tree.nodes[i];
      if (node.is_leaf()) continue;
      double gain = node.weight * node.impurity;
      for (const std::int32_t child : {node.left, node.right}) {
        gain -= tree.nodes[child].weight * tree.nodes[child].impurity;
      }
      if (gain > most || (gain == most && i < best)) most = gain, best = i;
    }
    if (best < 0) break;
    std::erase(open, best);
    split.push_back(best);
    open.push_back(tree.nodes[best].left);
    open.push_back(tree.nodes[best].right);
  }
  std::sort(split.begin(), split.end());
  return split;
}

TEST_F(Trees, OfFewLeavesSplitTheBestLeafNext) {
  std::uint64_t seed = 70;
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const std::int64_t leaves : {2, 3, 4, 9, 40, 1000}) {
      const auto sample = make_sample<double>({400, 4, classes, 0, 0.1, 0, ++seed});
      const Tree whole = fit(sample.table, sample.target());
      const Tree few = fit(sample.table, sample.target(), {.max_leaf_nodes = leaves});
      EXPECT_EQ(few.leaves(), std::min(leaves, whole.leaves()));
      const std::vector<std::int32_t> split = expanded_best_first(whole, leaves);
      std::vector<char> is_leaf(whole.nodes.size(), 1);
      for (const std::int32_t i : split) is_leaf[static_cast<std::size_t>(i)] = 0;
      EXPECT_EQ(difference(compacted(whole, is_leaf), few), "");
      const Tree flat =
          fit(sample.table, sample.target(), {.max_depth = 2, .max_leaf_nodes = leaves});
      EXPECT_EQ(flat.leaves(), std::min<std::int64_t>(leaves, 4));
    }
  }
}

TEST_F(Trees, OfFewLeavesGrowAsDeepAsTheyMust) {
  // The largest number leaves at each level: deeper than what is tried first.
  constexpr std::int64_t rows = 15;
  Table<double> table(rows, {"x"});
  std::vector<double> values;
  for (std::int64_t i = 0; i < rows; ++i) {
    table.column(0)[i] = static_cast<double>(i);
    values.push_back(std::ldexp(1.0, 2 * static_cast<int>(i)));
  }
  Target target;
  target.values = values.data();
  for (const std::int64_t leaves : {2, 12, 14}) {
    const Tree tree = fit(table, target, {.max_leaf_nodes = leaves});
    EXPECT_EQ(tree.leaves(), leaves);
    EXPECT_EQ(tree.depth(), leaves - 1);
  }
}

TEST_F(Trees, LargeNodesGrownByAllThreadsEqualTheReference) {
  // More rows than one thread grows alone; few values, so that the reference has little to try.
  for (const std::int32_t classes : {0, 2, 3}) {
    agree<float>({33003, 2, classes, 3, 0.05, 0, 5}, {.max_depth = 2});
    agree<float>({50021, 3, classes, 2, 0, 1, 6}, {.max_depth = 2, .max_features = 2});
  }
}

TEST_F(Trees, AreTheSameForAnyThreads) {
  for (const std::int32_t classes : {0, 2, 7}) {
    const auto sample = make_sample<float>({100003, 4, classes, 0, 0.01, 0, 3});
    const TreeParams params{.max_depth = 12};
    const Tree expected = fit_tree(cpu_, sample.table.view(), sample.target(), params);
    for (const int threads : {1, 7}) {
      Context context({.device = "cpu", .threads = threads});
      const Tree tree = fit_tree(context, sample.table.view(), sample.target(), params);
      EXPECT_EQ(difference(expected, tree), "") << threads;
    }
  }
}

TEST_F(Trees, DoNotDependOnTheOrderOfRows) {
  for (const std::int32_t classes : {0, 3}) {
    const auto sample = make_sample<double>({500, 4, classes, 5, 0.1, 2, 8});
    auto turned = make_sample<double>({500, 4, classes, 5, 0.1, 2, 8});
    for (std::int64_t i = 0; i < 500; ++i) {
      const std::int64_t from = (i * 137 + 11) % 500;
      for (std::int64_t f = 0; f < 4; ++f) {
        turned.table.column(f)[i] = sample.table.column(f)[from];
      }
      if (classes > 0) turned.codes[i] = sample.codes[from];
      if (classes == 0) turned.values[i] = sample.values[from];
      turned.weights[i] = sample.weights[from];
    }
    const Tree a = fit(sample.table, sample.target(), {.max_features = 2});
    const Tree b = fit(turned.table, turned.target(), {.max_features = 2});
    EXPECT_EQ(difference(a, b), "");
  }
}

TEST_F(Trees, WholeWeightsEqualRepeatedRows) {
  const auto sample = make_sample<double>({200, 3, 3, 0, 0, 1, 4});
  std::vector<std::int64_t> from;
  for (std::int64_t i = 0; i < 200; ++i) {
    for (int k = 0; k < static_cast<int>(sample.weights[i]); ++k) from.push_back(i);
  }
  Sample<double> repeated;
  repeated.table = Table<double>(std::ssize(from), sample.table.names());
  repeated.classes = 3;
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (std::int64_t f = 0; f < 3; ++f) {
      repeated.table.column(f)[i] = sample.table.column(f)[from[i]];
    }
    repeated.codes.push_back(sample.codes[from[i]]);
  }
  Tree a = fit(sample.table, sample.target()), b = fit(repeated.table, repeated.target());
  for (Tree* tree : {&a, &b}) {
    for (Node& node : tree->nodes) {
      // Where missing values would go is a matter of rows, not of weight.
      node.rows = 0;
      node.missing_left = false;
    }
  }
  EXPECT_EQ(difference(a, b), "");
}

Table<double> one_column(const std::vector<double>& values) {
  Table<double> table(std::ssize(values), {"x"});
  std::copy(values.begin(), values.end(), table.column(0));
  return table;
}

Target classes_of(const std::vector<std::int32_t>& codes, std::int32_t classes = 2) {
  Target target;
  target.codes = codes.data();
  target.classes = classes;
  return target;
}

TEST_F(Trees, TheFirstFeatureAndTheLowestThresholdWinTies) {
  Table<double> table(4, {"a", "b"});
  for (int f = 0; f < 2; ++f) {
    for (int i = 0; i < 4; ++i) table.column(f)[i] = f == 0 ? i : -i;
  }
  const std::vector<std::int32_t> codes{0, 1, 1, 0};
  const Tree tree = fit(table, classes_of(codes));
  EXPECT_EQ(tree.nodes[0].feature, 0);
  EXPECT_EQ(tree.nodes[0].threshold, 0.5);
}

TEST_F(Trees, AMidpointThatRoundsToTheUpperValueIsTheLower) {
  const double a = 1.0 + std::ldexp(1.0, -52), b = 1.0 + std::ldexp(2.0, -52);
  EXPECT_EQ(midpoint(a, b), a);
  EXPECT_EQ(midpoint(1e308, 1.7e308), 1.35e308);
  EXPECT_EQ(midpoint(-HUGE_VAL, HUGE_VAL), -HUGE_VAL);
  EXPECT_EQ(midpoint(3.0, HUGE_VAL), 3.0);
  EXPECT_EQ(midpoint(5e-324, 1e-323), 5e-324);
  const std::vector<std::int32_t> codes{0, 1};
  const Tree tree = fit(one_column({a, b}), classes_of(codes));
  EXPECT_EQ(leaf_of(tree, [&](int) { return a; }), 1);
  EXPECT_EQ(leaf_of(tree, [&](int) { return b; }), 2);
}

TEST_F(Trees, ValuesCloserThanFloatsAreSplitInDoubles) {
  const std::vector<double> x{1.0, 1.0 + 1e-9, 1.0 + 2e-9};
  const std::vector<std::int32_t> codes{0, 1, 0};
  const Tree tree = fit(one_column(x), classes_of(codes));
  EXPECT_EQ(tree.leaves(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(tree.value(leaf_of(tree, [&](int) { return x[i]; }))[codes[i]], 1);
  }
}

TEST_F(Trees, AValueEqualToTheThresholdGoesLeft) {
  const std::vector<std::int32_t> codes{0, 1};
  const Tree tree = fit(one_column({1, 3}), classes_of(codes));
  EXPECT_EQ(tree.nodes[0].threshold, 2);
  EXPECT_EQ(leaf_of(tree, [](int) { return 2.0; }), tree.nodes[0].left);
}

TEST_F(Trees, ZerosOfEitherSignAreOneValue) {
  const std::vector<std::int32_t> codes{0, 1, 0, 1};
  EXPECT_EQ(fit(one_column({0.0, -0.0, 0.0, -0.0}), classes_of(codes)).nodes.size(), 1u);
}

TEST_F(Trees, InfinitiesAreValuesLikeOthers) {
  const std::vector<std::int32_t> codes{0, 1, 0};
  const Tree tree = fit(one_column({-HUGE_VAL, 0, HUGE_VAL}), classes_of(codes));
  EXPECT_EQ(tree.leaves(), 3);
  EXPECT_EQ(tree.value(leaf_of(tree, [](int) { return HUGE_VAL; }))[0], 1);
}

TEST_F(Trees, MissingValuesGoToTheSideThatGainsMore) {
  const double nan = std::nan("");
  const std::vector<std::int32_t> codes{0, 0, 1, 1, 0, 0};
  const Tree left = fit(one_column({1, 2, 3, 4, nan, nan}), classes_of(codes));
  EXPECT_TRUE(left.nodes[0].missing_left);
  EXPECT_EQ(left.nodes[0].threshold, 2.5);
  EXPECT_EQ(left.leaves(), 2);
  const std::vector<std::int32_t> apart{0, 0, 0, 0, 1, 1};
  const Tree alone = fit(one_column({1, 2, 3, 4, nan, nan}), classes_of(apart));
  EXPECT_EQ(alone.nodes[0].threshold, HUGE_VAL);
  EXPECT_FALSE(alone.nodes[0].missing_left);
}

TEST_F(Trees, MissingValuesGoToTheLargerChildWhereNoneWasSeen) {
  const std::vector<std::int32_t> codes{0, 0, 1};
  EXPECT_TRUE(fit(one_column({1, 2, 3}), classes_of(codes)).nodes[0].missing_left);
  const std::vector<std::int32_t> other{0, 1, 1};
  EXPECT_FALSE(fit(one_column({1, 2, 3}), classes_of(other)).nodes[0].missing_left);
}

TEST_F(Trees, MinImpurityDecreaseIsWeightedByTheNodeAndMinGainIsNot) {
  // The root's gain is small, the gain of one of its children is all of that child's impurity, but
  // the child holds a quarter of the rows.
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<std::int32_t> codes{0, 0, 0, 0, 0, 0, 1, 0};
  const Target target = classes_of(codes);
  const Tree all = fit(one_column(x), target);
  ASSERT_EQ(all.leaves(), 3);
  const double root_gain = all.nodes[0].impurity - 0.25 * 0.5;
  EXPECT_EQ(all.nodes[2].impurity, 0.5);
  EXPECT_EQ(fit(one_column(x), target, {.min_gain = root_gain + 0.01}).leaves(), 1);
  EXPECT_EQ(fit(one_column(x), target, {.min_impurity_decrease = 0.1}).leaves(), 2 - 1);
  EXPECT_EQ(fit(one_column(x), target, {.min_impurity_decrease = root_gain}).leaves(), 3);
  EXPECT_EQ(fit(one_column(x), target, {.min_gain = root_gain}).leaves(), 3);
}

TEST_F(Trees, AClassWithoutRowsKeepsItsPlace) {
  const std::vector<std::int32_t> codes{0, 3, 3};
  const Tree tree = fit(one_column({1, 2, 3}), classes_of(codes, 5));
  EXPECT_EQ(tree.outputs, 5);
  EXPECT_EQ(tree.value(0)[3], 2);
}

TEST_F(Trees, OneClassIsALeaf) {
  const std::vector<std::int32_t> codes{1, 1, 1};
  EXPECT_EQ(fit(one_column({1, 2, 3}), classes_of(codes)).nodes.size(), 1u);
}

TEST_F(Trees, NumbersFarFromZeroAreSplitAsIfTheyWereNear) {
  std::vector<double> y{1, 2, 1, 2, 7, 8, 7, 9}, far;
  for (const double value : y) far.push_back(value + 1e12);
  Target near_target, far_target;
  near_target.values = y.data();
  far_target.values = far.data();
  const auto table = one_column({1, 2, 3, 4, 5, 6, 7, 8});
  const Tree a = fit(table, near_target, {.max_depth = 2});
  const Tree b = fit(table, far_target, {.max_depth = 2});
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].threshold, b.nodes[i].threshold);
    EXPECT_NEAR(a.values[i] + 1e12, b.values[i], 1e-3);
  }
}

TEST_F(Trees, FractionsAreComparedWithoutRounding) {
  const Wide big = Wide{1} << 124;
  const Fraction x{big, (1ull << 40) - 1, big, 1ull << 40};
  EXPECT_EQ(compare(x, x), 0);
  EXPECT_EQ(compare(x, Fraction{x.b, x.m, x.a, x.n}), 0);
  EXPECT_EQ(compare(x, Fraction{x.a + 1, x.n, x.b, x.m}), -1);
  EXPECT_EQ(compare(Fraction{1, 3, 1, 6}, Fraction{1, 2, 0, 1}), 0);
  EXPECT_EQ(compare(Fraction{1, 3, 1, 7}, Fraction{1, 2, 0, 1}), -1);
}

TEST_F(Trees, BadInputIsOneLine) {
  const auto table = one_column({1, 2});
  std::vector<std::int32_t> codes{0, 2};
  const auto fault = [&](const Target& target,
                         const TreeParams& params = {},
                         ErrorCode code = ErrorCode::bad_input) {
    return refusal([&] { fit_tree(cpu_, table.view(), target, params); }, code);
  };
  EXPECT_EQ(fault(classes_of(codes)), "row 2: class 2 is none of 2");
  codes = {0, 1};
  Target target = classes_of(codes);
  const auto usage = [&](const TreeParams& params) {
    return fault(target, params, ErrorCode::usage);
  };
  EXPECT_EQ(usage({.max_depth = 0}),
            "max_depth: expected at least 1 (a tree of depth 0 splits nothing), got 0");
  EXPECT_EQ(usage({.min_samples_split = 1}), "min_samples_split: expected at least 2, got 1");
  EXPECT_EQ(usage({.min_samples_leaf = 0}), "min_samples_leaf: expected at least 1, got 0");
  EXPECT_EQ(usage({.min_weight_fraction_leaf = 0.6}),
            "min_weight_fraction_leaf: expected 0 to 0.5, got 0.6");
  EXPECT_EQ(usage({.max_leaf_nodes = 1}),
            "max_leaf_nodes: expected at least 2 (0: unlimited), got 1");
  EXPECT_EQ(usage({.max_features = 2}), "max_features: expected 1 to 1 (0: all), got 2");
  std::vector<double> weights{1, -1};
  target.weights = weights.data();
  EXPECT_EQ(fault(target), "row 2: expected a weight of 0 or more, got -1");
  weights = {0, 0};
  EXPECT_EQ(fault(target), "every weight is 0; some row must count");
  Target numbers;
  const std::vector<double> values{1, std::nan("")};
  numbers.values = values.data();
  EXPECT_EQ(fault(numbers), "row 2: the label is missing or infinite; leave such rows out");
  EXPECT_EQ(refusal([&] { fit_tree(cpu_, TableView<double>{}, classes_of(codes)); }),
            "a table of 0 rows and 0 features is empty");
}

}  // namespace
}  // namespace yupana::forest
