#include <gtest/gtest.h>

#include "tests/analysis/matrices.hpp"
#include "yupana/analysis/clustering.hpp"
#include "yupana/core/error.hpp"

namespace yupana::analysis {
namespace {

using Numbers = std::vector<std::int64_t>;

// ((2,(0,1)),3) at heights 1, 2.5, 4.
const std::vector<Merge> tree{{0, 1, 1, 2}, {2, 4, 2.5, 3}, {3, 5, 4, 4}};

TEST(LeafOrder, TakesLeftBeforeRight) {
  EXPECT_EQ(leaf_order(tree), (Numbers{3, 2, 0, 1}));
  EXPECT_EQ(leaf_order({}), Numbers{0});
}

TEST(CutTree, NumbersClustersByFirstAppearance) {
  EXPECT_EQ(cut_tree(tree, 1), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(cut_tree(tree, 2), (Numbers{0, 0, 0, 1}));
  EXPECT_EQ(cut_tree(tree, 3), (Numbers{0, 0, 1, 2}));
  EXPECT_EQ(cut_tree(tree, 4), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(cut_tree({}, 1), Numbers{0});
  EXPECT_THROW(cut_tree(tree, 0), Error);
  EXPECT_THROW(cut_tree(tree, 5), Error);
}

TEST(Newick, BranchesAreHalfTheDifferenceOfHeights) {
  EXPECT_EQ(newick(tree, {"A", "B", "C", "D"}), "(D:2,(C:1.25,(A:0.5,B:0.5):0.75):0.75);");
}

TEST(Newick, SmallestTrees) {
  EXPECT_EQ(newick({}, {}), ";");
  EXPECT_EQ(newick({}, {"only one"}), "'only one';");
  EXPECT_EQ(newick({{0, 1, 0, 2}}, {"A", "B"}), "(A:0,B:0);");
}

TEST(Newick, QuotesNamesThatNeedIt) {
  EXPECT_EQ(newick({{0, 1, 2, 2}}, {"it's", "NA_1"}), "('it''s':1,'NA_1':1);");
  EXPECT_EQ(newick({{0, 1, 2, 2}}, {"", "a(b"}), "('':1,'a(b':1);");
  EXPECT_EQ(newick({{0, 1, 2, 2}}, {"a\tb", "x-1.2|\xc3\xa9"}), "('a\tb':1,x-1.2|\xc3\xa9:1);");
  for (const char c : std::string("()[]{}'\":;,_ ")) {
    EXPECT_EQ(newick({}, {std::string("a") + c})[0], '\'') << c;
  }
}

TEST(Newick, BranchesToAnInfiniteMergeHaveNoLength) {
  const std::vector<Merge> apart{
      {0, 1, 1, 2}, {2, 4, test::infinity, 3}, {3, 5, test::infinity, 4}};
  EXPECT_EQ(newick(apart, {"A", "B", "C", "D"}), "(D,(C,(A:0.5,B:0.5)));");
}

TEST(Newick, WantsOneNameALeaf) { EXPECT_THROW(newick(tree, {"A", "B"}), Error); }

TEST(Newick, LeavesOfOneNameAreRefused) {
  try {
    newick({{0, 1, 1, 2}, {2, 3, 2, 3}}, {"A", "B", "A"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "newick: names 1 and 3 are both 'A'; name leaves apart");
    EXPECT_EQ(error.code(), ErrorCode::usage);
  }
}

TEST(Newick, LongChainsDoNotOverflowTheStack) {
  constexpr std::int64_t n = 200000;
  std::vector<Merge> chain{{0, 1, 1, 2}};
  for (std::int64_t i = 2; i < n; ++i) {
    chain.push_back({i, n + i - 2, static_cast<double>(i), i + 1});
  }
  EXPECT_EQ(leaf_order(chain).front(), n - 1);
  EXPECT_EQ(cut_tree(chain, 2).back(), 1);
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < n; ++i) names.push_back(std::to_string(i));
  const std::string text = newick(chain, names);
  EXPECT_EQ(std::count(text.begin(), text.end(), '('), n - 1);
  EXPECT_EQ(std::count(text.begin(), text.end(), ')'), n - 1);
}

}  // namespace
}  // namespace yupana::analysis
