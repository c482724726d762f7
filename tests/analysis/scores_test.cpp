#include "yupana/analysis/scores.hpp"

#include <gtest/gtest.h>

#include "tests/analysis/matrices.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

using test::view;

TEST(LabelScores, EqualScikitLearn) {
  Context context;
  const LabelScores good =
      label_scores(context, view(test::eight_points()), {0, 0, 0, 1, 1, 1, 2, 2});
  EXPECT_NEAR(good.silhouette, 0.8179635642135642, 1e-15);
  EXPECT_EQ(good.adjusted_rand, 1);
  EXPECT_EQ(good.nearest_neighbor, 1);
  EXPECT_EQ(good.individuals, 8);
  EXPECT_EQ(good.classes, 3);
  // A class of one scores 0; its neighbour is another class.
  const LabelScores bad =
      label_scores(context, view(test::eight_points()), {0, 1, 0, 1, 1, 0, 2, 0});
  EXPECT_NEAR(bad.silhouette, -0.15857250885835278, 1e-15);
  EXPECT_NEAR(bad.adjusted_rand, -0.043478260869565216, 1e-15);
  EXPECT_EQ(bad.nearest_neighbor, 0.375);
}

TEST(LabelScores, UnlabelledIndividualsCountNowhere) {
  Context context;
  const auto d = test::grid_squares<float>(90, 5);
  SquareMatrix<float> kept(60);
  Labels all(90, -1), labels(60);
  for (std::int64_t i = 0; i < 60; ++i) {
    labels[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(7 * (i % 4));
    const std::int64_t from = i + i / 2;
    all[static_cast<std::size_t>(from)] = labels[static_cast<std::size_t>(i)];
    for (std::int64_t j = 0; j < 60; ++j) kept(i, j) = d(from, j + j / 2);
  }
  const auto tree = linkage(context, view(d), Linkage::average);
  const LabelScores want = label_scores(context, view(kept), labels);
  const LabelScores got = label_scores(context, view(d), all, &tree);
  EXPECT_EQ(got.silhouette, want.silhouette);
  EXPECT_EQ(got.adjusted_rand, want.adjusted_rand);
  EXPECT_EQ(got.nearest_neighbor, want.nearest_neighbor);
  EXPECT_EQ(got.individuals, 60);
  EXPECT_EQ(got.classes, 4);
}

TEST(LabelScores, AGivenTreeAndThreadsChangeNothing) {
  const auto d = test::grid_squares<std::int32_t>(131, 6);
  Labels labels(131);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 3);
  Context one({.device = "cpu", .threads = 1});
  const LabelScores want = label_scores(one, view(d), labels);
  EXPECT_GT(want.silhouette, 0.1);
  const auto tree = linkage(one, view(d), Linkage::average);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    const LabelScores got = label_scores(context, view(d), labels, &tree);
    EXPECT_EQ(got.silhouette, want.silhouette);
    EXPECT_EQ(got.adjusted_rand, want.adjusted_rand);
    EXPECT_EQ(got.nearest_neighbor, want.nearest_neighbor);
  }
}

TEST(LabelScores, DuplicatesOfEveryClassScoreZero) {
  Context context;
  const auto d = test::symmetric<double>(6, [](auto, auto) { return 0; });
  const LabelScores scores = label_scores(context, view(d), {0, 0, 0, 1, 1, 1});
  EXPECT_EQ(scores.silhouette, 0);
  // Everybody's nearest is the smallest index but its own.
  EXPECT_EQ(scores.nearest_neighbor, 0.5);
}

TEST(LabelScores, FewerThanTwoClassesAreRefused) {
  Context context;
  const auto d = test::eight_points();
  EXPECT_THROW(label_scores(context, view(d), Labels(8, 4)), Error);
  EXPECT_THROW(label_scores(context, view(d), Labels(8, -1)), Error);
  EXPECT_THROW(label_scores(context, view(d), Labels(7, 0)), Error);
  EXPECT_THROW(label_scores(context, MatrixView<const float>(), {}), Error);
}

TEST(LabelScores, ALabelOfItsOwnForEveryoneScoredOne) {
  Context context;
  const auto d = test::eight_points();
  const Labels own = {0, -1, 1, 2, 3, 4, 5, 6};
  EXPECT_TRUE(all_alone(own));
  EXPECT_THROW(label_scores(context, view(d), own), Error);
  EXPECT_FALSE(all_alone({0, 1, 1}));
  EXPECT_FALSE(all_alone({-1, -1}));
  EXPECT_FALSE(all_alone({}));
}

TEST(AdjustedRand, EqualsScikitLearn) {
  EXPECT_NEAR(adjusted_rand({0, 0, 1, 1}, {0, 0, 1, 2}), 0.5714285714285714, 1e-15);
  EXPECT_NEAR(adjusted_rand({0, 0, 1, 1, 2, 2}, {0, 1, 1, 2, 2, 0}), -0.25, 1e-15);
  EXPECT_NEAR(adjusted_rand({0, 0, 0, 1, 1, 1}, {0, 0, 1, 1, 2, 2}), 0.24242424242424243, 1e-15);
  EXPECT_EQ(adjusted_rand({0, 0, 0, 0}, {0, 1, 2, 3}), 0);
}

TEST(AdjustedRand, IsOneForEqualPartitionsWhateverTheirNumbers) {
  EXPECT_EQ(adjusted_rand({0, 0, 1, 1, 2}, {9, 9, 4, 4, 0}), 1);
  EXPECT_EQ(adjusted_rand({0, 0, 0}, {5, 5, 5}), 1);
  EXPECT_EQ(adjusted_rand({0, 1, 2}, {2, 1, 0}), 1);
  EXPECT_EQ(adjusted_rand({}, {}), 1);
  EXPECT_EQ(adjusted_rand({3}, {4}), 1);
  EXPECT_THROW(adjusted_rand({0, 1}, {0}), Error);
}

}  // namespace
}  // namespace yupana::analysis
