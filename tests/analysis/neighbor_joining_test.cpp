#include "yupana/analysis/neighbor_joining.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/analysis/joined_matrices.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

using test::additive;
using test::Additive;
using test::infinity;
using test::same_bits;
using test::view;
constexpr Joining methods[] = {Joining::nj, Joining::bionj};

std::vector<std::string> numbers(std::int64_t n) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
  return names;
}

std::string newick_of(const SquareMatrix<double>& d, Joining method = Joining::nj) {
  Context context;
  return newick(neighbor_joining(context, view(d), method), numbers(d.size()));
}

/// Paths between leaves give back the matrix.
SquareMatrix<double> distances_of(const Phylogeny& tree) {
  return test::symmetric<double>(tree.leaves, [&](std::int64_t i, std::int64_t j) {
    double length = 0;
    while (i != j) {
      std::int64_t& lower = i < j ? i : j;
      length += tree.length[static_cast<std::size_t>(lower)];
      lower = tree.parent[static_cast<std::size_t>(lower)];
    }
    return length;
  });
}

template <class T>
void expect_one_tree(const SquareMatrix<T>& d) {
  Context plain({.device = "reference"});
  for (const Joining method : methods) {
    const Phylogeny want = neighbor_joining(plain, view(d), method);
    for (const int threads : {1, 2, 7}) {
      Context context({.device = "cpu", .threads = threads});
      const Phylogeny got = neighbor_joining(context, view(d), method);
      ASSERT_TRUE(same_bits(got, want)) << newick(got, numbers(d.size())) << "\n"
                                        << newick(want, numbers(d.size()));
    }
  }
}

TEST(NeighborJoining, SaitouAndNeisExampleOfFiveLeaves) {
  const double lower[5][5] = {{}, {5}, {9, 10}, {9, 10, 8}, {8, 9, 7, 3}};
  const auto d = test::symmetric<double>(5, [&](auto i, auto j) { return lower[j][i]; });
  EXPECT_EQ(newick_of(d), "(3:2,4:1,(2:4,(0:2,1:3):3):2);");
  EXPECT_EQ(newick_of(d, Joining::bionj), newick_of(d));
}

TEST(NeighborJoining, SmallestTrees) {
  Context context;
  EXPECT_EQ(newick_of(SquareMatrix<double>(0)), ";");
  EXPECT_EQ(newick_of(test::symmetric<double>(1, [](auto, auto) { return 0; })), "0;");
  EXPECT_EQ(newick_of(test::symmetric<double>(2, [](auto, auto) { return 3; })), "(0:1.5,1:1.5);");
  EXPECT_EQ(newick_of(test::symmetric<double>(3, [](auto i, auto j) { return i + j; })),
            "(0:0,1:1,2:2);");
}

TEST(NeighborJoining, TiesJoinThePairWhoseLargerNumberIsSmallest) {
  // The pair of 0 and 1 goes by 1: with 2 it comes before 3 and 4, whose Q is the same.
  const auto equal = test::symmetric<double>(5, [](auto, auto) { return 2; });
  EXPECT_EQ(newick_of(equal), "(3:1,4:1,(2:1,(0:1,1:1):0):0);");
  const auto zero = test::symmetric<double>(4, [](auto, auto) { return 0; });
  EXPECT_EQ(newick_of(zero), "(2:0,3:0,(0:0,1:0):0);");
}

TEST(NeighborJoining, NegativeBranchesStay) {
  // 0 and 1 are joined, though 1 is nearer to the others than 0's distance to it allows.
  const double lower[4][4] = {{}, {1}, {10, 4}, {10, 4, 6}};
  const auto d = test::symmetric<double>(4, [&](auto i, auto j) { return lower[j][i]; });
  EXPECT_EQ(newick_of(d), "(2:3,3:3,(0:3.5,1:-2.5):3.5);");
}

TEST(NeighborJoining, FindsTheTreeOfAnAdditiveMatrixToTheBit) {
  Context context;
  for (const std::int64_t n : {4, 5, 8, 17, 64, 131, 300}) {
    SCOPED_TRACE(n);
    const Additive made = additive(n, static_cast<std::uint64_t>(n), 1, 64);
    for (const Joining method : methods) {
      const Phylogeny tree = neighbor_joining(context, view(made.d), method);
      if (method == Joining::nj) {
        const SquareMatrix<double> d = distances_of(tree);
        EXPECT_EQ(std::memcmp(d.data(), made.d.data(), sizeof(double) * n * n), 0);
      }
      SplitCounts splits(tree);
      splits.add(made.tree);
      for (const double percent : splits.percent()) {
        EXPECT_TRUE(std::isnan(percent) || percent == 100) << percent;
      }
    }
  }
}

TEST(NeighborJoining, EqualsTheReferenceWithTies) {
  for (const std::int64_t n : {2, 3, 4, 5, 7, 16, 33, 64, 131, 200}) {
    SCOPED_TRACE(n);
    test::for_distances_with_ties(n, [](const auto& d) { expect_one_tree(d); });
  }
}

TEST(NeighborJoining, EqualsTheReferenceWhereSumsAreRounded) {
  for (const std::int64_t n : {33, 150, 311}) {
    SCOPED_TRACE(n);
    test::for_rounded_distances(n, [](const auto& d) { expect_one_tree(d); });
  }
}

TEST(NeighborJoining, RefusesWhatIsNoDistance) {
  Context context;
  const auto message = [&](const SquareMatrix<double>& d) -> std::string {
    try {
      neighbor_joining(context, view(d));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      return error.what();
    }
    return "none";
  };
  const auto with = [](double value) {
    return test::symmetric<double>(5, [&](auto i, auto) { return i == 2 ? value : 1.0; });
  };
  EXPECT_NE(message(with(infinity)).find("expected a distance between every two"),
            std::string::npos);
  EXPECT_NE(message(with(-1)).find("neighbour joining"), std::string::npos);
  EXPECT_NE(message(with(NAN)).find("neighbour joining"), std::string::npos);
  EXPECT_NE(message(with(1e300)).find("scale the distances"), std::string::npos);
}

TEST(NeighborJoining, AgreesWithALinkageOnAnUltrametric) {
  Context context;
  const auto d = test::symmetric<double>(
      64, [](auto i, auto j) { return std::exp2(std::bit_width(static_cast<unsigned>(i ^ j))); });
  SplitCounts splits(phylogeny(context, view(d), TreeMethod::average));
  for (const TreeMethod method : {TreeMethod::nj, TreeMethod::bionj, TreeMethod::complete}) {
    splits.add(phylogeny(context, view(d), method));
  }
  for (const double percent : splits.percent()) {
    EXPECT_TRUE(std::isnan(percent) || percent == 100) << percent;
  }
}

}  // namespace
}  // namespace yupana::analysis
