#include "yupana/forest/coded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/forest/samples.hpp"
#include "tests/support/instruction_sets.hpp"
#include "yupana/core/random.hpp"
#include "yupana/forest/forest.hpp"
#include "yupana/forest/predict.hpp"

namespace yupana::forest {
namespace {

template <class T>
std::vector<Tree> trees_of(const Sample<T>& sample, std::int64_t trees, std::int64_t depth) {
  Context context({.device = "cpu", .threads = 2});
  ForestParams params{.trees = trees, .max_features = 3};
  params.tree.max_depth = depth;
  return fit_forest(context, sample.table.view(), sample.target(), params);
}

/// Leaves of all rows, as codes lead to them, on the way for tables with and without missing
/// values.
template <class T>
void ends_as_row_by_row(const Sample<T>& sample, const std::vector<Tree>& trees) {
  const auto table = sample.table.view();
  const auto columns = coded_columns<T>(trees, table.columns);
  const std::int64_t groups = (table.rows + coded_rows - 1) / coded_rows;
  const std::int64_t cells = std::ssize(columns) * coded_rows;
  on_each_instruction_set([&] {
    Array<std::uint16_t> codes(2 * cells * groups + 1);
    std::vector<std::uint32_t> leaves(static_cast<std::size_t>(groups * coded_rows));
    for (const bool missing : {false, true}) {
      const bool has = !cpu::code_rows(columns, table, missing, codes.data());
      if (has) continue;
      for (const Tree& tree : trees) {
        const CodedTree own = coded<T>(tree, columns, missing);
        cpu::descend(own, codes.data(), cells * (missing ? 2 : 1), groups, leaves.data());
        for (std::int64_t i = 0; i < table.rows; ++i) {
          const auto node = own.origin[leaves[static_cast<std::size_t>(i)]];
          ASSERT_EQ(node, leaf_of(tree, [&](std::int64_t f) { return table(i, f); }))
              << "row " << i << " of " << table.rows << ", missing " << missing;
        }
      }
    }
  });
}

TEST(CodedTrees, LeadEachRowToTheLeafThatComparisonsDo) {
  std::uint64_t seed = 1;
  for (const std::int64_t rows : {1, 511, 512, 513, 1031}) {
    for (const double missing : {0.0, 0.1}) {
      // Shallower than the levels of one comparison, as deep, deeper; below the complete levels.
      for (const std::int64_t depth : {1, 4, 5, 6, 7, 8, 9, 10, 11, 14}) {
        const auto few = make_sample<float>({rows, 3, 2, 0, missing, 0, ++seed});
        ends_as_row_by_row(few, trees_of(few, 2, depth));
        const auto more = make_sample<double>({rows, 9, 4, 40, missing, 0, ++seed});
        ends_as_row_by_row(more, trees_of(more, 2, depth));
      }
    }
  }
}

TEST(CodedTrees, OfNoiseAreDeepAndOfManyColumnsAndStillRight) {
  for (const double missing : {0.0, 0.02}) {
    auto sample = make_sample<float>({3001, 70, 2, 0, missing, 0, 8});
    RandomSequence random(3);
    for (auto& code : sample.codes) code = static_cast<std::int32_t>(random.word() & 1);
    const auto trees = trees_of(sample, 2, unlimited_depth);
    ASSERT_GT(trees[0].depth(), 12);
    ends_as_row_by_row(sample, trees);
  }
}

/// A tree that counts thresholds: a chain, each node's right child the next node.
Tree chain(const std::vector<double>& thresholds, bool missing_left) {
  Tree tree;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const auto at = static_cast<std::int32_t>(2 * i);
    tree.nodes.push_back({0, at + 1, at + 2, missing_left, thresholds[i], 1, 1, 0});
    tree.nodes.emplace_back();
  }
  tree.nodes.emplace_back();
  tree.values.assign(tree.nodes.size(), 0);
  return tree;
}

/// Every threshold, its neighbours, and what no number is below or above.
template <class T>
void codes_count_thresholds(std::vector<double> thresholds, std::int64_t windows) {
  std::sort(thresholds.begin(), thresholds.end());
  const std::vector<Tree> trees{chain(thresholds, false), chain(thresholds, true)};
  const auto columns = coded_columns<T>(trees, 1);
  ASSERT_EQ(columns.size(), 1u);
  if (windows >= 0) {
    EXPECT_EQ(columns[0].windows, windows);
  }
  std::vector<T> x;
  for (const double y : {-HUGE_VAL, -1e30, -1., -0.0, 0., 1e-30, 1., 1e30, HUGE_VAL}) {
    x.push_back(static_cast<T>(y));
  }
  x.push_back(std::numeric_limits<T>::quiet_NaN());
  std::vector<T> rounded;
  for (const double threshold : thresholds) {
    rounded.push_back(rounded_down<T>(threshold));
    const T infinite = std::numeric_limits<T>::infinity();
    for (const T y : {std::nextafter(rounded.back(), -infinite),
                      rounded.back(),
                      std::nextafter(rounded.back(), infinite)}) {
      x.push_back(y);
    }
  }
  rounded.erase(std::unique(rounded.begin(), rounded.end()), rounded.end());
  const auto rows = std::ssize(x);
  const auto groups = (rows + coded_rows - 1) / coded_rows;
  const TableView<T> table{x.data(), rows, 1, rows};
  on_each_instruction_set([&] {
    std::vector<std::uint16_t> codes(static_cast<std::size_t>(2 * groups * coded_rows));
    EXPECT_FALSE(cpu::code_rows(columns, table, false, codes.data()));
    ASSERT_TRUE(cpu::code_rows(columns, table, true, codes.data()));
    for (std::int64_t i = 0; i < rows; ++i) {
      const T value = x[static_cast<std::size_t>(i)];
      const auto at = static_cast<std::size_t>(i / coded_rows * 2 * coded_rows + i % coded_rows);
      if (value != value) {
        EXPECT_EQ(codes[at], last_code);
        EXPECT_EQ(codes[at + coded_rows], 0);
        continue;
      }
      const auto below = std::lower_bound(rounded.begin(), rounded.end(), value) - rounded.begin();
      ASSERT_EQ(codes[at], below) << value;
      ASSERT_EQ(codes[at + coded_rows], below);
    }
  });
}

template <class T>
void codes_of_every_kind() {
  codes_count_thresholds<T>({0.5}, 1);
  codes_count_thresholds<T>({0}, 1);
  codes_count_thresholds<T>({-HUGE_VAL, 3, HUGE_VAL}, 1);
  codes_count_thresholds<T>({std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()}, 1);
  codes_count_thresholds<T>({5e-324, 1e-310, 1e-45, 1e-40}, 1);
  RandomSequence random(5);
  std::vector<double> even, wide, crowded;
  for (int i = 0; i < 5000; ++i) {
    even.push_back(random.uniform());
    wide.push_back(std::exp(60 * random.uniform() - 30) * (i % 2 == 0 ? 1 : -1));
    // All but one next to another: no map parts them.
    crowded.push_back(i == 0 ? -1 : 1 + i * 1e-6 * std::numeric_limits<float>::epsilon());
  }
  codes_count_thresholds<T>(even, 1);
  codes_count_thresholds<T>(wide, -1);
  codes_count_thresholds<T>(crowded, sizeof(T) == 4 ? 1 : 0);
}

TEST(Codes, CountTheThresholdsBelowANumber) {
  codes_of_every_kind<float>();
  codes_of_every_kind<double>();
}

TEST(Codes, AreNoneWhereAColumnHasMoreThresholdsThanTheyTell) {
  std::vector<double> thresholds(65534);
  for (std::size_t i = 0; i < thresholds.size(); ++i) thresholds[i] = static_cast<double>(i);
  EXPECT_EQ(coded_columns<float>({chain(thresholds, false)}, 1).size(), 1u);
  thresholds.push_back(1e6);
  EXPECT_TRUE(coded_columns<float>({chain(thresholds, false)}, 1).empty());
}

TEST(Codes, ArePredictedWithWhereTheyPayAndGiveTheSameBits) {
  const auto small = make_sample<float>({2000, 6, 2, 0, 0, 0, 5});
  const auto trees = trees_of(small, 30, 8);
  const std::int64_t rows = 20011;
  EXPECT_TRUE(codes_pay(trees, rows, 6));
  EXPECT_FALSE(codes_pay(trees, 100, 6));
  EXPECT_FALSE(codes_pay({trees[0]}, rows, 6));
  Model model;
  model.features = small.table.names();
  model.classes = {"a", "b"};
  model.trees = trees;
  for (const double missing : {0.0, 1e-4, 0.1}) {
    const auto sample = make_sample<float>({rows, 6, 2, 0, missing, 0, 6});
    const auto table = sample.table.view();
    Matrix<double> expected;
    on_each_instruction_set([&] {
      for (const int threads : {1, 2, 7}) {
        Context context({.device = "cpu", .threads = threads});
        const auto shares = predict_shares(context, model, table);
        if (expected.rows() == 0) expected = predict_shares(context, model, table);
        EXPECT_TRUE(std::equal(shares.data(), shares.data() + 2 * rows, expected.data()));
        const auto nodes = apply(context, model, table);
        for (std::int64_t i = 0; i < rows; i += 7) {
          const auto t = static_cast<std::size_t>(i) % trees.size();
          ASSERT_EQ(nodes(i, static_cast<std::int64_t>(t)),
                    leaf_of(trees[t], [&](std::int64_t f) { return table(i, f); }));
        }
      }
    });
  }
}

}  // namespace
}  // namespace yupana::forest
