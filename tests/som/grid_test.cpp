#include "yupana/som/grid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "yupana/core/error.hpp"
#include "yupana/som/schedule.hpp"

namespace yupana::som {
namespace {

TEST(Grid, RectangularDistancesAreThoseOfThePlane) {
  const Grid grid{3, 4};
  EXPECT_EQ(four_squares(grid, offset_between(grid, 0, 11)), 4 * (2 * 2 + 3 * 3));
  const Grid torus{3, 4, Lattice::rectangular, true};
  EXPECT_EQ(four_squares(torus, offset_between(torus, 0, 11)), 4 * (1 + 1));
}

TEST(Grid, EveryInnerHexagonalNeuronHasSixNeighborsAtDistanceOne) {
  const Grid grid{5, 6, Lattice::hexagonal};
  EXPECT_EQ(neighbors_of(grid, 2 * 6 + 3, 6), (std::vector<std::int64_t>{8, 9, 14, 16, 20, 21}));
  EXPECT_EQ(neighbors_of(grid, 3 * 6 + 3, 6), (std::vector<std::int64_t>{15, 16, 20, 22, 27, 28}));
  const Grid torus{4, 6, Lattice::hexagonal, true};
  for (std::int64_t i = 0; i < torus.size(); ++i) EXPECT_EQ(neighbors_of(torus, i, 6).size(), 6u);
}

TEST(Grid, AdjacencyIsSymmetricAndNeverOfANeuronWithItself) {
  for (const Grid& grid : {Grid{4, 5},
                           Grid{4, 5, Lattice::rectangular, true},
                           Grid{4, 5, Lattice::hexagonal},
                           Grid{1, 2, Lattice::rectangular, true},
                           Grid{2, 2, Lattice::rectangular, true}}) {
    const int neighbors = default_neighbors(grid);
    for (std::int64_t a = 0; a < grid.size(); ++a) {
      EXPECT_FALSE(adjacent(grid, a, a, neighbors));
      const auto listed = neighbors_of(grid, a, neighbors);
      for (std::int64_t b = 0; b < grid.size(); ++b) {
        EXPECT_EQ(adjacent(grid, a, b, neighbors), adjacent(grid, b, a, neighbors));
        EXPECT_EQ(adjacent(grid, a, b, neighbors),
                  std::find(listed.begin(), listed.end(), b) != listed.end());
      }
    }
  }
}

TEST(Grid, FourNeighborsLeaveTheDiagonalOut) {
  const Grid grid{3, 3};
  EXPECT_EQ(neighbors_of(grid, 4, 4), (std::vector<std::int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(neighbors_of(grid, 4, 8).size(), 8u);
  EXPECT_EQ(neighbors_of(grid, 0, 8), (std::vector<std::int64_t>{1, 3, 4}));
}

TEST(Grid, ImpossibleMapsAreRefused) {
  EXPECT_THROW(check_grid({0, 3}), Error);
  EXPECT_THROW(check_grid({3, 0}), Error);
  EXPECT_THROW(check_grid({3, 4, Lattice::hexagonal, true}), Error);
  EXPECT_NO_THROW(check_grid({1, 1}));
  EXPECT_NO_THROW(check_grid({1 << 10, 1 << 20}));
  EXPECT_THROW(check_grid({1 << 12, 1 << 20}), Error);
  EXPECT_THROW(check_grid({1 << 21, 1}), Error);
}

TEST(Schedule, DecaysToTauAndEndsSmooth) {
  const Schedule schedule = resolved({10, 5, 4, 0.1, 10}, {8, 7});
  EXPECT_DOUBLE_EQ(schedule.sigma(0), 4);
  EXPECT_DOUBLE_EQ(schedule.sigma(4), 4 * std::exp(-0.4));
  EXPECT_DOUBLE_EQ(schedule.sigma(5), 0.1);
  EXPECT_DOUBLE_EQ(schedule.sigma(9), 0.1);
}

TEST(Schedule, AutomaticTauReachesTheFinalSigmaWhenTheSmoothPartBegins) {
  const Schedule schedule = resolved({30, 10, 6, 0.5, 0}, {8, 7});
  EXPECT_NEAR(schedule.sigma(20), 0.5, 1e-12);
  EXPECT_NEAR(6 * std::exp(-20 / schedule.tau), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(resolved({}, {8, 20}).sigma0, 10);
}

TEST(Schedule, ImpossibleRadiiAreRefused) {
  const Grid grid{3, 3};
  EXPECT_THROW(resolved({10, 0, -1, 0.1, 10}, grid), Error);
  EXPECT_THROW(resolved({10, 0, 4, 0, 10}, grid), Error);
  EXPECT_THROW(resolved({10, 0, 4, 0.1, -1}, grid), Error);
  EXPECT_THROW(resolved({10, 11, 4, 0.1, 10}, grid), Error);
  EXPECT_THROW(resolved({-1, 0, 4, 0.1, 10}, grid), Error);
}

TEST(Neighborhood, HasTheValuesOfItsFormula) {
  const Grid grid{4, 4};
  const auto gaussian = neighborhood_table(grid, Neighborhood::gaussian, 1.5);
  EXPECT_DOUBLE_EQ(neighborhood_at(gaussian, grid, 0, 0), 1);
  EXPECT_DOUBLE_EQ(neighborhood_at(gaussian, grid, 0, 5), std::exp(-2 / 4.5));
  const auto truncated = neighborhood_table(grid, Neighborhood::truncated, 1.5);
  EXPECT_DOUBLE_EQ(neighborhood_at(truncated, grid, 0, 5), std::exp(-std::sqrt(2.0) / 4.5));
  EXPECT_EQ(neighborhood_at(truncated, grid, 0, 3), 0) << "3 > sigma^2";
  const auto bubble = neighborhood_table(grid, Neighborhood::bubble, 1.5);
  EXPECT_EQ(neighborhood_at(bubble, grid, 0, 5), 1);
  EXPECT_EQ(neighborhood_at(bubble, grid, 0, 2), 0);
}

TEST(Neighborhood, DenormalValuesAreZero) {
  const Grid grid{1, 10};
  for (const double h : neighborhood_table(grid, Neighborhood::gaussian, 0.1)) {
    EXPECT_TRUE(h == 0 || h >= negligible);
  }
  EXPECT_EQ(neighborhood_at(neighborhood_table(grid, Neighborhood::gaussian, 0.1), grid, 0, 9), 0);
}

}  // namespace
}  // namespace yupana::som
