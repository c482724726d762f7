#include "yupana/analysis/mds.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numbers>
#include <string>

#include "tests/analysis/matrices.hpp"
#include "tests/support/text_files.hpp"
#include "yupana/analysis/mds_backends.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

using test::view;

/// |B v - lambda v| / (lambda + trace / n) of the worst pair, v = points / sqrt(lambda), with B v
/// summed in long double.
template <class T>
double worst_residual(const MdsResult& result, MatrixView<const T> distances, Entries entries) {
  const std::int64_t n = distances.rows;
  double worst = 0;
  for (std::int64_t k = 0; k < result.points.cols(); ++k) {
    const long double lambda = result.eigenvalues[static_cast<std::size_t>(k)];
    std::vector<long double> product(static_cast<std::size_t>(n));
    long double v_mean = 0, mean = 0, norm = 0;
    for (std::int64_t j = 0; j < n; ++j) v_mean += result.points(j, k) / n;
    for (std::int64_t i = 0; i < n; ++i) {
      long double& sum = product[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < n; ++j) {
        const long double d = distances(i, j);
        sum += (entries == Entries::squares ? d : d * d) * (result.points(j, k) - v_mean) * -0.5L;
      }
      mean += sum / n;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      const long double r =
          product[static_cast<std::size_t>(i)] - mean - lambda * result.points(i, k);
      norm += r * r / lambda;
    }
    const long double residual = std::sqrt(norm) / (lambda + result.trace / n);
    worst = std::max(worst, static_cast<double>(residual));
  }
  return worst;
}

template <class T>
void expect_equals_dense(const SquareMatrix<T>& d, Entries entries, std::int64_t dimensions = 10) {
  Context context({.device = "cpu", .threads = 2});
  const MdsResult got = mds(context, view(d), entries, {.dimensions = dimensions});
  const Eigenpairs want = dense::mds(view(d), entries, std::min(dimensions, d.size() - 1));
  const double largest = want.values[0];
  const auto found = static_cast<Eigen::Index>(got.eigenvalues.size());
  ASSERT_LE(found, want.values.size());
  for (Eigen::Index k = 0; k < want.values.size(); ++k) {
    const double value = k < found ? got.eigenvalues[static_cast<std::size_t>(k)] : 0;
    EXPECT_NEAR(value, std::max(want.values[k], 0.0), 1e-9 * largest) << k;
  }
  for (std::size_t k = 0; k < got.share.size(); ++k) {
    EXPECT_NEAR(got.share[k], got.eigenvalues[k] / got.trace, 1e-15);
  }
  EXPECT_LE(worst_residual(got, view(d), entries), 1e-9);
}

TEST(Mds, RecoversARectangle) {
  // Corners (0,0) (3,0) (3,4) (0,4): coordinates +-2 and +-1.5, eigenvalues 4 * 2^2 and 4 * 1.5^2.
  for (const char* device : {"cpu", "reference"}) {
    Context context({.device = device});
    SquareMatrix<std::int32_t> d(4);
    const std::int32_t rows[4][4] = {{0, 3, 5, 4}, {3, 0, 4, 5}, {5, 4, 0, 3}, {4, 5, 3, 0}};
    std::memcpy(d.data(), rows, sizeof rows);
    const MdsResult result = mds(context, view(d), Entries::distances);
    ASSERT_EQ(result.points.cols(), 2);
    EXPECT_NEAR(result.eigenvalues[0], 16, 1e-12);
    EXPECT_NEAR(result.eigenvalues[1], 9, 1e-12);
    EXPECT_NEAR(result.trace, 25, 1e-12);
    EXPECT_NEAR(result.share[0], 0.64, 1e-12);
    for (std::int64_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(std::abs(result.points(i, 0)), 2, 1e-12);
      EXPECT_NEAR(std::abs(result.points(i, 1)), 1.5, 1e-12);
    }
  }
}

TEST(Mds, MatchesNumpyOnDistancesThatNoSpaceHolds) {
  Context context;
  const MdsResult result = mds(context, view(test::eight_points()), Entries::distances);
  const double eigenvalues[] = {
      106.73415532742551, 99.45953004512312, 10.23319952673318, 0.5852442137069789};
  const double first[] = {5.350827463556254,
                          4.136766197471214,
                          4.419615438177568,
                          -2.2821603844643827,
                          -3.563039250808019,
                          -3.5692658706010185,
                          -1.6457764616879924,
                          -2.8469671316436242};
  ASSERT_EQ(result.eigenvalues.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(result.eigenvalues[k], eigenvalues[k], 1e-11);
  for (std::int64_t i = 0; i < 8; ++i) EXPECT_NEAR(result.points(i, 0), first[i], 1e-11);
  EXPECT_NEAR(result.trace, 205, 1e-11);
}

TEST(Mds, SmallestInputsHaveTheirDimensions) {
  Context context;
  for (const std::int64_t n : {0, 1, 2, 3}) {
    const auto d = test::symmetric<float>(n, [](auto, auto) { return 2.0; });
    const MdsResult result = mds(context, view(d), Entries::distances, {.dimensions = 10});
    EXPECT_EQ(result.points.rows(), n);
    EXPECT_EQ(result.points.cols(), std::max<std::int64_t>(n - 1, 0));
    EXPECT_NEAR(result.trace, static_cast<double>(n > 0 ? 2 * (n - 1) : 0), 1e-12);
  }
}

TEST(Mds, DuplicatesAloneHaveNoDimension) {
  Context context;
  for (const std::int64_t n : {5, 300}) {
    const auto d = test::symmetric<std::int32_t>(n, [](auto, auto) { return 0; });
    const MdsResult result = mds(context, view(d), Entries::squares);
    EXPECT_EQ(result.points.rows(), n);
    EXPECT_EQ(result.points.cols(), 0);
    EXPECT_EQ(result.trace, 0);
  }
}

TEST(Mds, IterationEqualsDenseSolverInEveryType) {
  for (const std::int64_t n : {129, 131, 144, 257, 500}) {
    SCOPED_TRACE(n);
    const auto squares = test::grid_squares<std::int32_t>(n, 40);
    expect_equals_dense(squares, Entries::squares);
    expect_equals_dense(squares, Entries::distances);
    expect_equals_dense(test::grid_squares<float>(n, 40), Entries::squares);
    expect_equals_dense(test::random_distances<float>(n, 1, 2), Entries::distances);
    expect_equals_dense(test::random_distances<double>(n, 0, 1), Entries::distances);
  }
}

TEST(Mds, ManyDimensionsEqualDenseSolver) {
  const auto d = test::random_distances<double>(200, 1, 2);
  for (const std::int64_t dimensions : {1, 2, 40, 150, 1000}) {
    expect_equals_dense(d, Entries::distances, dimensions);
  }
}

TEST(Mds, FewerDimensionsWherePointsSpanFewer) {
  // Three dimensions, ten asked for: the rest are zero eigenvalues, most of them exactly.
  Context context;
  for (const std::int64_t n : {100, 400}) {
    const auto d = test::grid_squares<std::int32_t>(n, 3);
    const MdsResult result = mds(context, view(d), Entries::squares);
    EXPECT_EQ(result.points.cols(), 3);
    EXPECT_NEAR(result.share[0] + result.share[1] + result.share[2], 1, 1e-10);
  }
}

TEST(Mds, NegativeEigenvaluesLargerThanAnyPositiveAreNotTaken) {
  // Far inside two groups, near between them: no space holds that; lambda = -(1 - 0.01) n / 4.
  const Random random(3);
  const auto d = test::symmetric<double>(200, [&](std::int64_t i, std::int64_t j) {
    return (i % 2 == j % 2 ? 1.0 : 0.1) + 0.01 * random.uniform(std::uint64_t(i * 200 + j));
  });
  expect_equals_dense(d, Entries::distances);
}

TEST(Mds, CopiesOfAMultipleEigenvalueAreAllFound) {
  Context context;
  // Equidistant: 1/2, n - 1 times.
  const auto simplex = test::symmetric<double>(300, [](auto, auto) { return 1.0; });
  for (const double value : mds(context, view(simplex), Entries::distances).eigenvalues) {
    EXPECT_NEAR(value, 0.5, 1e-9);
  }
  // Six equidistant groups of fifty duplicates: 25, five times, and nothing else.
  const auto groups = test::symmetric<std::int32_t>(
      300, [](std::int64_t i, std::int64_t j) { return i % 6 == j % 6 ? 0 : 1; });
  const MdsResult of_groups = mds(context, view(groups), Entries::distances);
  ASSERT_EQ(of_groups.eigenvalues.size(), 5u);
  for (const double value : of_groups.eigenvalues) EXPECT_NEAR(value, 25, 1e-8);
  // Along the arc of a ring: every eigenvalue twice.
  const auto ring = test::symmetric<float>(
      256, [](std::int64_t i, std::int64_t j) { return std::min(j - i, 256 - (j - i)); });
  expect_equals_dense(ring, Entries::distances);
  // On its chords: two dimensions of the same size.
  const auto chords = test::symmetric<double>(300, [](std::int64_t i, std::int64_t j) {
    return 2 * std::sin(std::numbers::pi * static_cast<double>(j - i) / 300);
  });
  const MdsResult circle = mds(context, view(chords), Entries::distances);
  ASSERT_EQ(circle.eigenvalues.size(), 2u);
  EXPECT_NEAR(circle.eigenvalues[0], 150, 1e-8);
  EXPECT_NEAR(circle.eigenvalues[1], 150, 1e-8);
}

TEST(Mds, TwoCloudsInOrthogonalSpacesHaveEveryEigenvalueTwice) {
  // Found once only, by one Krylov space. Points x_i in the first cloud and the same in the second:
  // |x - y|^2 inside, |x|^2 + |y|^2 between; integers around the origin, so that nothing is
  // rounded.
  constexpr std::int64_t half = 100;
  for (const std::int64_t dimensions : {50, 300}) {
    const Random random(7);
    const auto x = [&](std::int64_t i, std::int64_t k) {
      const std::int64_t sign = i % 2 == 0 ? 1 : -1;
      const std::uint64_t at = static_cast<std::uint64_t>(i % half / 2 * dimensions + k);
      return sign * (static_cast<std::int64_t>(random.word(at) % 2001) - 1000);
    };
    const auto d = test::symmetric<double>(2 * half, [&](std::int64_t i, std::int64_t j) {
      const std::int64_t together = i / half == j / half ? 1 : 0;
      std::int64_t sum = 0;
      for (std::int64_t k = 0; k < dimensions; ++k) {
        sum += x(i, k) * x(i, k) + x(j, k) * x(j, k) - 2 * together * x(i, k) * x(j, k);
      }
      return sum;
    });
    for (const std::int64_t wanted : {1, 2, 3, 10})
      expect_equals_dense(d, Entries::squares, wanted);
  }
}

TEST(Mds, LargestEntryOfAnAxisIsPositive) {
  Context context;
  const auto d = test::random_distances<float>(150, 1, 2);
  const MdsResult result = mds(context, view(d), Entries::distances);
  ASSERT_EQ(result.points.cols(), 10);
  for (std::int64_t k = 0; k < 10; ++k) {
    double extreme = 0;
    for (std::int64_t i = 0; i < 150; ++i) {
      if (std::abs(result.points(i, k)) > std::abs(extreme)) extreme = result.points(i, k);
    }
    EXPECT_GT(extreme, 0);
  }
}

TEST(Mds, ThreadsAndStrideDoNotChangeABit) {
  const auto d = test::grid_squares<float>(333, 20);
  Matrix<float> wide(333, 350);
  for (std::int64_t i = 0; i < 333; ++i) std::memcpy(wide.row(i), d.row(i), 333 * sizeof(float));
  const MatrixView<const float> strided(wide.data(), 333, 333, 350);
  Context one({.device = "cpu", .threads = 1});
  const MdsResult want = mds(one, view(d), Entries::distances);
  for (const int threads : {1, 2, 7}) {
    Context context({.device = "cpu", .threads = threads});
    const MdsResult got = mds(context, strided, Entries::distances);
    EXPECT_EQ(got.eigenvalues, want.eigenvalues);
    ASSERT_EQ(got.points.cols(), want.points.cols());
    EXPECT_EQ(std::memcmp(got.points.data(), want.points.data(), 333 * 10 * sizeof(double)), 0);
  }
}

TEST(Mds, ProductEqualsTheSumItStandsFor) {
  for (const std::int64_t n : {1, 2, 15, 16, 17, 31, 32, 33, 101}) {
    const auto d = test::random_distances<double>(n, 0, 10);
    Array<double> x = Array<double>::zeros(n + 16), sums(n);
    for (std::int64_t j = 0; j < n; ++j) x[j] = static_cast<double>(j % 5) - 1.5;
    for (const Entries entries : {Entries::distances, Entries::squares}) {
      cpu::shifted_product(view(d), entries, 3.25, x.data(), 0, n, sums.data());
      for (std::int64_t i = 0; i < n; ++i) {
        double want = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          want += ((entries == Entries::squares ? d(i, j) : d(i, j) * d(i, j)) - 3.25) * x[j];
        }
        EXPECT_NEAR(sums[i], want, 1e-10) << n;
      }
    }
  }
}

std::string refusal(const SquareMatrix<float>& d) {
  Context context;
  try {
    mds(context, view(d), Entries::distances);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(Mds, UnreachablePairsAreRefusedByRowAndColumn) {
  const auto apart = test::symmetric<float>(
      9, [](std::int64_t i, std::int64_t j) { return i % 3 == j % 3 ? 1.0 : test::infinity; });
  EXPECT_NE(refusal(apart).find("row 1, column 2,"), std::string::npos) << refusal(apart);
  Context context;
  const auto integers = test::symmetric<std::int32_t>(
      9, [](std::int64_t i, std::int64_t j) { return i % 2 == j % 2 ? 1 : 0x3fffffff; });
  EXPECT_THROW(mds(context, view(integers), Entries::squares), Error);
}

TEST(Mds, BadDistancesAreRefusedWithTheirPlace) {
  auto d = test::random_distances<float>(70, 1, 2);
  d(65, 3) = std::numeric_limits<float>::quiet_NaN();
  d(66, 4) = d(66, 2) = -1;
  EXPECT_NE(refusal(d).find("got nan at (65, 3)"), std::string::npos) << refusal(d);
  d(65, 3) = 1;
  EXPECT_NE(refusal(d).find("got -1 at (66, 2)"), std::string::npos) << refusal(d);
  Context context;
  EXPECT_THROW(mds(context, MatrixView<const float>(d.data(), 7, 10), Entries::distances), Error);
  EXPECT_THROW(mds(context, view(d), Entries::distances, {.dimensions = 0}), Error);
  const auto huge = test::random_distances<double>(5, 1e200, 2e200);
  EXPECT_THROW(mds(context, view(huge), Entries::distances), Error);
}

TEST(Mds, PointsOnALineExplainedMoreThanAll) {
  Context context;
  for (std::int64_t n = 2; n < 60; ++n) {
    const auto d = test::symmetric<double>(n, [](std::int64_t i, std::int64_t j) {
      return std::abs(std::sqrt(static_cast<double>(i)) - std::sqrt(static_cast<double>(j)));
    });
    const MdsResult line = mds(context, view(d), Entries::distances, {.dimensions = 1});
    EXPECT_LE(line.share.at(0), 1) << n;
    EXPECT_NEAR(line.share.at(0), 1, 1e-12) << n;
  }
}

TEST(Mds, StopsWhenCancelled) {
  Context context({.device = "cpu"});
  context.cancel();
  const auto d = test::random_distances<float>(300, 1, 2);
  yupana::test::refusal([&] { mds(context, view(d), Entries::distances); }, ErrorCode::interrupted);
}

}  // namespace
}  // namespace yupana::analysis
