#include "yupana/analysis/measures.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

constexpr double all_memory = 1e18;

double value_of(const Measures& measures, const std::string& name) {
  for (const auto& [own, value] : measures.values) {
    if (own == name) return value;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

struct Rows {
  std::int64_t classes;
  std::vector<std::int32_t> codes;
  std::vector<double> shares;

  MatrixView<const double> view(std::int64_t first, std::int64_t count) const {
    return {shares.data() + first * classes, count, classes};
  }
};

Measures measures_of(const Rows& rows, double max_bytes = all_memory, std::int64_t step = 1000000) {
  Context context;
  ClassTally tally(rows.classes, max_bytes);
  const auto count = std::ssize(rows.codes);
  for (std::int64_t i = 0; i < count; i += step) {
    tally.add(context, rows.codes.data() + i, rows.view(i, std::min(step, count - i)));
  }
  return tally.measures(context);
}

/// Two classes with equal scores across them; worked out by hand.
const Rows five_rows{2, {0, 0, 1, 1, 1}, {0.75, 0.25, 0.5, 0.5, 0.5, 0.5, 0.25, 0.75, 0.75, 0.25}};

TEST(ClassTally, AllRightCorrelatedByMoreThanOne) {
  for (std::int32_t first = 1; first < 60; ++first) {
    Rows rows{2, {}, {}};
    for (std::int32_t i = 0; i < 61; ++i) {
      rows.codes.push_back(i < first ? 0 : 1);
      for (const double share : {i < first ? 1.0 : 0.0, i < first ? 0.0 : 1.0}) {
        rows.shares.push_back(share);
      }
    }
    EXPECT_EQ(value_of(measures_of(rows), "mcc"), 1) << first;
  }
}

TEST(ClassTally, MeasuresOfFiveRowsAreThoseWorkedOutByHand) {
  const Measures found = measures_of(five_rows);
  EXPECT_EQ(found.rows, 5);
  EXPECT_EQ(found.score(), 3.0 / 5);
  // Predicted: 0 0 0 1 0, the first of equal shares.
  const std::vector<std::int64_t> confusion(found.confusion.data(), found.confusion.data() + 4);
  EXPECT_EQ(confusion, (std::vector<std::int64_t>{2, 0, 2, 1}));
  EXPECT_EQ(found.classes[0].precision(), 0.5);
  EXPECT_EQ(found.classes[0].recall(), 1);
  EXPECT_EQ(found.classes[0].f1(), 2.0 / 3);
  EXPECT_EQ(found.classes[1].precision(), 1);
  EXPECT_EQ(found.classes[1].recall(), 1.0 / 3);
  EXPECT_EQ(value_of(found, "balanced_accuracy"), (1 + 1.0 / 3) / 2);
  EXPECT_DOUBLE_EQ(value_of(found, "mcc"), 2 / std::sqrt(24.0));
  // Scores of class 1: 0.25 0.5 | 0.5 0.75 0.25. In order 1 + 1 + 1 of 6 pairs, equal 1 + 1.
  EXPECT_EQ(found.classes[1].roc_auc, 4.0 / 6);
  EXPECT_EQ(found.classes[0].roc_auc, 4.0 / 6);
  EXPECT_DOUBLE_EQ(found.classes[1].pr_auc, 1.0 / 3 + 1.0 / 3 * 2 / 3 + 1.0 / 3 * 3 / 5);
  using Points = std::vector<std::pair<double, double>>;
  EXPECT_EQ(found.classes[1].roc, (Points{{0, 0}, {0, 1.0 / 3}, {0.5, 2.0 / 3}, {1, 1}}));
  EXPECT_EQ(found.classes[1].precision_recall,
            (Points{{0, 1}, {1.0 / 3, 1}, {2.0 / 3, 2.0 / 3}, {1, 0.6}}));
  EXPECT_DOUBLE_EQ(value_of(found, "log_loss"), -std::log(0.75 * 0.5 * 0.5 * 0.75 * 0.25) / 5);
  EXPECT_DOUBLE_EQ(value_of(found, "brier"), (0.0625 + 0.25 + 0.25 + 0.0625 + 0.5625) / 5);
}

TEST(ClassTally, AnUnknownClassIsNeverRightAndNegativeForAll) {
  Rows rows = five_rows;
  rows.codes.push_back(-1);
  rows.shares.insert(rows.shares.end(), {0.0, 1.0});
  const Measures found = measures_of(rows);
  EXPECT_EQ(found.unknown, 1);
  EXPECT_EQ(found.score(), 0.5);
  EXPECT_EQ(found.classes[1].precision(), 0.5);
  EXPECT_EQ(found.classes[1].roc_auc, 4.0 / 9);
  EXPECT_EQ(value_of(found, "balanced_accuracy"), (1 + 1.0 / 3 + 0) / 3);
}

TEST(ClassTally, AMeasureWithoutRowsIsZeroAndAnAreaNone) {
  const Measures found = measures_of({3, {0, 0}, {1, 0, 0, 0, 1, 0}});
  EXPECT_EQ(found.classes[2].precision(), 0);
  EXPECT_EQ(found.classes[2].recall(), 0);
  EXPECT_TRUE(std::isnan(found.classes[0].roc_auc));
  EXPECT_TRUE(std::isnan(found.classes[2].pr_auc));
  EXPECT_TRUE(std::isnan(value_of(found, "roc_auc")));
  EXPECT_EQ(value_of(found, "pr_auc"), 1);
  EXPECT_EQ(value_of(found, "balanced_accuracy"), 0.5);
  // A share of 0 for the true class counts as 2^-52.
  EXPECT_DOUBLE_EQ(value_of(found, "log_loss"), 26 * std::log(2.0));
}

Rows many_rows(std::int64_t count) {
  Rows rows{3, {}, {}};
  std::uint64_t state = 7;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const double a = static_cast<double>(state >> 40) * 0x1p-24, b = (1 - a) / 4;
    rows.codes.push_back(static_cast<std::int32_t>(state >> 33 & 63) % 3);
    rows.shares.insert(rows.shares.end(), {a, b, 1 - a - b});
  }
  return rows;
}

TEST(ClassTally, PartsOfRowsChangeNoBit) {
  const Rows rows = many_rows(200000);
  const Measures whole = measures_of(rows), parted = measures_of(rows, all_memory, 777);
  EXPECT_EQ(whole.values, parted.values);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_GT(whole.classes[c].roc_auc, 0.4);
    EXPECT_EQ(whole.classes[c].roc_auc, parted.classes[c].roc_auc);
    EXPECT_EQ(whole.classes[c].pr_auc, parted.classes[c].pr_auc);
  }
}

TEST(ClassTally, AreasBeyondTheMemoryAreLeftOut) {
  const Measures found = measures_of(many_rows(20000), 100000);
  EXPECT_TRUE(std::isnan(value_of(found, "roc_auc")));
  EXPECT_GT(found.score(), 0.2);
  EXPECT_EQ(found.confusion.rows(), 3);
}

TEST(ClassTally, RefusesWhatIsNoShareOrClass) {
  EXPECT_THROW(measures_of({2, {0}, {0.5, 1.5}}), Error);
  EXPECT_THROW(measures_of({2, {0}, {0.5, std::nan("")}}), Error);
  EXPECT_THROW(measures_of({2, {2}, {0.5, 0.5}}), Error);
}

Measures numbers(const std::vector<double>& values, const std::vector<double>& predicted) {
  NumberTally tally(all_memory);
  tally.add(values.data(), {predicted.data(), std::ssize(predicted), 1});
  return tally.measures();
}

TEST(NumberTally, MeasuresOfFourRowsAreThoseWorkedOutByHand) {
  const Measures found = numbers({1, 2, 3, 6}, {2, 2, 2, 8});
  EXPECT_EQ(found.score(), 1 - 6.0 / 14);
  EXPECT_EQ(value_of(found, "rmse"), std::sqrt(1.5));
  EXPECT_EQ(value_of(found, "mae"), 1);
  EXPECT_EQ(value_of(found, "mean_error"), 0.5);
  // Errors -1 0 1 2.
  EXPECT_EQ(found.error_quantiles[0], std::pair(0.0, -1.0));
  EXPECT_EQ(found.error_quantiles[3], std::pair(0.5, 0.5));
  EXPECT_DOUBLE_EQ(found.error_quantiles[5].second, 1.85);
  EXPECT_EQ(found.error_quantiles[6], std::pair(1.0, 2.0));
}

TEST(NumberTally, ConstantsAndLargeNumbersKeepTheirR2) {
  EXPECT_EQ(numbers({5, 5}, {5, 5}).score(), 1);
  EXPECT_EQ(numbers({5, 5}, {5, 6}).score(), 0);
  EXPECT_EQ(numbers({0.1, 0.1, 0.1}, {0.1, 0.1, 0.1}).score(), 1);
  // The first number is far from the others: their spread is what it adds, to the last digit.
  std::vector<double> values(1001, 1), predicted(1001, 1);
  values[0] = predicted[0] = 1e12;
  predicted[1] = 1e12;
  EXPECT_NEAR(numbers(values, predicted).score(), 1 - 1001.0 / 1000, 1e-15);
}

TEST(NumberTally, OneRowHasNoR2) {
  const Measures found = numbers({7}, {1});
  EXPECT_TRUE(std::isnan(found.score()));
  EXPECT_EQ(value_of(found, "rmse"), 6);
}

TEST(NumberTally, SquaresThatNoDoubleHoldsMakeNoR2) {
  EXPECT_TRUE(std::isnan(numbers({1e-170, 3e-170, 1e-170}, {1e-170, 2e-170, 1e-170}).score()));
  EXPECT_TRUE(std::isnan(numbers({1e200, 3e200}, {1e200, 2e200}).score()));
  EXPECT_NEAR(numbers({1e-130, 3e-130}, {1e-130, 2e-130}).score(), 0.5, 1e-15);
}

TEST(NumberTally, RefusesWhatIsNoNumber) {
  EXPECT_THROW(numbers({1, std::nan("")}, {1, 2}), Error);
  EXPECT_THROW(numbers({1, 2}, {1, std::nan("")}), Error);
}

}  // namespace
}  // namespace yupana::analysis
