#include "yupana/analysis/phylogeny.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "yupana/core/error.hpp"
#include "yupana/core/random.hpp"

namespace yupana::analysis {
namespace {

/// From parents of all nodes but the root.
Phylogeny tree_of(std::int64_t leaves, const std::vector<std::int64_t>& parents) {
  Phylogeny tree = leaves_alone(leaves);
  while (tree.nodes() <= std::ssize(parents)) tree.add_node();
  for (std::size_t i = 0; i < parents.size(); ++i) {
    tree.attach(static_cast<std::int64_t>(i), parents[i], 1);
  }
  return tree;
}

// ((0,1)6,(2,3)7,(4,5)8)9 with three children at the root.
const Phylogeny six = tree_of(6, {6, 6, 7, 7, 8, 8, 9, 9, 9});

TEST(Phylogeny, SupportIsWrittenAfterTheBracket) {
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  const double none = NAN;
  EXPECT_EQ(newick(six, names, {none, none, none, none, none, none, 100, 2.0 / 3 * 100, 0, none}),
            "((a:1,b:1)100:1,(c:1,d:1)66.67:1,(e:1,f:1)0:1);");
}

TEST(SplitCounts, CountABranchWhereverTheOtherTreeHasItsRoot) {
  SplitCounts counts(six);
  // (((2,3)6,(4,5)7)8,(0,1)9)10: the same branches, a root of two children.
  counts.add(tree_of(6, {9, 9, 6, 6, 7, 7, 8, 8, 10, 10}));
  // A root of leaf 0's branch: (0,(1,((2,3)6,(4,5)7)8)9)10.
  counts.add(tree_of(6, {10, 9, 6, 6, 7, 7, 8, 8, 9, 10}));
  // ((0,1)6,(2,4)7,(3,5)8)9 has one of the three.
  counts.add(tree_of(6, {6, 6, 7, 8, 7, 8, 9, 9, 9}));
  const std::vector<double> percent = counts.percent();
  EXPECT_EQ(percent[6], 100);
  EXPECT_NEAR(percent[7], 200.0 / 3, 1e-12);
  EXPECT_NEAR(percent[8], 200.0 / 3, 1e-12);
  for (const std::size_t bare : {0, 5, 9}) EXPECT_TRUE(std::isnan(percent[bare])) << bare;
}

TEST(SplitCounts, BothBranchesOfARootOfTwoAreOneSplit) {
  SplitCounts counts(tree_of(6, {9, 9, 6, 6, 7, 7, 8, 8, 10, 10}));
  counts.add(six);
  EXPECT_EQ(counts.percent()[8], 100);
  EXPECT_EQ(counts.percent()[9], 100);
}

TEST(SplitCounts, RefuseATreeOfOtherLeaves) {
  SplitCounts counts(six);
  EXPECT_THROW(counts.add(leaves_alone(5)), Error);
}

Phylogeny random_tree(std::int64_t n, std::uint64_t seed) {
  RandomSequence random(seed);
  Phylogeny tree = leaves_alone(n);
  std::vector<std::int64_t> open;
  for (std::int64_t i = 0; i < n; ++i) open.push_back(i);
  while (open.size() > 1) {
    const std::int64_t node = tree.add_node();
    // Two neighbours: trees of the same leaves share some splits.
    const std::size_t at = random.word() % (open.size() - 1);
    tree.attach(open[at], node, 1);
    tree.attach(open[at + 1], node, 1);
    open[at] = node;
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return tree;
}

/// The leaves on the side of a branch without leaf 0.
std::vector<bool> side_of(const Phylogeny& tree, std::int64_t node) {
  std::vector<bool> below;
  for (std::int64_t leaf = 0; leaf < tree.leaves; ++leaf) {
    std::int64_t at = leaf;
    while (at >= 0 && at < node) at = tree.parent[static_cast<std::size_t>(at)];
    below.push_back(at == node);
  }
  if (below[0]) below.flip();
  return below;
}

TEST(SplitCounts, EqualTheSetsOfLeavesWrittenOut) {
  for (const std::int64_t n : {3, 4, 5, 9, 24}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Phylogeny tree = random_tree(n, seed), other = random_tree(n, seed + 1000);
      SplitCounts counts(tree);
      counts.add(other);
      const std::vector<double> percent = counts.percent();
      for (std::int64_t node = n; node + 1 < tree.nodes(); ++node) {
        const std::vector<bool> side = side_of(tree, node);
        const auto leaves = std::count(side.begin(), side.end(), true);
        if (leaves == 1 || leaves == n - 1) continue;
        bool shared = false;
        for (std::int64_t o = n; o + 1 < other.nodes(); ++o) shared |= side_of(other, o) == side;
        EXPECT_EQ(percent[static_cast<std::size_t>(node)], shared ? 100 : 0) << n << " " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace yupana::analysis
