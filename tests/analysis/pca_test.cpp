#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/analysis/matrices.hpp"
#include "yupana/analysis/mds.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

/// X X' / columns of random X with `groups` clusters of rows: positive, of full rank.
SquareMatrix<double> relationships(std::int64_t n, std::int64_t groups) {
  constexpr std::int64_t columns = 40;
  const Random random(7);
  Matrix<double> x(n, columns);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < columns; ++k) {
      x(i, k) = random.uniform(i * columns + k) - 0.5 + 2 * (k == i % groups);
    }
  }
  SquareMatrix<double> matrix(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      matrix(i, j) = i == j ? 0.1 : 0;
      for (std::int64_t k = 0; k < columns; ++k) matrix(i, j) += x(i, k) * x(j, k) / columns;
    }
  }
  return matrix;
}

/// |A v - lambda v| / (|lambda| + trace / n) of the worst pair, in long double.
double worst_residual(const PcaResult& result, const SquareMatrix<double>& matrix) {
  const std::int64_t n = matrix.size();
  long double worst = 0;
  for (std::size_t k = 0; k < result.eigenvalues.size(); ++k) {
    const long double value = result.eigenvalues[k];
    long double squares = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      long double sum = -value * result.vectors(i, k);
      for (std::int64_t j = 0; j < n; ++j) sum += matrix(i, j) * result.vectors(j, k);
      squares += sum * sum;
    }
    worst = std::max(worst, std::sqrt(squares) / (std::abs(value) + result.trace / n));
  }
  return static_cast<double>(worst);
}

TEST(Pca, AHandMadeCase) {
  // Eigenvalues 3, 1 and 0.5, the vectors of the first two (1, 1) and (1, -1) / sqrt 2.
  SquareMatrix<double> matrix(3);
  const double rows[3][3] = {{2, 1, 0}, {1, 2, 0}, {0, 0, 0.5}};
  std::memcpy(matrix.data(), rows, sizeof rows);
  Context context;
  const PcaResult result = pca(context, matrix.view(), {.components = 5});
  ASSERT_EQ(result.eigenvalues.size(), 3u);
  EXPECT_NEAR(result.eigenvalues[0], 3, 1e-12);
  EXPECT_NEAR(result.eigenvalues[1], 1, 1e-12);
  EXPECT_NEAR(result.eigenvalues[2], 0.5, 1e-12);
  EXPECT_NEAR(result.trace, 4.5, 1e-12);
  EXPECT_NEAR(result.vectors(0, 0), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(result.vectors(1, 0), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(result.vectors(2, 2), 1, 1e-12);
}

TEST(Pca, IterationAndDenseSolverFindEigenpairs) {
  for (const std::int64_t n : {1, 2, 40, 128, 129, 300}) {
    for (const std::int64_t components : {1, 10, 60}) {
      const SquareMatrix<double> matrix = relationships(n, 4);
      Context context({.device = "cpu", .threads = 2});
      const PcaResult result = pca(context, matrix.view(), {.components = components});
      ASSERT_EQ(std::ssize(result.eigenvalues), std::min(n, components));
      EXPECT_TRUE(std::is_sorted(result.eigenvalues.rbegin(), result.eigenvalues.rend())) << n;
      EXPECT_LE(worst_residual(result, matrix), 1e-9) << n << ' ' << components;
    }
  }
}

TEST(Pca, SameBitsForAnyThreadsAndReference) {
  const SquareMatrix<double> matrix = relationships(200, 3);
  Context one({.device = "cpu", .threads = 1});
  const PcaResult expected = pca(one, matrix.view());
  for (const ContextParams& params : {ContextParams{.device = "cpu", .threads = 2},
                                      ContextParams{.device = "cpu", .threads = 7},
                                      ContextParams{.device = "reference"}}) {
    Context context(params);
    const PcaResult result = pca(context, matrix.view());
    EXPECT_EQ(result.eigenvalues, expected.eigenvalues);
    const std::size_t bytes = sizeof(double) * 200 * 10;
    EXPECT_EQ(std::memcmp(result.vectors.data(), expected.vectors.data(), bytes), 0);
  }
}

BlockProduct product_with(const SquareMatrix<double>& matrix) {
  return [&matrix](MatrixView<const double> x, MatrixView<double> sums) {
    double trace = 0;
    for (std::int64_t i = 0; i < matrix.size(); ++i) {
      trace += matrix(i, i);
      for (std::int64_t c = 0; c < x.cols; ++c) {
        sums(i, c) = 0;
        for (std::int64_t j = 0; j < matrix.size(); ++j) sums(i, c) += matrix(i, j) * x(j, c);
      }
    }
    return trace;
  };
}

TEST(BlockPca, FindsThePairsOfTheMatrix) {
  for (const std::int64_t n : {1, 2, 30, 320, 321, 400}) {
    const SquareMatrix<double> matrix = relationships(n, 4);
    Context context({.device = "cpu", .threads = 2});
    const PcaResult exact = pca(context, matrix.view(), {.components = 6});
    const PcaResult result = block_pca(context, n, product_with(matrix), {.components = 6});
    ASSERT_EQ(result.eigenvalues.size(), exact.eigenvalues.size());
    EXPECT_NEAR(result.trace, exact.trace, 1e-9 * exact.trace);
    EXPECT_LE(worst_residual(result, matrix) * (1 + exact.trace / n / exact.eigenvalues[0]), 1e-5);
    for (std::size_t k = 0; k < exact.eigenvalues.size(); ++k) {
      EXPECT_NEAR(result.eigenvalues[k], exact.eigenvalues[k], 1e-6 * exact.eigenvalues[0]) << n;
    }
  }
}

TEST(BlockPca, SaysWhatIsLeftWhereProductsRunOut) {
  // 20 products find no eigenvectors among the many equal eigenvalues of noise.
  const std::int64_t n = 1000;
  const Random random(5);
  const auto noise = test::symmetric<double>(
      n, [&](std::int64_t i, std::int64_t j) { return random.uniform(i * n + j) - 0.5; });
  SquareMatrix<double> matrix(n);
  for (std::int64_t i = 0; i < n * n; ++i) matrix.data()[i] = noise.data()[i];
  for (std::int64_t i = 0; i < n; ++i) matrix(i, i) = 60;
  Context context;
  std::string note;
  context.on_note([&](const std::string& text) { note = text; });
  block_pca(context, n, product_with(matrix), {.components = 1});
  EXPECT_NE(note.find("leave a residual of"), std::string::npos) << note;
}

TEST(Pca, RefusesWhatHasNoComponents) {
  Context context;
  SquareMatrix<double> matrix = relationships(5, 2);
  EXPECT_THROW(pca(context, matrix.view(), {.components = 0}), Error);
  EXPECT_THROW(pca(context, MatrixView<const double>(matrix.data(), 4, 5)), Error);
  matrix(1, 2) = std::nan("");
  EXPECT_THROW(pca(context, matrix.view()), Error);
  std::fill_n(matrix.data(), 25, 0.0);
  EXPECT_THROW(pca(context, matrix.view()), Error);
}

}  // namespace
}  // namespace yupana::analysis
