#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/support/thread_ranks.hpp"
#include "yupana/graph/shortest_paths.hpp"
#include "yupana/graph/shortest_paths_ranks.hpp"

namespace yupana::graph {
namespace {

/// Weights whose paths have many edges, so that the order of sums shows in their last bits.
template <class T>
SquareMatrix<T> weights(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  SquareMatrix<T> w(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const double far = static_cast<double>(i - j) * static_cast<double>(i - j);
      const double noise = std::uniform_real_distribution<double>(0.5, 1.5)(random);
      const double value = std::is_integral_v<T> ? 1 + far * noise : (0.1 + far) * noise;
      w(i, j) = w(j, i) = random() % 50 == 0 ? unreachable<T> : static_cast<T>(value);
    }
    w(i, i) = 0;
  }
  return w;
}

template <class T>
class ShortestPathsRanks : public testing::Test {};
using Types = testing::Types<std::int32_t, float, double>;
TYPED_TEST_SUITE(ShortestPathsRanks, Types);

TYPED_TEST(ShortestPathsRanks, GiveTheBitsOfOneProcess) {
  using T = TypeParam;
  for (const auto& [n, ranks] : std::vector<std::pair<std::int64_t, int>>{
           {1, 2}, {1024, 3}, {1025, 2}, {1100, 4}, {1300, 7}, {1111, 1}, {1500, 6}}) {
    const SquareMatrix<T> start = weights<T>(n, static_cast<unsigned>(n));
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
      Context mine({.device = "cpu", .threads = 1 + comm.rank() % 2});
      if (comm.rank() > 0) return serve_shortest_paths(mine, comm);
      kept = shortest_paths_symmetric_ranks(mine, comm, many.view());
      release_ranks(comm);
    });
    EXPECT_EQ(std::memcmp(one.data(), many.data(), static_cast<std::size_t>(n * n) * sizeof(T)), 0)
        << n << " vertices, " << ranks << " ranks";
    EXPECT_EQ(kept, unchanged) << n << " vertices, " << ranks << " ranks";
  }
}

TEST(ShortestPathsRanksRequests, SeveralClosuresOfSeveralTypesFollowEachOther) {
  const std::int64_t n = 1030;
  SquareMatrix<float> a = weights<float>(n, 1), b = weights<float>(n, 1);
  SquareMatrix<double> c = weights<double>(n, 2), d = weights<double>(n, 2);
  Context context({.device = "cpu"});
  shortest_paths(context, a.view());
  shortest_paths(context, c.view());
  ThreadRanks(2).run([&](Comm& comm) {
    Context mine({.device = "cpu", .threads = 1});
    if (comm.rank() > 0) return serve_shortest_paths(mine, comm);
    shortest_paths_symmetric_ranks(mine, comm, b.view());
    shortest_paths_symmetric_ranks(mine, comm, d.view());
    release_ranks(comm);
  });
  EXPECT_EQ(std::memcmp(a.data(), b.data(), n * n * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(c.data(), d.data(), n * n * sizeof(double)), 0);
}

}  // namespace
}  // namespace yupana::graph
