#include <gtest/gtest.h>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {
namespace {

class Alphas : public testing::Test {
 protected:
  Context cpu_{{.device = "cpu", .threads = 2}};
};

TEST_F(Alphas, NodesCollapseWhereThePrunedTreeLosesThem) {
  const auto sample = make_sample<double>({150, 3, 3, 0, 0, 0, 5});
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target());
  const auto collapse = collapse_alphas(tree);
  for (const PathPoint& point : cost_complexity_path(tree)) {
    if (point.alpha == 0) continue;
    std::int64_t links = 0;
    for (std::size_t i = 0; i < collapse.size(); ++i) {
      links += !tree.nodes[i].is_leaf() && collapse[i] > point.alpha * (1 + 0x1p-39);
    }
    EXPECT_EQ(links + 1, point.leaves) << point.alpha;
  }
}

TEST_F(Alphas, ScoresAreThoseOfPrunedTreesOneByOne) {
  for (const std::int32_t classes : {0, 2, 3}) {
    const auto sample = make_sample<double>({120, 3, classes, 0, 0.1, 0, 9});
    const auto table = sample.table.view();
    const auto folds = folds_of(120, sample.target(), 4, false, 1);
    const TreeParams params{.min_samples_leaf = 2};
    const AlphaChoice choice = choose_alpha(cpu_, table, sample.target(), params, folds, 4);
    ASSERT_GT(choice.alphas.size(), 3u);
    std::vector<double> expected(choice.alphas.size(), 0);
    for (int k = 0; k < 4; ++k) {
      const auto in = [&](std::int64_t i) { return folds[static_cast<std::size_t>(i)] == k; };
      const auto rest = part_of(
          table, sample.table.names(), sample.target(), [&](std::int64_t i) { return !in(i); });
      const auto held = part_of(table, sample.table.names(), sample.target(), in);
      const Tree tree = fit_tree(cpu_, rest.table.view(), rest.target(), params);
      for (std::size_t a = 0; a < expected.size(); ++a) {
        const Tree pruned = prune_cost_complexity(tree, choice.alphas[a]);
        double sum = 0;
        for (std::int64_t i = 0; i < held.table.rows(); ++i) {
          const auto at = [&](std::int64_t f) { return held.table.view()(i, f); };
          const double* value = pruned.value(leaf_of(pruned, at));
          const auto row = static_cast<std::size_t>(i);
          sum += classes > 0 ? std::max_element(value, value + classes) - value == held.codes[row]
                             : -(*value - held.values[row]) * (*value - held.values[row]);
        }
        expected[a] += sum / static_cast<double>(held.table.rows()) / 4;
      }
    }
    for (std::size_t a = 0; a < expected.size(); ++a) {
      EXPECT_NEAR(choice.scores[a], expected[a], 1e-12) << classes << " " << choice.alphas[a];
    }
    EXPECT_GE(choice.sparest, choice.best);
    for (const double score : choice.scores) EXPECT_LE(score, choice.scores[choice.best]);
  }
}

TEST_F(Alphas, ShufflingCostsTheFeatureThatCountsAndNoOther) {
  auto sample = make_sample<float>({400, 3, 2, 0, 0, 0, 5});
  for (std::int64_t i = 0; i < 400; ++i) sample.codes[i] = sample.table.column(1)[i] > 0;
  const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target());
  const Model model = model_of(sample, {tree});
  const auto table = sample.table.view();
  const auto result = permutation_importances(cpu_, model, table, sample.target(), 5, 1);
  EXPECT_EQ(result.score, 1);
  EXPECT_EQ(result.means[0], 0);
  EXPECT_EQ(result.means[2], 0);
  EXPECT_NEAR(result.means[1], 0.5, 0.06);
  EXPECT_GT(result.deviations[1], 0);
  Context seven({.device = "cpu", .threads = 7});
  const auto again = permutation_importances(seven, model, table, sample.target(), 5, 1);
  EXPECT_EQ(again.means, result.means);
  const auto none = [&] { permutation_importances(cpu_, model, table, sample.target(), 0, 1); };
  EXPECT_EQ(test::refusal(none, ErrorCode::usage), "repeats: expected at least 1, got 0");
}

}  // namespace
}  // namespace yupana::forest
