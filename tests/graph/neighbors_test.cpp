#include "tests/graph/fermat_fixture.hpp"

namespace yupana::graph {
namespace {

using Neighbors = Fermat;

TEST_F(Neighbors, AllNeighborsGiveTheExactLengthsAndTheirRank) {
  for (const std::int64_t n : {3, 40, 131}) {
    const auto d2 = squared_distances(n, 8);
    const auto exact = fermat(context_, copy_of(d2), Entries::squares);
    for (Context* context : {&context_, &reference_}) {
      const auto all = fermat(*context, copy_of(d2), Entries::squares, {.neighbors = n + 5});
      EXPECT_EQ(differences(lengths_as<std::int32_t>(all), lengths_as<std::int32_t>(exact)), 0);
      EXPECT_EQ(all.components, 1);
      EXPECT_EQ(all.kept_edges, exact.kept_edges);
      // The rank in use is enough: fewer neighbours than that would lose an edge in use.
      const auto enough =
          fermat(*context, copy_of(d2), Entries::squares, {.neighbors = all.max_neighbor_rank});
      EXPECT_EQ(differences(lengths_as<std::int32_t>(enough), lengths_as<std::int32_t>(exact)), 0);
      EXPECT_EQ(enough.max_neighbor_rank, all.max_neighbor_rank);
    }
  }
}

TEST_F(Neighbors, FewNeighborsLeaveComponentsUnreachable) {
  const auto d =
      matrix_of<std::int32_t>(4, {0, 1, 90, 91, 1, 0, 92, 93, 90, 92, 0, 2, 91, 93, 2, 0});
  const auto f = fermat(context_, copy_of(d), Entries::squares, {.neighbors = 1});
  EXPECT_EQ(f.components, 2);
  EXPECT_EQ(f.max_neighbor_rank, 1);
  EXPECT_EQ(lengths_as<std::int32_t>(f)(0, 3), unreachable<std::int32_t>);
  EXPECT_EQ(lengths_as<std::int32_t>(f)(2, 3), 2);
}

}  // namespace
}  // namespace yupana::graph
