#include "yupana/forest/predict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/forest/samples.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/packed.hpp"
#include "yupana/forest/prune.hpp"
#include "yupana/forest/validate.hpp"

namespace yupana::forest {
namespace {

class Predictions : public testing::Test {
 protected:
  Context cpu_{{.device = "cpu", .threads = 2}};
};

/// Nodes and sums as the descent of one row after the other gives them.
template <class T>
void predicts_as_row_by_row(Context& context, const Sample<T>& sample, const Model& model) {
  const auto table = sample.table.view();
  const auto nodes = apply(context, model, table);
  const auto shares = predict_shares(context, model, table);
  for (std::int64_t i = 0; i < table.rows; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < model.trees.size(); ++t) {
      const Tree& tree = model.trees[t];
      const std::int32_t leaf = leaf_of(tree, [&](std::int64_t f) { return table(i, f); });
      ASSERT_EQ(nodes(i, static_cast<std::int64_t>(t)), leaf) << table.rows << " row " << i;
      const double* value = tree.value(leaf);
      const auto best = std::max_element(value, value + tree.outputs) - value;
      const double weight = std::accumulate(value, value + tree.outputs, 0.0);
      sum += !model.is_class()              ? value[0]
             : model.voting == Voting::hard ? (best == 0 ? 1 : 0)
                                            : value[0] / weight;
    }
    ASSERT_EQ(shares(i, 0), sum / static_cast<double>(model.trees.size()));
  }
}

TEST_F(Predictions, EqualTheDescentRowByRow) {
  // Groups of 16 rows, blocks of 1,024.
  for (const std::int32_t classes : {0, 2, 3}) {
    for (const std::int64_t rows : {1, 15, 16, 17, 1023, 1024, 1025, 2113}) {
      for (const double missing : {0.0, 0.001, 0.2}) {
        const auto sample = make_sample<float>({rows, 3, classes, 0, missing, 0, 5});
        const auto wide = make_sample<double>({rows, 5, classes, 3, missing, 0, 6});
        for (const Voting voting : {Voting::soft, Voting::hard}) {
          const ForestParams params{.trees = 3};
          const auto trees = fit_forest(cpu_, sample.table.view(), sample.target(), params);
          predicts_as_row_by_row(cpu_, sample, model_of(sample, trees, voting));
          predicts_as_row_by_row(cpu_, sample, model_of(sample, {trees[0]}, voting));
          const auto others = fit_forest(cpu_, wide.table.view(), wide.target(), params);
          predicts_as_row_by_row(cpu_, wide, model_of(wide, others, voting));
        }
      }
    }
  }
}

TEST_F(Predictions, OfTreesDeeperThanTheirCompleteLevelsEqualThem) {
  for (const double missing : {0.0, 0.1}) {
    auto sample = make_sample<float>({4001, 2, 2, 0, missing, 0, 5});
    RandomSequence random(3);
    for (auto& code : sample.codes) code = static_cast<std::int32_t>(random.word() & 1);
    const Tree tree = fit_tree(cpu_, sample.table.view(), sample.target());
    ASSERT_GT(tree.depth(), 14);
    predicts_as_row_by_row(cpu_, sample, model_of(sample, {tree}));
  }
}

TEST_F(Predictions, OfTreesWithoutRoomForColumnAndChildInOneWordEqualTheOthers) {
  auto sample = make_sample<float>({14'000, 2, 2, 0, 0, 0, 5});
  RandomSequence random(3);
  for (auto& code : sample.codes) code = static_cast<std::int32_t>(random.word() & 1);
  Tree tree = fit_tree(cpu_, sample.table.view(), sample.target());
  const PackedTree<float> near = packed<float>(tree, 0);
  constexpr std::int32_t last = 1 << 18;  // 19 bits, and 13 are left for the child
  for (Node& node : tree.nodes) node.feature = node.feature == 1 ? last : node.feature;
  const PackedTree<float> far = packed<float>(tree, 0);
  ASSERT_FALSE(near.narrow.empty());
  ASSERT_TRUE(far.narrow.empty());
  ASSERT_GT(far.deep.size(), std::size_t{1} << 13);
  constexpr std::int64_t group = (last + std::int64_t{1}) * packed_lanes;
  auto keys = Array<std::uint32_t>::zeros(group);
  std::vector<std::uint32_t> leaves(packed_lanes), near_leaves(packed_lanes);
  for (std::int64_t row = 0; row < packed_lanes; ++row) {
    keys[row] = key_of(sample.table.column(0)[row]);
    keys[last * packed_lanes + row] = key_of(sample.table.column(1)[row]);
    keys[packed_lanes + row] = keys[last * packed_lanes + row];
  }
  cpu::descend(far, keys.data(), group, 1, leaves.data());
  cpu::descend(near, keys.data(), group, 1, near_leaves.data());
  EXPECT_EQ(leaves, near_leaves);
  for (std::int64_t row = 0; row < packed_lanes; ++row) {
    const auto value = [&](std::int64_t f) { return sample.table.column(f == 0 ? 0 : 1)[row]; };
    EXPECT_EQ(far.origin[leaves[row]], leaf_of(tree, value)) << row;
  }
}

TEST_F(Predictions, OfTreesThatNoCacheHoldsTakeBlocksOfManyRowsAndEqualThem) {
  for (const double missing : {0.0, 0.0005}) {
    auto sample = make_sample<float>({9001, 3, 2, 0, missing, 0, 7});  // a last block of 2,249
    RandomSequence random(5);
    for (auto& code : sample.codes) code = static_cast<std::int32_t>(random.word() & 1);
    const auto tree = fit_tree(cpu_, sample.table.view(), sample.target());
    const std::vector<Tree> trees((std::size_t{1} << 16) / tree.nodes.size() + 1, tree);
    predicts_as_row_by_row(cpu_, sample, model_of(sample, trees));
    Context alone({.device = "cpu", .threads = 1});
    predicts_as_row_by_row(alone, sample, model_of(sample, trees));
  }
}

TEST_F(Predictions, OfWideTablesTakeBlocksOfFewRows) {
  auto sample = make_sample<float>({70, 30000, 2, 0, 0.01, 0, 5});
  for (std::size_t i = 0; i < 70; ++i) sample.codes[i] = i % 3 == 0;
  ForestParams params{.trees = 2, .max_features = 40};
  const auto trees = fit_forest(cpu_, sample.table.view(), sample.target(), params);
  predicts_as_row_by_row(cpu_, sample, model_of(sample, trees));
}

TEST_F(Predictions, KeysStandInTheOrderOfNumbersAndZerosAreOne) {
  const std::vector<double> order{-HUGE_VAL, -1e300, -1, -5e-324, 0, 5e-324, 1, 1e300, HUGE_VAL};
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_LT(key_of(order[i - 1]), key_of(order[i]));
    EXPECT_LE(key_of(static_cast<float>(order[i - 1])), key_of(static_cast<float>(order[i])));
  }
  EXPECT_EQ(key_of(-0.0), key_of(0.0));
  EXPECT_EQ(key_of(-0.0f), key_of(0.0f));
  EXPECT_GT(key_of(-HUGE_VAL), 0u);
  EXPECT_LT(key_of(HUGE_VAL), ~std::uint64_t{0});
}

TEST_F(Predictions, AThresholdBetweenFloatsPartsFloatsAsItPartsDoubles) {
  Tree tree;
  tree.outputs = 1;
  const float a = 1.0f, b = std::nextafter(a, 2.0f);
  tree.nodes.resize(3);
  tree.nodes[0] = {0, 1, 2, false, (static_cast<double>(a) + b) / 2, 2, 2, 0};
  tree.values = {0, 1, 2};
  Model model;
  model.features = {"x"};
  model.trees = {tree};
  Table<float> table(2, {"x"});
  table.column(0)[0] = a;
  table.column(0)[1] = b;
  const auto values = predict_shares(cpu_, model, table.view());
  EXPECT_EQ(values(0, 0), 1);
  EXPECT_EQ(values(1, 0), 2);
}

TEST_F(Predictions, HardVotingGoesToTheSmallerClassIfEqualAndSoftToTheLargerShare) {
  const auto leaf = [](double zero, double one) {
    Tree tree;
    tree.outputs = 2;
    tree.nodes.resize(1);
    tree.values = {zero, one};
    return tree;
  };
  Model model;
  model.features = {"x"};
  model.classes = {"a", "b"};
  model.trees = {leaf(6, 4), leaf(1, 9)};
  Table<float> table(1, {"x"});
  table.column(0)[0] = 0;
  model.voting = Voting::hard;
  EXPECT_EQ(predict_classes(cpu_, model, table.view())[0], 0);
  model.voting = Voting::soft;
  EXPECT_EQ(predict_classes(cpu_, model, table.view())[0], 1);
}

}  // namespace
}  // namespace yupana::forest
