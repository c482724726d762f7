#include "yupana/graph/closure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/graph/graphs.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {
namespace {

/// A store that computes cell by cell: what any other has to do.
class PlainBlocks {
 public:
  static constexpr std::int64_t block_size = block_alignment;

  PlainBlocks(SquareMatrix<double>& matrix, bool symmetric)
      : matrix_(matrix), symmetric_(symmetric) {}

  bool symmetric() const { return symmetric_; }

  std::int64_t close_block(Range v) {
    EXPECT_LE(v.size(), block_size);
    EXPECT_EQ(v.begin % block_alignment, 0);
    for (std::int64_t k = v.begin; k < v.end; ++k) product(v, {k, k + 1}, v);
    for (std::int64_t i = v.begin; i < v.end; ++i) {
      if (matrix_(i, i) < 0) return i;
    }
    return -1;
  }

  void product(Range rows, Range steps, Range columns) {
    for (std::int64_t k = steps.begin; k < steps.end; ++k) {
      for (std::int64_t i = rows.begin; i < rows.end; ++i) {
        for (std::int64_t j = columns.begin; j < columns.end; ++j) {
          if (!symmetric_ || i <= j) cell(i, j) = std::min(cell(i, j), cell(i, k) + cell(k, j));
        }
      }
    }
  }

 private:
  double& cell(std::int64_t i, std::int64_t j) {
    return symmetric_ ? matrix_(std::min(i, j), std::max(i, j)) : matrix_(i, j);
  }

  SquareMatrix<double>& matrix_;
  bool symmetric_;
};

/// Integers, whose sums are exact in any order.
SquareMatrix<double> weights(std::int64_t n, bool directed) {
  auto w = random_graph<double>(n, {.missing = 0.7, .directed = directed, .seed = 5});
  for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
  return w;
}

TEST(CloseBlocks, IsTheClosureForAnyStore) {
  Context reference({.device = "reference"});
  for (const std::int64_t n : {1, 63, 64, 65, 128, 129, 257}) {
    for (const bool directed : {false, true}) {
      SquareMatrix<double> expected = weights(n, directed), found = weights(n, directed);
      shortest_paths(reference, expected.view());
      PlainBlocks blocks(found, !directed);
      EXPECT_EQ(close_blocks(blocks, {0, n}), -1);
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = directed ? 0 : i; j < n; ++j) {
          ASSERT_EQ(found(i, j), expected(i, j)) << n << ": " << i << ", " << j;
        }
      }
    }
  }
}

TEST(FloydWarshallOfBlocks, IsTheClosureForAnyNumberOfPivots) {
  Context reference({.device = "reference"});
  const std::int64_t n = 200;
  SquareMatrix<double> expected = weights(n, true);
  shortest_paths(reference, expected.view());
  for (const std::int64_t pivots : {64, 128, 256}) {
    SquareMatrix<double> found = weights(n, true);
    PlainBlocks blocks(found, false);
    EXPECT_EQ(floyd_warshall(blocks, n, pivots), -1);
    EXPECT_EQ(differences(found, expected), 0) << pivots;
  }
}

TEST(CloseBlocks, NamesAVertexOnANegativeCycle) {
  SquareMatrix<double> w(150);
  std::fill_n(w.data(), 150 * 150, unreachable<double>);
  w(10, 140) = 1;
  w(140, 10) = -2;
  PlainBlocks blocks(w, false);
  const std::int64_t vertex = close_blocks(blocks, {0, 150});
  EXPECT_TRUE(vertex == 10 || vertex == 140) << vertex;
}

}  // namespace
}  // namespace yupana::graph
