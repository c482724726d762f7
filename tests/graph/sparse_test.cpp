#include "yupana/graph/sparse.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/graph/graphs.hpp"

namespace yupana::graph {
namespace {

template <class T>
SparseGraph<T> sparse_of(const SquareMatrix<T>& w) {
  SparseGraph<T> graph;
  graph.offsets.push_back(0);
  for (std::int64_t i = 0; i < w.size(); ++i) {
    for (std::int64_t j = 0; j < w.size(); ++j) {
      if (i == j || w(i, j) == unreachable<T>) continue;
      graph.targets.push_back(j);
      graph.weights.push_back(w(i, j));
    }
    graph.offsets.push_back(static_cast<std::int64_t>(graph.targets.size()));
  }
  return graph;
}

template <class T>
std::int64_t differences(const Matrix<T>& a, const SquareMatrix<T>& b) {
  std::int64_t count = a.rows() != b.rows() || a.cols() != b.cols();
  for (std::int64_t i = 0; count == 0 && i < b.size() * b.size(); ++i) {
    count += a.data()[i] != b.data()[i];
  }
  return count;
}

template <class T>
SquareMatrix<T> whole_graph(std::int64_t n, GraphParams params) {
  auto w = random_graph<T>(n, params);
  for (std::int64_t i = 0; i < n * n; ++i) w.data()[i] = std::floor(w.data()[i]);
  return w;
}

template <class T>
class Sparse : public testing::Test {
 protected:
  Context cpu_{{.device = "cpu", .threads = 2}};
  Context reference_{{.device = "reference"}};
};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(Sparse, Types);

TYPED_TEST(Sparse, DijkstraEqualsTheDenseClosureAndTheReference) {
  for (const std::int64_t n : {0, 1, 2, 17, 130}) {
    for (const double missing : {0.0, 0.9, 0.99}) {
      const auto w = whole_graph<TypeParam>(
          n, {.largest = 20, .missing = missing, .zeros = 0.1, .directed = true});
      const auto graph = sparse_of(w);
      const auto expected = closed(this->reference_, w);
      EXPECT_EQ(differences(shortest_paths(this->cpu_, graph), expected), 0);
      EXPECT_EQ(differences(shortest_paths(this->reference_, graph), expected), 0);
      EXPECT_EQ(differences(shortest_paths(this->cpu_, graph, {}, SparseMethod::johnson), expected),
                0);
    }
  }
}

TYPED_TEST(Sparse, JohnsonEqualsTheDenseClosureWithNegativeWeights) {
  for (const std::int64_t n : {3, 40, 120}) {
    auto w = whole_graph<TypeParam>(n, {.largest = 30, .missing = 0.9, .directed = true});
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        if (w(i, j) != unreachable<TypeParam>) {
          w(i, j) += static_cast<TypeParam>((i * 37) % 50 - (j * 37) % 50);
        }
      }
    }
    const auto graph = sparse_of(w);
    const auto expected = closed(this->reference_, w);
    EXPECT_EQ(differences(shortest_paths(this->cpu_, graph), expected), 0);
    EXPECT_EQ(differences(shortest_paths(this->reference_, graph), expected), 0);
  }
}

TYPED_TEST(Sparse, BreadthFirstCountsEdges) {
  auto w = whole_graph<TypeParam>(150, {.missing = 0.98, .directed = true});
  for (std::int64_t i = 0; i < 150 * 150; ++i) {
    if (w.data()[i] != unreachable<TypeParam>) w.data()[i] = i % 151 == 0 ? 0 : 1;
  }
  auto graph = sparse_of(w);
  graph.weights.clear();
  EXPECT_EQ(differences(shortest_paths(this->cpu_, graph), closed(this->reference_, w)), 0);
  EXPECT_EQ(differences(shortest_paths(this->reference_, graph), closed(this->reference_, w)), 0);
}

TYPED_TEST(Sparse, ChosenSourcesGiveTheirRows) {
  const auto w = whole_graph<TypeParam>(50, {.missing = 0.8});
  const auto all = closed(this->reference_, w);
  const std::vector<std::int64_t> sources = {49, 3, 3, 0};
  const auto rows = shortest_paths(this->cpu_, sparse_of(w), sources);
  ASSERT_EQ(rows.rows(), 4);
  for (std::int64_t s = 0; s < 4; ++s) {
    for (std::int64_t j = 0; j < 50; ++j) {
      ASSERT_EQ(rows(s, j), all(sources[static_cast<std::size_t>(s)], j));
    }
  }
}

TYPED_TEST(Sparse, PredecessorsLeadBackToTheSource) {
  const auto w =
      whole_graph<TypeParam>(90, {.largest = 20, .missing = 0.97, .zeros = 0.1, .directed = true});
  const auto graph = sparse_of(w);
  auto unweighted = graph;
  unweighted.weights.clear();
  const std::vector<std::int64_t> sources = {89, 4, 0};
  const auto check = [&](Context& context, const auto& edges, SparseMethod method) {
    const auto lengths = shortest_paths(context, edges, sources, method);
    const auto paths = shortest_paths_and_predecessors(context, edges, sources, method);
    std::int64_t absent = 0;
    for (std::int64_t s = 0; s < 3; ++s) {
      for (std::int64_t j = 0; j < 90; ++j) {
        ASSERT_EQ(paths.lengths(s, j), lengths(s, j));
        const std::int64_t source = sources[static_cast<std::size_t>(s)];
        const bool none = j == source || lengths(s, j) == unreachable<TypeParam>;
        absent += none;
        ASSERT_EQ(paths.predecessors(s, j) == -1, none);
        TypeParam length = 0;
        std::int64_t at = j, steps = 0;
        for (; !none && at != source && steps < 90; ++steps) {
          const std::int64_t before = paths.predecessors(s, at);
          length += edges.weights.empty() ? TypeParam{1} : w(before, at);
          at = before;
        }
        ASSERT_TRUE(none || (at == source && length == lengths(s, j))) << s << " " << j;
      }
    }
    EXPECT_GT(absent, 3);
    EXPECT_LT(absent, 3 * 90);
  };
  for (Context* context : {&this->cpu_, &this->reference_}) {
    check(*context, graph, SparseMethod::dijkstra);
    check(*context, graph, SparseMethod::johnson);
    check(*context, unweighted, SparseMethod::bfs);
  }
}

TYPED_TEST(Sparse, ThreadsChangeNoBit) {
  const auto graph = sparse_of(random_graph<TypeParam>(200, {.largest = 1e4, .missing = 0.9}));
  Context one({.device = "cpu", .threads = 1});
  const auto expected = shortest_paths(one, graph);
  for (const int threads : {2, 7}) {
    Context many({.device = "cpu", .threads = threads});
    const auto got = shortest_paths(many, graph);
    for (std::int64_t i = 0; i < 200 * 200; ++i) ASSERT_EQ(got.data()[i], expected.data()[i]);
  }
}

TYPED_TEST(Sparse, BadGraphsAreNamed) {
  using Graph = SparseGraph<TypeParam>;
  const auto message = [&](const Graph& graph, SparseMethod method = SparseMethod::automatic) {
    return bad_input([&] { shortest_paths(this->cpu_, graph, {}, method); });
  };
  EXPECT_NE(message({{}, {}, {}}).find("offsets"), std::string::npos);
  EXPECT_NE(message({{0, 2}, {0}, {1}}).find("offsets"), std::string::npos);
  EXPECT_NE(message({{0, 2, 1}, {0}, {1}}).find("vertex 1 end before"), std::string::npos);
  EXPECT_NE(message({{0, 1}, {1}, {1}}).find("leads to vertex 1"), std::string::npos);
  EXPECT_NE(message({{0, 1}, {0}, {1, 2}}).find("2 weights for 1"), std::string::npos);
  EXPECT_NE(message({{0, 1, 2}, {1, 0}, {3, -1}}, SparseMethod::dijkstra).find("johnson"),
            std::string::npos);
  EXPECT_NE(message({{0, 1, 2, 3}, {1, 2, 1}, {5, 3, -4}}).find("negative"), std::string::npos);
  EXPECT_THROW(shortest_paths(this->cpu_, Graph{{0, 0}, {}, {}}, {1}), Error);
}

TYPED_TEST(Sparse, NegativeCycleNamesAVertexOnIt) {
  // 0 -> 1 -> 2 -> 3 -> 1: the cycle is 1, 2, 3.
  const SparseGraph<TypeParam> graph = {{0, 1, 2, 3, 4}, {1, 2, 3, 1}, {5, 2, 2, -5}};
  const std::string message = bad_input([&] { shortest_paths(this->cpu_, graph); });
  EXPECT_NE(message.find("negative"), std::string::npos);
  EXPECT_EQ(message.find("vertex 0"), std::string::npos) << message;
}

TEST(SparseInt32, LongPathsAreAnErrorAndNotAnOverflow) {
  Context context({.device = "cpu", .threads = 1});
  const std::int32_t big = 1 << 29;
  const SparseGraph<std::int32_t> graph = {{0, 1, 2, 2}, {1, 2}, {big, big}};
  EXPECT_NE(bad_input([&] { shortest_paths(context, graph); }).find("2^30"), std::string::npos);
}

TEST(SparseFloat, NotANumberIsAnError) {
  Context context({.device = "cpu", .threads = 1});
  const SparseGraph<float> graph = {{0, 1}, {0}, {std::nanf("")}};
  EXPECT_NE(bad_input([&] { shortest_paths(context, graph); }).find("edge 0 is not a number"),
            std::string::npos);
}

}  // namespace
}  // namespace yupana::graph
