#include "yupana/job/analyze.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace yupana::job {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// |i - j| in one dimension: squares are no lengths of paths, so nothing is its own power by
/// chance.
template <class T>
SquareMatrix<T> line(std::int64_t n) {
  SquareMatrix<T> matrix(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) matrix(i, j) = static_cast<T>(std::abs(i - j));
  }
  return matrix;
}

TEST(Powered, IsThePowerInFloatAndInfiniteWithoutAPath) {
  Context context({.device = "cpu"});
  auto d = line<std::int32_t>(40);
  d(3, 5) = d(5, 3) = graph::unreachable<std::int32_t>;
  const SquareMatrix<float> squares = powered(context, graph::AnyMatrix(std::move(d)), {2, 0.5, 3});
  EXPECT_EQ(squares(0, 4), 12);
  EXPECT_EQ(squares(7, 7), 0);
  EXPECT_EQ(squares(3, 5), infinity);
}

TEST(Powered, MatricesAreTheSameOnlyIfEveryFloatIs) {
  Context context({.device = "cpu"});
  for (const std::int64_t n : {0, 1, 2, 16, 17, 101}) {
    SquareMatrix<double> squares(n);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) squares(i, j) = static_cast<double>((i - j) * (i - j));
    }
    const graph::AnyMatrix plain = line<std::int32_t>(n);
    EXPECT_TRUE(same_powers(context, plain, {}, plain, {})) << n;
    if (n < 3) continue;
    EXPECT_FALSE(same_powers(context, plain, {}, plain, {2})) << n;
    const double next = std::nextafter(1.0f, 2.0f);  // of a pair at distance 1
    for (const bool changed : {false, true}) {
      if (changed) squares(n - 1, n - 2) = next * next;
      SquareMatrix<double> copy(n);
      std::copy_n(squares.data(), n * n, copy.data());
      const graph::AnyMatrix other = std::move(copy);
      EXPECT_EQ(same_powers(context, plain, {}, other, {0.5}), !changed) << n;
    }
  }
}

TEST(MatrixAnalysis, RenamedIsTheSameUnderAnotherName) {
  Context context({.device = "cpu"});
  const std::int64_t n = 60;
  analysis::Labels labels(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) labels[static_cast<std::size_t>(i)] = i < n / 2 ? 0 : 1;
  const SquareMatrix<float> d = powered(context, graph::AnyMatrix(line<float>(n)), {});
  const MatrixAnalysis one = analyze_matrix(context, "one", "m", d, labels, {});
  const MatrixAnalysis other = renamed(one, "other", "mm");
  const MatrixAnalysis again = analyze_matrix(context, "other", "mm", d, labels, {});
  EXPECT_EQ(other.findings.name, "other");
  EXPECT_EQ(other.heat_map.name, again.heat_map.name);
  EXPECT_EQ(other.histogram.name, again.histogram.name);
  EXPECT_EQ(other.heat_map.unit, again.heat_map.unit);
  EXPECT_EQ(other.histogram.unit, again.histogram.unit);
  EXPECT_EQ(other.findings.share, again.findings.share);
  EXPECT_EQ(other.findings.scores->silhouette, again.findings.scores->silhouette);
  EXPECT_EQ(other.mds.eigenvalues, again.mds.eigenvalues);
  EXPECT_EQ(other.mds.trace, again.mds.trace);
  const std::int64_t points = again.mds.points.rows() * again.mds.points.cols();
  ASSERT_EQ(other.mds.points.rows() * other.mds.points.cols(), points);
  EXPECT_TRUE(std::equal(
      other.mds.points.data(), other.mds.points.data() + points, again.mds.points.data()));
  EXPECT_EQ(other.merges.size(), again.merges.size());
  EXPECT_EQ(other.heat_map.individuals, n);
  EXPECT_EQ(other.heat_map.order, again.heat_map.order);
  EXPECT_TRUE(std::equal(other.heat_map.cells.data(),
                         other.heat_map.cells.data() + n * n,
                         again.heat_map.cells.data()));
  EXPECT_EQ(other.histogram.counts, again.histogram.counts);
  EXPECT_EQ(other.histogram.high, again.histogram.high);
}

TEST(MatrixAnalysis, IndividualsThatNoPathJoinsHaveNoEmbedding) {
  Context context({.device = "cpu"});
  auto apart = line<float>(10);
  for (std::int64_t i = 0; i < 9; ++i) apart(i, 9) = apart(9, i) = infinity;
  const MatrixAnalysis analysis = analyze_matrix(context, "apart", "", apart, {}, {});
  EXPECT_EQ(analysis.mds.points.cols(), 0);
  EXPECT_EQ(analysis.merges.back().height, infinity);
}

}  // namespace
}  // namespace yupana::job
