// Kept, replaced, longer and unreachable pairs; components; certificates and bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/graph/graphs.hpp"
#include "yupana/graph/fermat.hpp"

namespace yupana::graph {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Points of the unit square in `groups` that no edge joins: point i is in group i mod groups.
SquareMatrix<double> points(std::int64_t n, std::int64_t groups, std::uint64_t seed) {
  const Random random(seed);
  SquareMatrix<double> d(n);
  const auto coordinate = [&](std::int64_t i, std::uint64_t axis) {
    return random.uniform(2 * static_cast<std::uint64_t>(i) + axis);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const double x = coordinate(i, 0) - coordinate(j, 0), y = coordinate(i, 1) - coordinate(j, 1);
      d(i, j) = i % groups == j % groups ? std::sqrt(x * x + y * y) : infinity;
    }
  }
  return d;
}

double at(const FermatResult& result, std::int64_t i, std::int64_t j) {
  return std::visit(
      [&]<class T>(const SquareMatrix<T>& m) {
        return m(i, j) == unreachable<T> ? infinity : static_cast<double>(m(i, j));
      },
      result.lengths);
}

double sum(const FermatResult& f) {
  return f.kept_edges + f.replaced_edges + f.longer_edges + f.unreachable_pairs;
}

class EdgeShares : public testing::Test {
 protected:
  Context context_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};

TEST_F(EdgeShares, AbsentEdgesAreNotKeptAndComponentsAreCounted) {
  const std::int64_t n = 60;
  const auto d = points(n, 3, 1);
  for (Context* context : {&context_, &reference_}) {
    for (const FermatParams& params : {FermatParams{},
                                       FermatParams{.prune = false},
                                       FermatParams{.alpha = 300},
                                       FermatParams{.root = true},
                                       FermatParams{.landmarks = 9}}) {
      const auto f = fermat(*context, copy_of(d), Entries::distances, params);
      EXPECT_EQ(f.components, 3);
      EXPECT_DOUBLE_EQ(f.unreachable_pairs, (60.0 * 59 - 3 * 20 * 19) / (60 * 59));
      if (params.alpha == 300) {  // the smallest weights vanish: the shares are not known
        EXPECT_TRUE(std::isnan(f.kept_edges) && std::isnan(f.longer_edges));
        EXPECT_TRUE(std::isnan(f.replaced_edges));
      } else {
        EXPECT_EQ(f.longer_edges, 0);
        EXPECT_DOUBLE_EQ(sum(f), 1);
      }
      EXPECT_EQ(at(f, 0, 1), infinity);
      EXPECT_LT(at(f, 0, 3), infinity);
    }
    EXPECT_EQ(fermat(*context, copy_of(d), Entries::distances, {.alpha = 1}).replaced_edges, 0);
    EXPECT_GT(fermat(*context, copy_of(d), Entries::distances, {.alpha = 4}).replaced_edges, 0.1);
  }
}

TEST_F(EdgeShares, AFoundPathReplacesAnAbsentEdge) {
  const auto d = matrix_of<double>(3, {0, 1, infinity, 1, 0, 1, infinity, 1, 0});
  for (const bool prune : {false, true}) {
    const auto f = fermat(context_, copy_of(d), Entries::distances, {.prune = prune});
    EXPECT_EQ(f.components, 1);
    EXPECT_EQ(f.unreachable_pairs, 0);
    EXPECT_DOUBLE_EQ(f.kept_edges, 2.0 / 3);
    EXPECT_DOUBLE_EQ(f.replaced_edges, 1.0 / 3);
  }
}

TEST_F(EdgeShares, AutomaticAlphaLooksAtEdgesAndNotAtAbsentOnes) {
  const AnyMatrix d = points(60, 3, 2);
  const double alpha = automatic_alpha(context_, d, Entries::distances);
  EXPECT_GT(alpha, 1);
  const double edges = 3 * 20 * 19 / (60.0 * 59);
  const auto kept = kept_edges(context_, d, Entries::distances, {1, alpha});
  EXPECT_DOUBLE_EQ(kept[0], edges);
  EXPECT_LE(kept[1], edges / 2);
}

TEST_F(EdgeShares, NearestNeighborsAreComparedWithAllEdges) {
  const std::int64_t n = 90;
  for (const double alpha : {2.0, 4.0, 16.0}) {
    const FermatParams all = {.alpha = alpha, .precision = Precision::float64};
    const auto d = points(n, 1, 3);
    const auto exact = fermat(context_, copy_of(d), Entries::distances, all);
    double certified_before = 0;
    for (const std::int64_t k : {1, 4, 12, 40, 89, 200}) {
      FermatParams params = all;
      params.neighbors = k;
      const auto f = fermat(context_, copy_of(d), Entries::distances, params);
      std::int64_t kept = 0, longer = 0, far = 0, same = 0;
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
          const double length = at(f, i, j), weight = std::pow(d(i, j), alpha);
          far += length == infinity;
          kept += std::abs(length - weight) <= 1e-12 * weight;
          longer += length != infinity && length > (1 + 1e-12) * weight;
          same += length <= at(exact, i, j) * (1 + 1e-12);
        }
      }
      const double pairs = 90.0 * 89 / 2;
      EXPECT_DOUBLE_EQ(f.kept_edges, static_cast<double>(kept) / pairs);
      EXPECT_DOUBLE_EQ(f.longer_edges, static_cast<double>(longer) / pairs);
      EXPECT_DOUBLE_EQ(f.unreachable_pairs, static_cast<double>(far) / pairs);
      EXPECT_DOUBLE_EQ(sum(f), 1);
      EXPECT_LE(f.replaced_edges, exact.replaced_edges);
      // Certified lengths are exact, and few neighbours certify some of them.
      EXPECT_LE(f.certified * pairs, static_cast<double>(same) + 0.5);
      EXPECT_GT(f.certified, 0);
      EXPECT_GE(f.certified, certified_before);
      certified_before = f.certified;
      if (k >= n - 1) {
        EXPECT_EQ(f.certified, 1);
        EXPECT_EQ(f.kept_edges, exact.kept_edges);
      }
    }
  }
}

TEST_F(EdgeShares, LandmarksGiveBoundsInFloatsWhereTheyNearlyCancel) {
  const std::int64_t n = 150;
  const auto d = points(n, 1, 4);
  EXPECT_EQ(FermatParams{}.estimate, LandmarkEstimate::upper);
  for (const double alpha : {2.0, 8.0}) {  // beyond, small weights are no floats
    const auto exact = fermat(context_,
                              copy_of(d),
                              Entries::distances,
                              {.alpha = alpha, .precision = Precision::float64});
    const auto run = [&](LandmarkEstimate estimate) {
      return fermat(
          context_,
          copy_of(d),
          Entries::distances,
          {.alpha = alpha, .precision = Precision::float32, .landmarks = 10, .estimate = estimate});
    };
    const auto upper = run(LandmarkEstimate::upper), lower = run(LandmarkEstimate::lower);
    ASSERT_EQ(upper.lengths.index(), 1u);
    const double unit = std::pow(exact.scale / lower.scale, alpha);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const double length = at(exact, i, j) * unit;
        ASSERT_LE(at(lower, i, j), length * (1 + 1e-6)) << alpha << ' ' << i << ' ' << j;
        ASSERT_GE(at(upper, i, j), length * (1 - 1e-6)) << alpha << ' ' << i << ' ' << j;
      }
    }
    EXPECT_LE(upper.replaced_edges, exact.replaced_edges);
    EXPECT_LE(lower.kept_edges, exact.kept_edges);
  }
}

TEST_F(EdgeShares, RootedLengthsKnowTheScaleOfTheirWeights) {
  const auto f =
      fermat(context_, points(40, 1, 5), Entries::distances, {.alpha = 2000, .root = true});
  EXPECT_EQ(f.scale, 1);
  EXPECT_EQ(f.precision, Precision::float64);
  const auto g = fermat(context_, points(40, 1, 5), Entries::distances, {.alpha = 2000});
  EXPECT_NE(g.scale, 1);
  EXPECT_EQ(f.weight_scale, g.scale);
  EXPECT_EQ(g.weight_scale, g.scale);
}

}  // namespace
}  // namespace yupana::graph
