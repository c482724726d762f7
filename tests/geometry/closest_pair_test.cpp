#include "yupana/geometry/closest_pair.hpp"

#include "tests/geometry/points.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/geometry/closest_pair_backends.hpp"
#include "yupana/geometry/grid.hpp"

namespace yupana::geometry {
namespace {

using testing::Cloud;
using testing::lattice;
using testing::points_of;
using testing::uniform;

constexpr ClosestPairParams divide{.method = ClosestMethod::divide};

template <class T>
ClosestPair closest(Context& context, const Matrix<T>& points, const ClosestPairParams& how = {}) {
  return closest_pair<T>(context, points.view(), how);
}

template <class T>
ClosestPair expected(const Matrix<T>& points) {
  Context context({.device = "reference"});
  return closest(context, points);
}

template <class T>
class ClosestPairOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ClosestPairOf, Types);

TEST(ClosestPairReference, FindsWhatAHandFinds) {
  const double at[] = {0, 0, 10, 0, 4, 3, 10, 1, -5, 8};
  Context context({.device = "reference"});
  const ClosestPair pair = closest_pair<double>(context, {at, 5, 2});
  EXPECT_EQ(pair, (ClosestPair{1, 3, 1.0}));
}

TEST(ClosestPairReference, TakesTheFirstOfEqualDistances) {
  const double at[] = {9, 9, 2, 0, 0, 0, 1, 0, 7, 9, 3, 0};
  Context context({.device = "reference"});
  // 1: (1, 3), (1, 5), (2, 3)
  EXPECT_EQ(closest_pair<double>(context, {at, 6, 2}), (ClosestPair{1, 3, 1.0}));
}

TEST(ClosestPairReference, KnowsDistancesWhoseSquaresDoNotFitADouble) {
  Context context({.device = "reference"});
  const double large[] = {1e300, 0, -1e300, 0, 1e300, 3e299};
  EXPECT_EQ(closest_pair<double>(context, {large, 3, 2}), (ClosestPair{0, 2, 3e299}));
  const double small[] = {5e-324, 0, 0, 0, 1, 1};
  EXPECT_EQ(closest_pair<double>(context, {small, 3, 2}), (ClosestPair{0, 1, 5e-324}));
  const double both[] = {1.7e308, 1e-200, -1.7e308, 3e-200, 1.7e308, 4e-200};
  EXPECT_EQ(closest_pair<double>(context, {both, 3, 2}), (ClosestPair{0, 2, 3e-200}));
}

TYPED_TEST(ClosestPairOf, EveryMethodEqualsAllPairsForEveryShape) {
  // Around all pairs, the sample, and the bases of divide and conquer.
  const std::vector<std::int64_t> sizes = {2,
                                           3,
                                           4,
                                           15,
                                           16,
                                           17,
                                           31,
                                           33,
                                           cpu::max_all_pairs_points - 1,
                                           cpu::max_all_pairs_points,
                                           cpu::max_all_pairs_points + 1,
                                           1999};
  Context context({.device = "cpu"});
  for (std::int64_t d = 1; d <= max_dimensions; ++d) {
    for (const std::int64_t n : sizes) {
      const auto points = uniform<TypeParam>(n, d, static_cast<std::uint64_t>(n));
      const ClosestPair want = expected(points);
      ASSERT_EQ(closest(context, points), want) << n << " x " << d;
      ASSERT_EQ(closest(context, points, divide), want) << n << " x " << d;
    }
  }
}

TYPED_TEST(ClosestPairOf, TiesGoToTheSmallestPairOfAll) {
  Context context({.device = "cpu"});
  for (std::int64_t d = 1; d <= max_dimensions; ++d) {
    for (const std::uint64_t side : {2, 9, 40, 100000}) {
      for (const std::int64_t n : {50, 1777}) {
        const auto points = lattice<TypeParam>(n, d, side, static_cast<std::uint64_t>(n) + side);
        const ClosestPair want = expected(points);
        ASSERT_EQ(closest(context, points), want) << n << " x " << d << " of " << side;
        ASSERT_EQ(closest(context, points, divide), want) << n << " x " << d << " of " << side;
      }
    }
  }
}

TYPED_TEST(ClosestPairOf, HardCloudsAreNoHarder) {
  constexpr std::int64_t n = 3001;
  Context context({.device = "cpu"});
  for (const Cloud& cloud : testing::hard_clouds(n)) {
    for (const std::int64_t d : {1, 2, 3, 5, 8}) {
      const auto points = points_of<TypeParam>(n, d, cloud.at);
      const ClosestPair want = expected(points);
      ASSERT_EQ(closest(context, points), want) << cloud.name << " in " << d;
      ASSERT_EQ(closest(context, points, divide), want) << cloud.name << " in " << d;
    }
  }
}

TEST(ClosestPair, SquaresThatOverflowOrVanishDoNotMatter) {
  Context context({.device = "cpu"});
  for (const std::int64_t n : {2, 40, 2003}) {
    for (const Cloud& cloud : testing::extreme_clouds(n)) {
      for (const std::int64_t d : {1, 2, 3, 8}) {
        const auto points = points_of<double>(n, d, cloud.at);
        const ClosestPair want = expected(points);
        ASSERT_EQ(closest(context, points), want) << cloud.name << " in " << d << " n " << n;
        ASSERT_EQ(closest(context, points, divide), want) << cloud.name << " in " << d;
      }
    }
  }
}

TEST(ClosestPair, DistancesDoNotDependOnPowersOfTwo) {
  Context context({.device = "cpu"});
  const auto points = uniform<double>(700, 2);
  const ClosestPair want = closest(context, points);
  for (const int exponent : {-900, -500, -402, -398, 380, 420, 600, 1000}) {
    auto scaled = points_of<double>(
        700, 2, [&](auto i, auto k) { return std::ldexp(points(i, k), exponent); });
    const ClosestPair got = closest(context, scaled);
    EXPECT_EQ(got, (ClosestPair{want.i, want.j, std::ldexp(want.distance, exponent)})) << exponent;
  }
}

TYPED_TEST(ClosestPairOf, BucketsEqualDivideAndConquerForAnyThreads) {
  // Large enough to be dealt into buckets; all pairs would take minutes.
  const std::int64_t n = cpu::min_bucketed_points + 77;
  for (const std::int64_t d : {1, 2, 3}) {
    std::vector<Matrix<TypeParam>> clouds;
    clouds.push_back(uniform<TypeParam>(n, d, 3));
    clouds.push_back(uniform<TypeParam>(n, d, 4, -1000));
    clouds.push_back(lattice<TypeParam>(n, d, d == 1 ? 1 << 23 : (d == 2 ? 1 << 16 : 1 << 10)));
    for (const auto& points : clouds) {
      Context one({.device = "cpu", .threads = 1});
      const ClosestPair want = closest(one, points, divide);
      for (const int threads : {1, 2, 7}) {
        Context context({.device = "cpu", .threads = threads});
        ASSERT_EQ(closest(context, points), want) << d << " threads " << threads;
        ASSERT_EQ(closest(context, points, divide), want) << d << " threads " << threads;
      }
    }
  }
}

TYPED_TEST(ClosestPairOf, LargeHardCloudsEqualDivideAndConquer) {
  const std::int64_t n = cpu::min_bucketed_points + 1;
  Context context({.device = "cpu"});
  for (const Cloud& cloud : testing::hard_clouds(n)) {
    for (const std::int64_t d : {2, 3}) {
      const auto points = points_of<TypeParam>(n, d, cloud.at);
      ASSERT_EQ(closest(context, points), closest(context, points, divide))
          << cloud.name << " in " << d;
    }
  }
}

TEST(ClosestPair, AMillionEqualPointsAreFast) {
  constexpr std::int64_t n = 1'000'000;
  Context context({.device = "cpu"});
  auto points = points_of<double>(n, 2, [](auto, auto k) { return k == 0 ? 1.5 : -2.5; });
  EXPECT_EQ(closest(context, points), (ClosestPair{0, 1, 0}));
  EXPECT_EQ(closest(context, points, divide), (ClosestPair{0, 1, 0}));
  // The smallest pair is of another point, met late.
  points(0, 0) = points(n - 1, 0) = 7;
  EXPECT_EQ(closest(context, points), (ClosestPair{0, n - 1, 0}));
  EXPECT_EQ(closest(context, points, divide), (ClosestPair{0, n - 1, 0}));
}

TEST(ClosestPair, EqualPairsThatASampleMissesAreFound) {
  Context context({.device = "cpu"});
  for (const std::int64_t n : {5000, 300001}) {
    auto points = uniform<double>(n, 2, 5);
    for (const auto& [a, b] : {std::pair{n / 3, n / 2}, std::pair{n / 4, n - 1}}) {
      points(a, 0) = points(b, 0);
      points(a, 1) = points(b, 1);
    }
    points(n / 4, 0) = 0.0;
    points(n - 1, 0) = -0.0;
    EXPECT_EQ(closest(context, points), (ClosestPair{n / 4, n - 1, 0}));
    EXPECT_EQ(closest(context, points, divide), (ClosestPair{n / 4, n - 1, 0}));
  }
}

TEST(ClosestPair, RowsMayBeApart) {
  Context context({.device = "cpu"});
  const auto wide = uniform<float>(4000, 5);
  const auto narrow = points_of<float>(4000, 2, [&](auto i, auto k) { return wide(i, k + 1); });
  const ClosestPair want = expected(narrow);
  const MatrixView<const float> view(wide.data() + 1, 4000, 2, 5);
  EXPECT_EQ(closest_pair<float>(context, view), want);
  EXPECT_EQ(closest_pair<float>(context, view, divide), want);
}

TEST(ClosestPair, RefusesWhatHasNoAnswer) {
  Context context({.device = "cpu"});
  const auto refusal = [&](const Matrix<double>& points) {
    return test::refusal([&] { closest(context, points); });
  };
  EXPECT_EQ(refusal(uniform<double>(1, 2)), "closest pair: expected at least 2 points, got 1");
  EXPECT_EQ(refusal(uniform<double>(0, 2)), "closest pair: expected at least 2 points, got 0");
  EXPECT_NE(refusal(uniform<double>(5, 9)).find("expected 1 to 8 coordinates, got 9"),
            std::string::npos);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (const std::int64_t n : {3, 200000}) {
      for (const std::int64_t row : {std::int64_t{0}, n / 2, n - 1}) {
        auto points = uniform<double>(n, 3);
        points(row, 2) = bad;
        points(n - 1, 1) = bad;
        EXPECT_NE(refusal(points).find("row " + std::to_string(row + 1) + " "), std::string::npos);
      }
    }
  }
}

TEST(ClosestPair, StopsWhenCancelled) {
  for (const auto& how : {ClosestPairParams{}, divide}) {
    Context context({.device = "cpu"});
    const auto points = uniform<double>(100000, 2);
    context.cancel();
    EXPECT_THROW(closest(context, points, how), Error);
  }
}

TEST(ClosestPairGrid, NeighboursWithinTheBoundAreInNeighbouringCells) {
  // What the pruning rests on, at every magnitude and around every seam.
  const Random random(11);
  std::uint64_t word = 0;
  for (const double ratio : {4.0, 8.0}) {
    for (const int exponent : {-390, -60, 0, 50, 300}) {
      const double r = std::ldexp(1 + random.uniform(word++), exponent);
      const Grid grid(r * r, normal_unit, ratio);
      for (int scale = -5; scale < 70; ++scale) {
        for (int trial = 0; trial < 200; ++trial) {
          double x = r * ratio * std::ldexp(1 + random.uniform(word++) * (trial % 3), scale);
          if (trial % 5 == 0)
            x = r * ratio * std::ldexp(1.0, scale) * (1 + (trial - 100) * 0x1p-52);
          if (trial % 2) x = -x;
          double y = x + r * random.uniform(word++);
          if (trial % 7 == 0) y = x + r;
          if (!((y - x) * (y - x) <= r * r)) continue;
          const Cell a = grid.cell(x), b = grid.cell(y);
          ASSERT_LE(a.at, b.at) << x << " " << y;
          ASSERT_LE(b.at, a.at + 1) << x << " " << y;
          if (a.at != b.at) {
            ASSERT_TRUE(a.high) << x << " " << y;
            ASSERT_TRUE(b.low) << x << " " << y;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace yupana::geometry
