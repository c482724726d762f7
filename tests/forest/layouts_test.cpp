#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tests/forest/samples.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/forest/coded.hpp"
#include "yupana/forest/predict.hpp"

namespace yupana::forest {
namespace {

/// A table with rows and columns as far apart as `row` and `column` say, from either end.
template <class T>
struct Laid {
  Array<T> cells;
  TableView<T> view;

  Laid(TableView<T> table, std::int64_t row, std::int64_t column)
      : cells((table.rows - 1) * std::abs(row) + (table.columns - 1) * std::abs(column) + 1) {
    std::fill(cells.begin(), cells.end(), T{7});
    T* first = cells.data();
    if (row < 0) first -= (table.rows - 1) * row;
    if (column < 0) first -= (table.columns - 1) * column;
    view = {first, table.rows, table.columns, column, row};
    for (std::int64_t i = 0; i < table.rows; ++i) {
      for (std::int64_t c = 0; c < table.columns; ++c) first[i * row + c * column] = table(i, c);
    }
  }
};

/// Rows, rows with a gap, rows backwards, every other of columns, neither, columns backwards.
template <class T, class Body>
void on_layouts(TableView<T> table, const Body& body) {
  const std::int64_t n = table.rows, m = table.columns;
  const std::pair<std::int64_t, std::int64_t> layouts[] = {
      {m, 1}, {m + 3, 1}, {-m, 1}, {m, -1}, {2, 2 * n}, {3 * m + 1, 3}, {1, -n - 5}};
  for (const auto& [row, column] : layouts) {
    SCOPED_TRACE(fmt::format("{} x {}, strides {} and {}", n, m, row, column));
    const Laid<T> laid(table, row, column);
    body(laid.view);
  }
}

/// Nodes of each row as comparisons find them, and the shares of columns to the last bit.
template <class T>
void predicts_alike(TableView<T> table, const Model& model) {
  Context context({.device = "cpu", .threads = 2});
  const auto shares = predict_shares(context, model, table);
  const auto classes = predict_classes(context, model, table);
  on_each_instruction_set([&] {
    on_layouts(table, [&](TableView<T> own) {
      const auto nodes = apply(context, model, own);
      const auto found = predict_shares(context, model, own);
      const auto found_classes = predict_classes(context, model, own);
      for (std::int64_t i = 0; i < own.rows; ++i) {
        for (std::int64_t t = 0; t < nodes.cols(); ++t) {
          ASSERT_EQ(nodes(i, t),
                    leaf_of(model.trees[static_cast<std::size_t>(t)],
                            [&](auto f) { return table(i, f); }))
              << i;
        }
        for (std::int64_t c = 0; c < shares.cols(); ++c) ASSERT_EQ(found(i, c), shares(i, c)) << i;
        ASSERT_EQ(found_classes[i], classes[i]) << i;
      }
    });
  });
}

/// Puts thresholds of the trees, both zeros and infinities into some cells.
template <class T>
void put_ties(Sample<T>& sample, const std::vector<Tree>& trees, bool missing) {
  RandomSequence random(11);
  const auto put = [&](std::int64_t f, double x) {
    const auto row = static_cast<std::int64_t>(random.word() % sample.table.rows());
    sample.table.column(f)[row] = static_cast<T>(x);
  };
  for (const Tree& tree : trees) {
    for (const Node& node : tree.nodes) {
      if (node.is_leaf() || random.word() % 4 != 0) continue;
      put(node.feature, rounded_down<T>(node.threshold));
    }
  }
  for (std::int64_t f = 0; f < sample.table.columns(); ++f) {
    for (const double x : {HUGE_VAL, -HUGE_VAL, 0.0, -0.0}) put(f, x);
    if (missing) put(f, std::numeric_limits<double>::quiet_NaN());
  }
}

template <class T>
void of_trees(const SampleParams& params, std::int64_t trees, std::int64_t depth) {
  Context context({.device = "cpu", .threads = 2});
  auto sample = make_sample<T>(params);
  ForestParams forest{.trees = trees};
  forest.tree.max_depth = depth;
  const auto grown = fit_forest(context, sample.table.view(), sample.target(), forest);
  put_ties(sample, grown, params.missing > 0);
  predicts_alike(sample.table.view(), model_of(sample, grown));
}

TEST(Layouts, OfOneTreeAreReadAsTheyLie) {
  for (const std::int64_t rows : {1, 15, 17, 300, 1031}) {
    for (const double missing : {0.0, 0.01}) {
      for (const std::int64_t depth : {std::int64_t{3}, std::int64_t{10}, unlimited_depth}) {
        of_trees<float>({rows, 5, 2, 0, missing, 0, 3}, 1, depth);
        of_trees<double>({rows, 7, 3, 30, missing, 0, 4}, 1, depth);
      }
    }
  }
  of_trees<float>({200, 70, 2, 0, 0, 0, 3}, 1, 10);  // so wide that missing values are found late
}

TEST(Layouts, OfForestsBecomeTheSameKeysAndCodes) {
  for (const double missing : {0.0, 0.01}) {
    of_trees<float>({1031, 5, 2, 0, missing, 0, 5}, 3, unlimited_depth);
    of_trees<double>({1031, 5, 0, 0, missing, 0, 6}, 3, 6);
    // Many rows through small trees: codes, where the processor has them.
    const SampleParams many{5003, 6, 2, 40, missing, 0, 7};
    const auto sample = make_sample<float>(many);
    Context context({.device = "cpu", .threads = 2});
    ForestParams forest{.trees = 12};
    forest.tree.max_depth = 6;
    const auto trees = fit_forest(context, sample.table.view(), sample.target(), forest);
    ASSERT_TRUE(codes_pay(trees, many.rows, many.features));
    of_trees<float>(many, 12, 6);
    of_trees<double>(many, 12, 6);
  }
}

TEST(Layouts, OfCategoriesAreWalkedAlike) {
  for (const double missing : {0.0, 0.05}) {
    const auto sample = make_categories<float>({700, 5, 2, 9, missing, 0, 8});
    Context context({.device = "cpu", .threads = 2});
    const TreeParams params = with_categories({.max_depth = 8}, 5);
    const Tree tree = fit_tree(context, sample.table.view(), sample.target(), params);
    predicts_alike(sample.table.view(), model_of(sample, {tree, tree}));
  }
}

TEST(Layouts, OfInfiniteValuesAreRefusedWhereTheyAreNotTaken) {
  Context context({.device = "cpu", .threads = 2});
  for (const double missing : {0.0, 0.01}) {
    auto sample = make_sample<float>({1031, 5, 2, 0, missing, 0, 3});
    const auto trees = fit_forest(context, sample.table.view(), sample.target(), {.trees = 3});
    for (const Model& model : {model_of(sample, {trees[0]}), model_of(sample, trees)}) {
      const auto predict = [&](TableView<float> own) {
        predict_shares(context, model, own, Infinite::refused);
        predict_classes(context, model, own, Infinite::refused);
        apply(context, model, own, Infinite::refused);
      };
      on_layouts(sample.table.view(), predict);
      for (const std::int64_t row : {0, 500, 1030}) {
        float& value = sample.table.column(4)[row];
        const float before = std::exchange(value, -std::numeric_limits<float>::infinity());
        on_layouts(sample.table.view(), [&](TableView<float> own) {
          predict_shares(context, model, own);
          test::expect_refusal([&] { predict(own); },
                               "finite or missing values, got an infinite one");
          test::expect_refusal([&] { predict_classes(context, model, own, Infinite::refused); },
                               "finite");
          test::expect_refusal([&] { apply(context, model, own, Infinite::refused); }, "finite");
        });
        value = before;
      }
    }
  }
}

TEST(Layouts, BecomeTheSameColumnsToGrowFrom) {
  Context context({.device = "cpu", .threads = 2});
  const auto sample = make_sample<double>({1031, 7, 2, 0, 0.01, 0, 9});
  const auto table = sample.table.view();
  const Tree tree = fit_tree(context, table, sample.target());
  on_layouts(table, [&](TableView<double> own) {
    Array<double> memory;
    const TableView<double> columns = in_columns(context, own, memory);
    EXPECT_EQ(columns.row_stride, 1);
    EXPECT_EQ(memory.size() == 0, own.row_stride == 1);
    EXPECT_EQ(difference(fit_tree(context, columns, sample.target()), tree), "");
  });
}

TEST(Layouts, OfRowsAreRefusedWhereColumnsAreRead) {
  Context context({.device = "cpu", .threads = 2});
  const auto sample = make_sample<float>({50, 3, 2, 0, 0, 0, 9});
  const Laid<float> rows(sample.table.view(), 3, 1);
  try {
    fit_tree(context, rows.view, sample.target());
    FAIL() << "a tree grew of other values";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "table: expected columns one after the other, got rows");
  }
}

}  // namespace
}  // namespace yupana::forest
