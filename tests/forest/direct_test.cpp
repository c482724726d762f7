#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/forest/samples.hpp"
#include "tests/support/instruction_sets.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/packed.hpp"
#include "yupana/forest/predict.hpp"

namespace yupana::forest {
namespace {

template <class T>
Tree tree_of(const Sample<T>& sample, std::int64_t depth) {
  Context context({.device = "cpu", .threads = 2});
  return fit_tree(context, sample.table.view(), sample.target(), {.max_depth = depth});
}

template <class T>
void ends_as_row_by_row(const TableView<T>& table, const Tree& tree) {
  on_each_instruction_set([&] {
    const DirectTree<T> own = direct<T>(tree);
    std::vector<std::uint32_t> leaves(static_cast<std::size_t>(table.rows));
    cpu::descend_direct(own, table, leaves.data());
    for (std::int64_t i = 0; i < table.rows; ++i) {
      ASSERT_EQ(own.tree.origin[leaves[static_cast<std::size_t>(i)]],
                leaf_of(tree, [&](std::int64_t f) { return table(i, f); }))
          << "row " << i << " of " << table.rows;
    }
  });
}

TEST(DirectTrees, LeadEachRowToTheLeafThatComparisonsDo) {
  std::uint64_t seed = 1;
  for (const std::int64_t rows : {1, 15, 16, 17, 400, 1031}) {
    for (const double missing : {0.0, 0.002, 0.1}) {
      for (const std::int64_t depth : {1, 4, 5, 11, 14}) {
        const auto few = make_sample<float>({rows, 3, 2, 0, missing, 0, ++seed});
        ends_as_row_by_row(few.table.view(), tree_of(few, depth));
        const auto more = make_sample<double>({rows, 9, 4, 40, missing, 0, ++seed});
        ends_as_row_by_row(more.table.view(), tree_of(more, depth));
      }
    }
  }
}

TEST(DirectTrees, OfNoiseAreDeepAndStillRight) {
  for (const double missing : {0.0, 0.02}) {
    auto sample = make_sample<float>({4001, 3, 2, 0, missing, 0, 5});
    RandomSequence random(3);
    for (auto& code : sample.codes) code = static_cast<std::int32_t>(random.word() & 1);
    const Tree tree = tree_of(sample, unlimited_depth);
    ASSERT_GT(tree.depth(), 14);
    ends_as_row_by_row(sample.table.view(), tree);
  }
}

/// Node 0, and one like it as its left child.
Tree two_splits(double threshold, bool missing_left) {
  Tree tree;
  tree.nodes.resize(5);
  tree.nodes[0] = {1, 1, 4, missing_left, threshold, 4, 4, 0};
  tree.nodes[1] = {0, 2, 3, !missing_left, threshold, 3, 3, 0};
  tree.values = {0, 1, 2, 3, 4};
  return tree;
}

template <class T>
void parts_every_kind_of_number() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T largest = std::numeric_limits<T>::max(), smallest = std::numeric_limits<T>::denorm_min();
  const std::vector<T> values{
      -inf, -largest, -1, -smallest, -T{0}, T{0}, smallest, 1, largest, inf, nan, -nan};
  const auto count = static_cast<std::int64_t>(values.size());
  Table<T> table(count * count, {"x", "y"});
  for (std::int64_t i = 0; i < count * count; ++i) {
    table.column(0)[i] = values[static_cast<std::size_t>(i % count)];
    table.column(1)[i] = values[static_cast<std::size_t>(i / count)];
  }
  for (const T threshold : values) {
    if (threshold != threshold) continue;
    for (const bool missing_left : {false, true}) {
      ends_as_row_by_row(table.view(), two_splits(threshold, missing_left));
    }
  }
}

TEST(DirectTrees, PartInfiniteAndMissingValuesAndZerosAtEveryThreshold) {
  parts_every_kind_of_number<float>();
  parts_every_kind_of_number<double>();
}

TEST(DirectTrees, PredictWhatSumsOfOneTreeAre) {
  Context context({.device = "cpu", .threads = 2});
  Tree leaf;
  leaf.nodes.resize(1);
  leaf.values = {-0.0};
  Model model;
  model.features = {"x"};
  model.trees = {leaf};
  Table<float> table(1, {"x"});
  table.column(0)[0] = 0;
  EXPECT_FALSE(std::signbit(predict_shares(context, model, table.view())(0, 0)));
}

}  // namespace
}  // namespace yupana::forest
