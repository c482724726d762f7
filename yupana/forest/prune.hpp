#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "yupana/core/context.hpp"
#include "yupana/core/table.hpp"
#include "yupana/forest/tree.hpp"

namespace yupana::forest {

/// The nodes that can be reached when those marked are leaves, in preorder.
Tree compacted(const Tree& tree, const std::vector<char>& is_leaf);

/// What growing best first makes of a tree that grew without a limit of leaves: the leaf whose
/// split takes the most off weight x impurity is split next, until there are `leaves`. Of equal
/// ones the first in preorder is split. Nothing where a node at `depth` might have had to be split,
/// as the tree did not grow deeper; unlimited_depth: it ended by itself.
///   source: Shi, Best-first decision tree learning, University of Waikato 2007
std::optional<Tree> best_first(const Tree& tree, std::int64_t leaves, std::int64_t depth);

/// A tree of the cost-complexity path: the least alpha that prunes so far, and what is left.
struct PathPoint {
  double alpha = 0;
  double impurity = 0;  ///< of the leaves, weighted by their share of all weight
  std::int64_t leaves = 0;
};

/// The whole path of minimal cost-complexity pruning, from the tree itself (alpha 0) to its root.
/// The weakest link t has the least (R(t) - R(leaves below t)) / (leaves below t - 1), R being
/// impurity x share of all weight; links equally weak (within 2^-40 of alpha) go together.
///   source: Breiman, Friedman, Olshen, Stone 1984, chapter 3
std::vector<PathPoint> cost_complexity_path(const Tree& tree);

/// Of each node, the alpha at which the path makes it a leaf (or takes it away); 0 for leaves.
std::vector<double> collapse_alphas(const Tree& tree);

/// The tree without links of at most `alpha` (0: the tree itself).
Tree prune_cost_complexity(const Tree& tree, double alpha);

/// Reduced-error pruning: bottom up, a node becomes a leaf where that is wrong on no more rows of a
/// validation table (no larger squared error for numbers) than what is below; so does a node that
/// none of its rows reaches. Leaves keep their values from training.
///   source: Quinlan, Simplifying decision trees, 1987
template <class T>
Tree prune_reduced_error(Context& context,
                         const Tree& tree,
                         TableView<T> table,
                         const Target& target);

/// How trees pruned by each of some alphas score on rows that they did not see.
struct AlphaChoice {
  std::vector<double> alphas;      ///< ascending, from 0: one for each tree of the path
  std::vector<double> scores;      ///< mean over folds of accuracy, or of minus the squared error
  std::vector<double> deviations;  ///< of those means: standard deviation over folds / sqrt(folds)
  std::size_t best = 0;            ///< the largest score, the largest alpha if equal
  std::size_t sparest = 0;         ///< the largest alpha within one deviation of the best

  double best_alpha() const { return alphas[best]; }
  double sparest_alpha() const { return alphas[sparest]; }
};

/// Chooses alpha by cross-validation. The path of the tree of all rows gives intervals [a_k, a_k+1)
/// in which the tree is the same; each is represented by sqrt(a_k a_k+1), the first by 0, the last
/// by its begin. A tree is grown without each fold, and its pruned trees score the fold, all in one
/// descent: a row ends in the highest node of its way that alpha collapses.
///   fold_of: of each row, 0 to folds - 1, no fold empty
///   work: folds + 1 trees; determinism: as fit_tree
///   source: Breiman, Friedman, Olshen, Stone 1984, chapter 3.4
template <class T>
AlphaChoice choose_alpha(Context& context,
                         TableView<T> table,
                         const Target& target,
                         const TreeParams& params,
                         const std::vector<std::int32_t>& fold_of,
                         std::int64_t folds);

}  // namespace yupana::forest
