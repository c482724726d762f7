#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "yupana/analysis/clustering.hpp"

namespace yupana::analysis {

/// A tree whose leaves are the individuals. Nodes 0 .. leaves - 1 are the leaves; inner nodes
/// follow, each after its children, and the last node is the root. Neighbour joining roots its
/// tree at the last node of three children, which says nothing of ancestry.
struct Phylogeny {
  std::int64_t leaves = 0;
  std::vector<std::int64_t> parent;  ///< of each node; -1 of the root
  std::vector<double> length;        ///< of the branch to the parent; NaN: it has none

  std::int64_t nodes() const { return std::ssize(parent); }
  /// Adds a node without a parent yet.
  std::int64_t add_node();
  void attach(std::int64_t child, std::int64_t to, double branch);
};

/// A tree of `leaves` leaves and no inner node.
Phylogeny leaves_alone(std::int64_t leaves);

/// The tree of these merges: branch lengths = differences of height / 2 (ultrametric), none to a
/// merge at infinite height.
Phylogeny phylogeny_of(const std::vector<Merge>& merges);

/// The tree in Newick format, children in the order of their numbers; ends in ";". A name with
/// white space, a control character or one of ()[]{}'":;,_ is written in single quotes (a bare
/// underscore would be read as a blank), quotes inside it doubled. Lengths have the digits that
/// give back the same double; negative ones are written as they are. `support`, if given, holds a
/// number a node, written after the ")" of inner nodes with two decimals at most; NaN: none.
///   errors (usage): names that are not one a leaf
std::string newick(const Phylogeny& tree,
                   const std::vector<std::string>& names,
                   const std::vector<double>& support = {});

/// Of how many other trees the branches of a tree are part of. A branch splits the leaves into two
/// sets; another tree has it where one of its branches makes the same two, wherever its root is.
///   work: O(leaves) a tree (Day 1985): exact, nothing is hashed but pairs of ranks
class SplitCounts {
 public:
  explicit SplitCounts(const Phylogeny& tree);
  /// Throws usage if the other tree has another number of leaves.
  void add(const Phylogeny& other);
  /// Percent of the trees added that have the branch above each node; NaN for the root and where
  /// the branch parts one leaf from all others, as every tree does.
  std::vector<double> percent() const;

 private:
  /// Leaves on the side of a branch without the leaf of rank 0: ranks that follow on each other.
  struct Side {
    std::int64_t first, last;
  };
  std::int64_t key(Side side) const { return side.first * leaves_ + side.last; }

  std::int64_t leaves_;
  std::vector<std::int64_t> rank_;   ///< of each leaf, in the order of a walk through the tree
  std::vector<std::int64_t> split_;  ///< of each node's branch: its key; -1: none is counted
  struct Count {
    std::int64_t trees = 0;
    std::int64_t last = -1;  ///< number of the last tree that had it
  };
  std::unordered_map<std::int64_t, Count> counts_;
  std::int64_t trees_ = 0;
};

}  // namespace yupana::analysis
