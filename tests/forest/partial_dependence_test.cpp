#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/forest/samples.hpp"
#include "yupana/forest/importance.hpp"
#include "yupana/forest/predict.hpp"

namespace yupana::forest {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

TEST(PartialDependenceTest, IsTheMeanOfWhatIsPredictedOfChangedRows) {
  for (const std::int32_t classes : {0, 2, 4}) {
    auto sample = make_sample<double>({200, 3, classes, 8, 0.1, 0, 5});
    ForestParams params;
    params.trees = 5;
    Context context({.device = "cpu", .threads = 2});
    const auto trees = fit_forest(context, sample.table.view(), sample.target(), params);
    const Model model = model_of(sample, trees);
    const auto found = partial_dependence(context, model, sample.table.view(), 1);
    ASSERT_EQ(found.values.size(), 8u);
    for (std::size_t v = 0; v < found.values.size(); ++v) {
      EXPECT_TRUE(v == 0 || found.values[v - 1] < found.values[v]);
      auto changed = make_sample<double>({200, 3, classes, 8, 0.1, 0, 5});
      std::fill_n(changed.table.column(1), 200, found.values[v]);
      const auto shares = predict_shares(context, model, changed.table.view());
      for (std::int64_t c = 0; c < shares.cols(); ++c) {
        double sum = 0;
        for (std::int64_t i = 0; i < 200; ++i) sum += shares(i, c);
        EXPECT_NEAR(found.means(static_cast<std::int64_t>(v), c), sum / 200, 1e-12);
      }
    }
  }
}

TEST(PartialDependenceTest, IsTheSameForAnyMemoryAndThreads) {
  for (const std::int64_t rows : {7, 999, 1000, 1001, 2600}) {
    auto sample = make_sample<double>({rows, 4, 0, 60, 0.1, 0, 5});
    Context plenty({.device = "cpu", .threads = 1});
    ForestParams params;
    params.trees = 3;
    const auto trees = fit_forest(plenty, sample.table.view(), sample.target(), params);
    const Model model = model_of(sample, trees);
    const auto all = partial_dependence(plenty, model, sample.table.view(), 2);
    EXPECT_EQ(all.rows, std::min<std::int64_t>(rows, 1000));
    EXPECT_EQ(all.of_rows, rows);
    for (const std::uint64_t memory : {1000, 400'000, 700'000, 4'000'000}) {
      Context little({.device = "cpu", .threads = 3, .memory = memory});
      const auto found = partial_dependence(little, model, sample.table.view(), 2);
      ASSERT_EQ(found.rows, all.rows);
      ASSERT_EQ(found.values, all.values);
      for (std::int64_t v = 0; v < all.means.rows(); ++v) {
        EXPECT_EQ(found.means(v, 0), all.means(v, 0)) << rows << " rows, memory " << memory;
      }
    }
  }
}

TEST(PartialDependenceTest, OfManyValuesTakesQuantilesAndOfCategoriesThoseOfMostRows) {
  Table<double> table(3000, {"number", "kind"});
  std::vector<double> values;
  for (std::int64_t i = 0; i < 3000; ++i) {
    table.column(0)[i] = i % 100 == 7 ? none : static_cast<double>(i * 7919 % 3000);
    table.column(1)[i] = static_cast<double>(i % 90 < 60 ? i % 20 : 20 + i % 30);
    values.push_back(static_cast<double>(i % 11) + table.column(1)[i]);
  }
  Target target;
  target.values = values.data();
  TreeParams params;
  params.max_depth = 6;
  params.categorical = {false, true};
  Context context({.device = "cpu"});
  Model model;
  model.features = table.names();
  model.trees = {fit_tree(context, table.view(), target, params)};
  const auto numbers = partial_dependence(context, model, table.view(), 0);
  ASSERT_EQ(std::ssize(numbers.values), max_dependence_values);
  EXPECT_EQ(numbers.values.front(), 0);
  EXPECT_NEAR(numbers.values[12], 1500, 40);
  EXPECT_NEAR(numbers.values.back(), 2999, 5);
  const auto kinds = partial_dependence(context, model, table.view(), 1);
  ASSERT_EQ(std::ssize(kinds.values), max_dependence_values);
  for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(kinds.values[k], static_cast<double>(k));
  std::fill_n(table.column(0), 3000, none);
  EXPECT_TRUE(partial_dependence(context, model, table.view(), 0).values.empty());
}

}  // namespace
}  // namespace yupana::forest
