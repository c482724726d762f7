#include "tests/graph/fermat_fixture.hpp"

namespace yupana::graph {
namespace {

using FermatCurve = Fermat;

TEST_F(FermatCurve, KeptEdgesFallWithAlphaAndAutomaticAlphaHalvesThem) {
  const Random random(21);
  SquareMatrix<double> scattered(140);  // points of the unit cube in five dimensions
  for (std::int64_t i = 0; i < 140; ++i) {
    for (std::int64_t j = 0; j < 140; ++j) {
      double sum = 0;
      for (std::int64_t axis = 0; axis < 5; ++axis) {
        const double step = random.uniform(static_cast<std::uint64_t>(5 * i + axis)) -
                            random.uniform(static_cast<std::uint64_t>(5 * j + axis));
        sum += step * step;
      }
      scattered(i, j) = sum;
    }
  }
  const AnyMatrix d2 = std::move(scattered);
  const auto kept = kept_edges(context_, d2, Entries::squares, {1, 1.5, 2, 4, 8, 16});
  for (std::size_t i = 1; i < kept.size(); ++i) EXPECT_LE(kept[i], kept[i - 1]);
  const double alpha = automatic_alpha(context_, d2, Entries::squares);
  ASSERT_GT(alpha, 1);
  ASSERT_LT(alpha, 64);
  const auto around = kept_edges(context_, d2, Entries::squares, {alpha / 1.02, alpha});
  EXPECT_GT(around[0], 0.5);
  EXPECT_LE(around[1], 0.5);
}

TEST_F(FermatCurve, SampleDependsOnTheSeedAlone) {
  const AnyMatrix d2 = squared_distances(200, 22);
  const std::vector<double> alphas = {2.0, 3.0};
  const auto a = kept_edges(context_, d2, Entries::squares, alphas, 50, 1);
  Context one({.device = "cpu", .threads = 1});
  EXPECT_EQ(a, kept_edges(one, d2, Entries::squares, alphas, 50, 1));
  EXPECT_NE(a, kept_edges(context_, d2, Entries::squares, alphas, 50, 2));
}

}  // namespace
}  // namespace yupana::graph
