#include <gtest/gtest.h>

#include <cmath>

#include "tests/graph/graphs.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {
namespace {

using Vertices = std::vector<std::int64_t>;

template <class T>
class Paths : public testing::Test {
 protected:
  Context context_{{.device = "cpu", .threads = 2}};

  // Every path and every row of predecessors adds up to the closure.
  void expect_consistent(const SquareMatrix<T>& w, double slack) {
    const auto f = closed(context_, w);
    const auto before = predecessors<T>(context_, w.view(), f.view());
    const std::int64_t n = w.size();
    for (std::int64_t u = 0; u < n; ++u) {
      for (std::int64_t v = 0; v < n; ++v) {
        const Vertices way = path<T>(w.view(), f.view(), u, v);
        if (f(u, v) == unreachable<T>) {
          ASSERT_TRUE(way.empty());
          ASSERT_EQ(before(u, v), -1);
          continue;
        }
        ASSERT_EQ(way.front(), u);
        ASSERT_EQ(way.back(), v);
        double length = 0;
        for (std::size_t i = 1; i < way.size(); ++i) length += w(way[i - 1], way[i]);
        ASSERT_NEAR(length, f(u, v), slack * std::abs(f(u, v)));
        ASSERT_EQ(before(u, v) < 0, u == v);
        double back = 0;
        std::int64_t steps = 0;
        for (std::int64_t x = v; x != u; x = before(u, x)) {
          back += w(before(u, x), x);
          ASSERT_LT(++steps, n) << "a circle";
        }
        ASSERT_NEAR(back, f(u, v), slack * std::abs(f(u, v)));
      }
    }
  }
};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(Paths, Types);

TYPED_TEST(Paths, AddUpToTheClosure) {
  const double slack = std::is_integral_v<TypeParam> ? 0 : 1e-4;
  this->expect_consistent(random_graph<TypeParam>(40, {.largest = 9}), slack);
  this->expect_consistent(random_graph<TypeParam>(70, {.missing = 0.9}), slack);
  this->expect_consistent(random_graph<TypeParam>(50, {.missing = 0.9, .directed = true}), slack);
}

TYPED_TEST(Paths, ZeroStepsNeverWalkInCircles) {
  this->expect_consistent(random_graph<TypeParam>(40, {.largest = 3, .zeros = 0.6}), 1e-4);
  this->expect_consistent(random_graph<TypeParam>(40, {.largest = 3, .missing = 0.8, .zeros = 0.9}),
                          1e-4);
}

// 0 -0- 1 -0- 2 with ways out of 2 only: from 0 the walk must not return to 0 or stay at 1.
TYPED_TEST(Paths, DuplicatesAreCrossedTowardsTheTarget) {
  constexpr TypeParam none = unreachable<TypeParam>;
  const auto w =
      matrix_of<TypeParam>(4, {0, 0, none, none, 0, 0, 0, none, none, 0, 0, 5, none, none, 5, 0});
  const auto f = closed(this->context_, w);
  EXPECT_EQ(path<TypeParam>(w.view(), f.view(), 0, 3), (Vertices{0, 1, 2, 3}));
  EXPECT_EQ(path<TypeParam>(w.view(), f.view(), 3, 0), (Vertices{3, 2, 1, 0}));
}

// 0-1-3, 0-2-3 and 0-3 all have length 4: the edge; without it, by the smaller vertex.
TYPED_TEST(Paths, TiesGoToFewerStepsThenToTheSmallerNextVertex) {
  constexpr TypeParam none = unreachable<TypeParam>;
  auto w = matrix_of<TypeParam>(4, {0, 2, 2, 4, 2, 0, none, 2, 2, none, 0, 2, 4, 2, 2, 0});
  auto f = closed(this->context_, w);
  EXPECT_EQ(path<TypeParam>(w.view(), f.view(), 0, 3), (Vertices{0, 3}));
  w(0, 3) = w(3, 0) = 5;
  f = closed(this->context_, w);
  EXPECT_EQ(path<TypeParam>(w.view(), f.view(), 0, 3), (Vertices{0, 1, 3}));
  EXPECT_EQ((predecessors<TypeParam>(this->context_, w.view(), f.view())(0, 3)), 1);
}

// By the definition: layer by layer, the smallest vertex of the layer before that will do.
template <class T>
std::vector<std::int64_t> obvious_row(const SquareMatrix<T>& w,
                                      const SquareMatrix<T>& f,
                                      std::int64_t i) {
  const std::int64_t n = w.size();
  std::vector<std::int64_t> row(static_cast<std::size_t>(n), -1);
  std::vector<std::int64_t> steps(static_cast<std::size_t>(n), -1);
  steps[static_cast<std::size_t>(i)] = 0;
  for (std::int64_t step = 0; step < n; ++step) {
    for (std::int64_t k = 0; k < n; ++k) {
      if (steps[static_cast<std::size_t>(k)] != step) continue;
      for (std::int64_t j = 0; j < n; ++j) {
        if (steps[static_cast<std::size_t>(j)] >= 0 || w(k, j) == unreachable<T>) continue;
        if (f(i, k) + w(k, j) != f(i, j)) continue;
        steps[static_cast<std::size_t>(j)] = step + 1;
        row[static_cast<std::size_t>(j)] = k;
      }
    }
  }
  return row;
}

TYPED_TEST(Paths, PredecessorsAreOfFewestStepsAndSmallestWhereFewOrMostEdgesAreUseful) {
  for (const GraphParams& params : {GraphParams{.largest = 1000, .directed = true},
                                    GraphParams{.largest = 1000},
                                    GraphParams{.largest = 200, .missing = 0.95, .directed = true},
                                    GraphParams{.largest = 3, .zeros = 0.2},
                                    GraphParams{.largest = 2, .directed = true}}) {
    auto w = random_graph<TypeParam>(90, params);
    for (std::int64_t c = 0; c < 90 * 90; ++c) w.data()[c] = std::floor(w.data()[c]);
    const auto f = closed(this->context_, w);
    const auto got = predecessors<TypeParam>(this->context_, w.view(), f.view());
    for (std::int64_t i = 0; i < 90; ++i) {
      const auto want = obvious_row(w, f, i);
      for (std::int64_t j = 0; j < 90; ++j) {
        ASSERT_EQ(got(i, j), want[static_cast<std::size_t>(j)]) << i << " " << j;
      }
    }
  }
}

TYPED_TEST(Paths, WrongArgumentsAreErrors) {
  const auto w = random_graph<TypeParam>(5);
  const auto f = random_graph<TypeParam>(4);
  EXPECT_THROW(path<TypeParam>(w.view(), f.view(), 0, 1), Error);
  EXPECT_THROW(path<TypeParam>(w.view(), w.view(), 0, 5), Error);
  EXPECT_THROW(path<TypeParam>(w.view(), w.view(), -1, 0), Error);
  EXPECT_EQ(path<TypeParam>(w.view(), w.view(), 2, 2), (Vertices{2}));
}

TEST(PathsOfInt32, NegativeEdgesAndZeroCyclesAreWalkedOnce) {
  Context context({.device = "cpu", .threads = 1});
  constexpr std::int32_t none = unreachable<std::int32_t>;
  const auto w = matrix_of<std::int32_t>(
      4, {0, 3, none, none, -3, 0, 2, none, none, -2, 0, 1, none, none, none, 0});
  const auto f = closed(context, w);
  EXPECT_EQ(f(0, 3), 6);
  EXPECT_EQ(path<std::int32_t>(w.view(), f.view(), 0, 3), (Vertices{0, 1, 2, 3}));
  EXPECT_EQ(predecessors<std::int32_t>(context, w.view(), f.view())(0, 3), 2);
}

}  // namespace
}  // namespace yupana::graph
