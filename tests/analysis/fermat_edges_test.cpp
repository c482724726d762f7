#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/analysis/matrices.hpp"
#include "yupana/analysis/clustering.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

using test::view;

/// The closure by Floyd and Warshall.
template <class T>
SquareMatrix<T> closure(const SquareMatrix<T>& weights) {
  const std::int64_t n = weights.size();
  SquareMatrix<T> lengths(n);
  std::copy_n(weights.data(), n * n, lengths.data());
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        lengths(i, j) = std::min(lengths(i, j), lengths(i, k) + lengths(k, j));
      }
    }
  }
  return lengths;
}

TEST(FermatEdges, WorkedExampleKeepsTheTwoShortEdges) {
  // (0,0), (1,0), (2,1): d^2 = 1, 5, 2, and the path through the middle is 3 < 5.
  Context context;
  SquareMatrix<std::int32_t> weights = test::symmetric<std::int32_t>(
      3, [](auto i, auto j) { return i == 0 ? (j == 1 ? 1 : 5) : 2; });
  const auto lengths = closure(weights);
  const auto edges =
      fermat_edges(context, view(lengths), [&](auto i, auto j) { return weights(i, j); });
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(std::pair(edges[0].i, edges[0].j), std::pair(std::int64_t{0}, std::int64_t{1}));
  EXPECT_EQ(std::pair(edges[1].i, edges[1].j), std::pair(std::int64_t{1}, std::int64_t{2}));
  EXPECT_EQ(edges[1].length, 2);
  EXPECT_TRUE(edges[0].in_tree && edges[0].own_path && edges[1].in_tree && edges[1].own_path);
}

template <class T>
void expect_tree_and_near_edges(std::int64_t n, std::int64_t neighbors) {
  Context context({.device = "cpu", .threads = 3});
  const auto weights = test::random_distances<T>(n, 100, 1000);
  const auto lengths = closure(weights);
  std::int64_t asked = 0;
  const auto edges =
      fermat_edges(context,
                   view(lengths),
                   [&](auto i, auto j) { return ++asked, static_cast<double>(weights(i, j)); },
                   {.neighbors = neighbors});
  EXPECT_LE(asked, (neighbors + 1) * n);
  std::set<std::pair<std::int64_t, std::int64_t>> tree, want, got;
  for (const auto& edge : minimum_spanning_tree(context, view(lengths))) tree.insert(edge);
  want = tree;
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::pair<T, std::int64_t>> row;
    for (std::int64_t j = 0; j < n; ++j) {
      if (j != i) row.emplace_back(lengths(i, j), j);
    }
    std::sort(row.begin(), row.end());
    for (std::int64_t k = 0; k < std::min(neighbors, n - 1); ++k) {
      const std::int64_t j = row[static_cast<std::size_t>(k)].second;
      if (weights(i, j) == lengths(i, j)) want.insert(std::minmax(i, j));
    }
  }
  for (const Edge& edge : edges) {
    EXPECT_LT(edge.i, edge.j);
    got.insert({edge.i, edge.j});
    EXPECT_EQ(edge.in_tree, tree.count({edge.i, edge.j}) == 1);
    EXPECT_TRUE(edge.own_path);  // an edge of the tree is always one: any other path has a longer
    EXPECT_EQ(edge.length, static_cast<double>(lengths(edge.i, edge.j)));
  }
  EXPECT_EQ(got, want);
  EXPECT_EQ(got.size(), edges.size());
}

TEST(FermatEdges, AreTheTreeAndTheNearestOnesOfTheirOwn) {
  for (const std::int64_t n : {0, 1, 2, 11, 31, 32, 33, 70}) {
    for (const std::int64_t neighbors : {0, 1, 10, 100}) {
      SCOPED_TRACE(n);
      expect_tree_and_near_edges<std::int32_t>(n, neighbors);
      expect_tree_and_near_edges<float>(n, neighbors);
      expect_tree_and_near_edges<double>(n, neighbors);
    }
  }
}

TEST(FermatEdges, DuplicatesAreEdgesOfLengthZero) {
  Context context;
  const auto d = test::symmetric<std::int32_t>(4, [](auto, auto) { return 0; });
  const auto edges = fermat_edges(context, view(d), [&](auto i, auto j) { return d(i, j); });
  EXPECT_EQ(edges.size(), 6u);
}

TEST(FermatEdges, UnreachablePairsHaveNone) {
  Context context;
  const auto d = test::symmetric<float>(
      4, [](auto i, auto j) { return i % 2 == j % 2 ? 1.0 : test::infinity; });
  const auto edges = fermat_edges(context, view(d), [&](auto i, auto j) { return d(i, j); });
  EXPECT_EQ(edges.size(), 2u);
  EXPECT_THROW(fermat_edges(context, view(d), nullptr, {.neighbors = -1}), Error);
}

}  // namespace
}  // namespace yupana::analysis
