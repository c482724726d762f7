#include "yupana/forest/forest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/packed.hpp"
#include "yupana/forest/predict.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {
namespace {

using test::refusal;

class Forests : public testing::Test {
 protected:
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};

TEST_F(Forests, EqualTheReferenceForEverySamplingOnAnyThreads) {
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const int weights : {0, 2}) {
      const auto sample = make_sample<float>({120, 5, classes, 0, 0.1, weights, 7});
      for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
        ForestParams params{.trees = 5, .sampling = sampling};
        params.tree.seed = 3;
        const auto table = sample.table.view();
        const std::vector<Tree> expected = fit_forest(reference_, table, sample.target(), params);
        const OutOfBag held = out_of_bag(reference_, expected, table, sample.target(), params);
        for (const int threads : {1, 2, 7}) {
          Context context({.device = "cpu", .threads = threads});
          const std::vector<Tree> got = fit_forest(context, table, sample.target(), params);
          EXPECT_TRUE(got == expected) << classes << " " << weights;
          const OutOfBag found = out_of_bag(context, got, table, sample.target(), params);
          EXPECT_EQ(found.score, held.score);
          EXPECT_EQ(found.rows, held.rows);
          ASSERT_EQ(found.values.size(), held.values.size());
          if (sampling == Sampling::all) continue;
          EXPECT_EQ(0, std::memcmp(found.values.data(), held.values.data(), held.values.bytes()));
        }
      }
    }
  }
}

TEST_F(Forests, ThatDrawFewOfManyFeaturesEqualTheReference) {
  // One in four or more: nodes sort what they drew. Few levels make most drawn features constant.
  const SampleRanges ranges{.features = 10,
                            .rows = {130},
                            .classes = {0, 1, 2, 3, 9},
                            .levels = {0, 1, 3},
                            .missing = {0.0, 0.3}};
  for_each_sample(ranges, [&](const SampleParams& shape) {
    const auto sample = make_sample<double>(shape);
    const std::uint64_t seed = shape.seed;
    for (const Criterion criterion : {Criterion::gini, Criterion::entropy}) {
      ForestParams params{.trees = 3, .max_features = 1 + static_cast<int>(seed % 2)};
      params.sampling = seed % 4 == 0 ? Sampling::partition : Sampling::bootstrap;
      params.tree.criterion = criterion;
      params.tree.seed = seed;
      params.tree.min_samples_leaf = 1 + static_cast<int>(seed % 5);
      params.tree.min_gain = seed % 7 == 0 ? 0.01 : 0;
      const auto table = sample.table.view();
      const auto expected = fit_forest(reference_, table, sample.target(), params);
      const auto got = fit_forest(cpu_, table, sample.target(), params);
      EXPECT_TRUE(got == expected) << seed;
    }
  });
}

TEST_F(Forests, ThatDrawFewFeaturesEqualThoseOfPartedListsOnLargeNodes) {
  // A tree with the same draws: its lists hold every feature. More rows than a radix bucket.
  const auto sample = make_sample<float>({70001, 10, 2, 0, 0.01, 0, 5});
  ForestParams params{.trees = 2, .sampling = Sampling::all, .max_features = 2};
  params.tree.max_depth = 9;
  const auto got = fit_forest(cpu_, sample.table.view(), sample.target(), params);
  for (std::size_t t = 0; t < 2; ++t) {
    TreeParams own = params.tree;
    own.max_features = 2;
    own.seed = Random(params.tree.seed, t + 1).key();
    const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target(), own);
    EXPECT_TRUE(got[t] == tree);
  }
}

TEST_F(Forests, OfEveryLimitEqualTheReference) {
  std::uint64_t seed = 90;
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const int weights : {0, 2}) {
      for (const std::int64_t drawn_features : {1, 8}) {
        for (const std::int64_t samples : {0, 50, 300}) {
          const auto sample = make_sample<float>({130, 8, classes, 0, 0.1, weights, ++seed});
          ForestParams params{.trees = 3, .max_samples = samples, .max_features = drawn_features};
          params.tree.seed = seed;
          params.tree.min_weight_fraction_leaf = 0.05;
          params.tree.max_leaf_nodes = 6;
          const auto expected =
              fit_forest(reference_, sample.table.view(), sample.target(), params);
          const auto got = fit_forest(cpu_, sample.table.view(), sample.target(), params);
          EXPECT_TRUE(got == expected) << seed;
          for (const Tree& tree : got) EXPECT_LE(tree.leaves(), 6);
        }
      }
    }
  }
}

TEST_F(Forests, SayWhichRowsATreeSaw) {
  const auto sample = make_sample<float>({103, 3, 2, 0, 0, 0, 7});
  for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
    ForestParams params{.trees = 4, .sampling = sampling};
    params.max_samples = sampling == Sampling::bootstrap ? 40 : 0;
    params.max_features = 0;
    const auto grown = fit_forest(cpu_, sample.table.view(), sample.target(), params);
    for (std::int64_t t = 0; t < 4; ++t) {
      const auto rows = rows_of_tree(params, 103, t);
      Sample<float> own;
      own.table = Table<float>(std::ssize(rows), sample.table.names());
      own.classes = 2;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        own.codes.push_back(sample.codes[rows[i]]);
        for (std::int64_t f = 0; f < 3; ++f) {
          own.table.column(f)[i] = sample.table.column(f)[rows[i]];
        }
      }
      const TreeParams again = params_of_tree(params, t, 3, true);
      const Tree tree = fit_tree(cpu_, own.table.view(), own.target(), again);
      EXPECT_EQ(difference(tree, grown[static_cast<std::size_t>(t)]), "");
    }
  }
  ForestParams parts{.sampling = Sampling::partition, .max_samples = 5};
  EXPECT_EQ(refusal([&] { rows_of_tree(parts, 103, 0); }, ErrorCode::usage),
            "--max-samples: only trees of a bootstrap draw rows");
  parts.sampling = Sampling::bootstrap;
  parts.max_samples = 65 * 103;
  EXPECT_EQ(refusal([&] { rows_of_tree(parts, 103, 0); }),
            "--max-samples: expected 1 to 6592 (64 for each row), got 6695");
}

TEST_F(Forests, PartsAreDisjointAndHoldEveryRowOnce) {
  const auto sample = make_sample<float>({103, 2, 2, 0, 0, 0, 7});
  const auto result = fit_forest(
      cpu_, sample.table.view(), sample.target(), {.trees = 10, .sampling = Sampling::partition});
  std::int64_t rows = 0;
  for (const Tree& tree : result) {
    EXPECT_TRUE(tree.nodes[0].rows == 10 || tree.nodes[0].rows == 11);
    rows += tree.nodes[0].rows;
  }
  EXPECT_EQ(rows, 103);
}

TEST_F(Forests, ARangeHasTheTreesOfTheWholeForest) {
  const auto sample = make_sample<float>({103, 3, 3, 0, 0.1, 0, 7});
  for (const Sampling sampling : {Sampling::bootstrap, Sampling::partition, Sampling::all}) {
    ForestParams params{.trees = 7, .sampling = sampling};
    params.max_features = 1;
    const auto whole = fit_forest(cpu_, sample.table.view(), sample.target(), params);
    params.trees = 3, params.first_tree = 2, params.all_trees = 7;
    const auto part = fit_forest(cpu_, sample.table.view(), sample.target(), params);
    ASSERT_EQ(part.size(), 3u);
    for (std::size_t t = 0; t < 3; ++t) EXPECT_TRUE(part[t] == whole[t + 2]) << t;
    params.first_tree = 5;
    EXPECT_EQ(refusal([&] { fit_forest(cpu_, sample.table.view(), sample.target(), params); },
                      ErrorCode::usage),
              "trees [5, 8) are not among a forest's 7");
  }
}

TEST_F(Forests, ATreeOfItsOwnRowsAloneIsThatOfThePartition) {
  const auto sample = make_sample<float>({103, 2, 3, 0, 0.1, 0, 7});
  ForestParams params{.trees = 5, .sampling = Sampling::partition};
  params.tree.seed = 9;
  const auto whole = fit_forest(cpu_, sample.table.view(), sample.target(), params);
  const auto parts = parts_of_rows(103, 5, 9);
  for (std::uint32_t t = 0; t < 5; ++t) {
    const std::int64_t rows = std::count(parts.begin(), parts.end(), t);
    Table<float> own(rows, sample.table.names());
    std::vector<std::int32_t> codes;
    for (std::int64_t i = 0; i < 103; ++i) {
      if (parts[i] != t) continue;
      for (std::int64_t c = 0; c < 2; ++c) {
        own.column(c)[std::ssize(codes)] = sample.table.column(c)[i];
      }
      codes.push_back(sample.target().codes[i]);
    }
    Target target;
    target.codes = codes.data();
    target.classes = 3;
    params.sampling = Sampling::all;
    params.trees = 1, params.first_tree = t, params.all_trees = 5;
    const auto alone = fit_forest(cpu_, own.view(), target, params);
    EXPECT_TRUE(alone[0] == whole[t]) << t;
  }
}

TEST_F(Forests, AClassAbsentFromAPartKeepsItsPlace) {
  auto sample = make_sample<float>({40, 2, 3, 0, 0, 0, 7});
  for (std::int64_t i = 0; i < 40; ++i) sample.codes[i] = i == 0 ? 2 : i % 2;
  const auto result = fit_forest(
      cpu_, sample.table.view(), sample.target(), {.trees = 8, .sampling = Sampling::partition});
  std::int64_t with_class = 0;
  for (const Tree& tree : result) {
    ASSERT_EQ(tree.outputs, 3);
    with_class += tree.value(0)[2] > 0;
  }
  EXPECT_EQ(with_class, 1);
  const Model model = model_of(sample, result);
  EXPECT_EQ(predict_shares(cpu_, model, sample.table.view()).cols(), 3);
}

TEST_F(Forests, TheOutOfBagScoreIsThatOfTreesThatDidNotSeeTheRow) {
  auto sample = make_sample<float>({600, 4, 2, 0, 0, 0, 5});
  for (std::int64_t i = 0; i < 600; ++i) {
    sample.codes[i] = sample.table.column(0)[i] + sample.table.column(1)[i] * (i % 4 - 1) > 0;
  }
  const ForestParams params{.trees = 30};
  const auto table = sample.table.view();
  const auto trees = fit_forest(cpu_, table, sample.target(), params);
  const OutOfBag held = out_of_bag(cpu_, trees, table, sample.target(), params);
  // (1 - 1/n)^(30 n) of the rows were seen by all trees.
  EXPECT_EQ(held.rows, 600);
  EXPECT_LT(held.score, score(cpu_, model_of(sample, trees), table, sample.target()));
  EXPECT_GT(held.score, 0.6);
}

TEST_F(Forests, OutOfBagValuesAreWhatTreesThatDidNotSeeTheRowSay) {
  // Of disjoint parts, all trees but one did not see a row.
  for (const std::int32_t classes : {0, 3}) {
    for (const Voting voting : {Voting::soft, Voting::hard}) {
      const auto sample = make_sample<double>({90, 4, classes, 0, 0.1, 0, 5});
      const ForestParams params{.trees = 7, .sampling = Sampling::partition, .voting = voting};
      const auto table = sample.table.view();
      const auto result = fit_forest(cpu_, table, sample.target(), params);
      const OutOfBag held = out_of_bag(cpu_, result, table, sample.target(), params);
      const auto parts = parts_of_rows(90, 7, params.tree.seed);
      const std::int64_t outputs = classes > 0 ? classes : 1;
      ASSERT_EQ(held.values.size(), 90 * outputs);
      for (std::int64_t i = 0; i < 90; ++i) {
        std::vector<double> wanted(static_cast<std::size_t>(outputs), 0.0);
        for (std::uint32_t t = 0; t < 7; ++t) {
          if (parts[i] == t) continue;
          const Model alone = model_of(sample, {result[t]}, voting);
          const auto shares = predict_shares(cpu_, alone, sample.table.view());
          for (std::int64_t c = 0; c < outputs; ++c) {
            wanted[static_cast<std::size_t>(c)] += shares(i, c) / 6;
          }
        }
        for (std::int64_t c = 0; c < outputs; ++c) {
          EXPECT_NEAR(held.values[i * outputs + c], wanted[static_cast<std::size_t>(c)], 1e-12)
              << i << " " << c;
        }
      }
    }
  }
}

TEST_F(Forests, ARowThatEveryTreeSawHasNoOutOfBagValue) {
  const auto sample = make_sample<double>({40, 3, 2, 0, 0, 0, 5});
  const ForestParams params{.trees = 1};
  const auto table = sample.table.view();
  const auto trees = fit_forest(cpu_, table, sample.target(), params);
  const OutOfBag held = out_of_bag(cpu_, trees, table, sample.target(), params);
  std::int64_t scored = 0;
  for (std::int64_t i = 0; i < 40; ++i) scored += !std::isnan(held.values[2 * i]);
  EXPECT_EQ(scored, held.rows);
  EXPECT_GT(scored, 0);
  EXPECT_LT(scored, 40);
}

TEST_F(Forests, ImportancesAddToOneAndNameTheFeatureThatCounts) {
  auto sample = make_sample<double>({300, 3, 2, 0, 0, 0, 5});
  for (std::int64_t i = 0; i < 300; ++i) sample.codes[i] = sample.table.column(1)[i] > 0;
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target());
  EXPECT_EQ(importances({&tree, 1}, 3), (std::vector<double>{0, 1, 0}));
}

TEST_F(Forests, ReducedErrorPruningLeavesNoNodeThatMakesTheValidationWorse) {
  const auto sample = make_sample<double>({500, 3, 2, 0, 0, 0, 5});
  const auto other = make_sample<double>({300, 3, 2, 0, 0, 0, 6});
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target());
  const Tree pruned = prune_reduced_error(cpu_, tree, other.table.view(), other.target());
  EXPECT_LT(pruned.leaves(), tree.leaves());
  const auto right = [&](const Tree& own) {
    return score(cpu_, model_of(sample, {own}), other.table.view(), other.target());
  };
  EXPECT_GE(right(pruned), right(tree));
  EXPECT_TRUE(prune_reduced_error(cpu_, pruned, other.table.view(), other.target()) == pruned);
}

TEST_F(Forests, ThePathEndsInTheRootAndEachAlphaGivesItsLeaves) {
  const auto sample = make_sample<double>({200, 3, 3, 0, 0, 0, 5});
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target());
  const auto path = cost_complexity_path(tree);
  EXPECT_EQ(path.back().leaves, 1);
  EXPECT_TRUE(prune_cost_complexity(tree, 0) == tree);
  for (std::size_t i = 1; i < path.size(); ++i) {
    EXPECT_LT(path[i - 1].alpha, path[i].alpha);
    EXPECT_EQ(prune_cost_complexity(tree, path[i].alpha).leaves(), path[i].leaves);
  }
}

TEST_F(Forests, FoldsAreEvenAndStratifiedByClass) {
  std::vector<std::int32_t> codes;
  for (int i = 0; i < 100; ++i) codes.push_back(i < 20);
  Target target;
  target.codes = codes.data();
  target.classes = 2;
  const auto folds = folds_of(100, target, 10, true, 1);
  std::vector<int> size(10), ones(10);
  for (int i = 0; i < 100; ++i) {
    ++size[folds[i]];
    ones[folds[i]] += codes[i];
  }
  EXPECT_EQ(size, std::vector<int>(10, 10));
  EXPECT_EQ(ones, std::vector<int>(10, 2));
  EXPECT_NE(folds, folds_of(100, target, 10, true, 2));
}

TEST_F(Forests, BadInputIsOneLine) {
  const auto sample = make_sample<float>({5, 2, 2, 0, 0, 0, 5});
  const auto fit = [&](const ForestParams& params) {
    return
        [this, &sample, params] { fit_forest(cpu_, sample.table.view(), sample.target(), params); };
  };
  EXPECT_EQ(refusal(fit({.trees = 0}), ErrorCode::usage), "trees: expected at least 1, got 0");
  EXPECT_EQ(refusal(fit({.trees = 6, .sampling = Sampling::partition})),
            "6 parts of 5 rows: some tree would have none; give at most 5 trees");
  EXPECT_EQ(refusal([&] { folds_of(5, sample.target(), 6, false, 1); }),
            "5 rows are fewer than 6 folds; give fewer folds");
  EXPECT_EQ(refusal([&] { folds_of(5, sample.target(), 1, false, 1); }, ErrorCode::usage),
            "cv: expected at least 2 folds, got 1");
  Model model = model_of(sample, {fit_tree(cpu_, sample.table.view(), sample.target())});
  model.features.push_back("more");
  EXPECT_EQ(refusal([&] { predict_classes(cpu_, model, sample.table.view()); }),
            "the model has 3 features, the table 2; give the columns it was trained on");
}

}  // namespace
}  // namespace yupana::forest
