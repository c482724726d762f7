#include "yupana/graph/shared_closure.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tests/graph/graphs.hpp"
#include "tests/support/thread_ranks.hpp"
#include "yupana/core/error.hpp"
#include "yupana/graph/fermat.hpp"
#include "yupana/graph/shortest_paths.hpp"

namespace yupana::graph {
namespace {

template <class T>
class SharedClosures : public testing::Test {};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(SharedClosures, Types);

TYPED_TEST(SharedClosures, GiveTheBitsOfOneProcess) {
  using T = TypeParam;
  for (const auto& [n, ranks] : std::vector<std::pair<std::int64_t, int>>{
           {1, 2}, {1024, 3}, {1025, 2}, {1100, 4}, {1300, 7}, {1111, 1}, {1500, 6}}) {
    const SquareMatrix<T> start = long_path_weights<T>(n, static_cast<std::uint64_t>(n));
    SquareMatrix<T> one(n), many(n);
    std::copy_n(start.data(), n * n, one.data());
    std::copy_n(start.data(), n * n, many.data());
    Context context({.device = "cpu"});
    shortest_paths(context, one.view(), {.method = PathMethod::symmetric});
    std::int64_t unchanged = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < i; ++j) unchanged += one(i, j) == start(i, j);
    }
    std::int64_t kept = -1;
    ThreadRanks(ranks).run([&](Comm& comm) {
      Context mine({.device = "cpu", .threads = 1 + comm.rank() % 2, .comm = &comm});
      if (comm.rank() > 0) return join_closure(mine);
      kept = SharedClosure(mine).compute(mine, many.view());
    });
    EXPECT_EQ(std::memcmp(one.data(), many.data(), static_cast<std::size_t>(n * n) * sizeof(T)), 0)
        << n << " vertices, " << ranks << " ranks";
    EXPECT_EQ(kept, unchanged) << n << " vertices, " << ranks << " ranks";
  }
}

TEST(ShortestPathsOfRanks, HaveTheBitsOfOneProcessForSeveralTypesInTurn) {
  const std::int64_t n = 1030;
  SquareMatrix<float> a = long_path_weights<float>(n, 1), b = long_path_weights<float>(n, 1);
  SquareMatrix<double> c = long_path_weights<double>(n, 2), d = long_path_weights<double>(n, 2);
  Context context({.device = "cpu"});
  shortest_paths(context, a.view());
  shortest_paths(context, c.view());
  ThreadRanks(2).run([&](Comm& comm) {
    Context mine({.device = "cpu", .threads = 1, .comm = &comm});
    const bool first = comm.rank() == 0;
    shortest_paths(mine, first ? b.view() : MatrixView<float>());
    shortest_paths(mine, first ? d.view() : MatrixView<double>());
  });
  EXPECT_EQ(std::memcmp(a.data(), b.data(), n * n * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(c.data(), d.data(), n * n * sizeof(double)), 0);
}

// Whether ranks share a closure is decided on the first alone: what it needs no help with, and what
// it refuses, releases the others.
TEST(ShortestPathsOfRanks, ReleaseTheOthersWhereTheFirstNeedsNoHelp) {
  const std::int64_t n = 1100;
  SquareMatrix<double> directed = long_path_weights<double>(n, 3);
  directed(0, 1) = 0.5;
  SquareMatrix<double> faulty(3);
  std::fill_n(faulty.data(), 9, -1.0);
  int refused = 0;
  ThreadRanks(3).run([&](Comm& comm) {
    Context mine({.device = "cpu", .threads = 1, .comm = &comm});
    const bool first = comm.rank() == 0;
    shortest_paths(mine, first ? directed.view() : MatrixView<double>());
    try {
      shortest_paths(mine, first ? faulty.view() : MatrixView<double>());
    } catch (const Error& error) {
      EXPECT_TRUE(first);
      ++refused;
    }
    comm.barrier();
  });
  EXPECT_EQ(refused, 1);
}

TEST(FermatOfRanks, HasTheResultOfOneProcess) {
  const std::int64_t n = 1100;
  for (const FermatParams& params :
       {FermatParams{.alpha = 2, .prune = false}, FermatParams{.alpha = 3, .neighbors = 5}}) {
    Context context({.device = "cpu"});
    const FermatResult one =
        fermat(context, long_path_weights<double>(n, 4), Entries::squares, params);
    ThreadRanks(3).run([&](Comm& comm) {
      Context mine({.device = "cpu", .threads = 1, .comm = &comm});
      if (comm.rank() > 0) {
        const FermatResult none = fermat(mine, {}, Entries::squares, params);
        EXPECT_EQ(std::visit([](const auto& lengths) { return lengths.size(); }, none.lengths), 0);
        return;
      }
      const FermatResult many =
          fermat(mine, long_path_weights<double>(n, 4), Entries::squares, params);
      EXPECT_EQ(many.kept_edges, one.kept_edges);
      EXPECT_EQ(many.method, one.method);
      ASSERT_EQ(many.lengths.index(), one.lengths.index());
      std::visit(
          [&]<class T>(const SquareMatrix<T>& lengths) {
            const auto& expected = std::get<SquareMatrix<T>>(one.lengths);
            EXPECT_EQ(std::memcmp(lengths.data(), expected.data(), n * n * sizeof(T)), 0);
          },
          many.lengths);
    });
  }
}

}  // namespace
}  // namespace yupana::graph
