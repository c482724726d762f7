#pragma once

#include <cstdint>
#include <vector>

#include "yupana/forest/prune.hpp"

namespace yupana::forest {

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
