#pragma once

#include <vector>

#include "yupana/forest/forest.hpp"

namespace yupana::forest {

/// Makes every node of trees of numbers predict a quantile of the labels of its rows instead of
/// their mean: the least label that, with those below it, has the share `quantile` of the weight
/// (NumPy's inverted_cdf). The mean of a forest's trees is then that of their quantiles.
///   trees: grown from the table and params; params null: one tree of all rows
///   quantile: above 0, at most 1
///   work: a sort of the labels, then a pass over the rows of each tree a level; memory: 4 bytes a
///   row and thread
///   determinism: exact, as the weights are integers (see tree.hpp): the same for any threads
///   errors: usage for classes or another quantile
template <class T>
void put_leaf_quantiles(Context& context,
                        TableView<T> table,
                        const Target& target,
                        const TreeParams& tree_params,
                        const ForestParams* params,
                        double quantile,
                        std::vector<Tree>& trees);

}  // namespace yupana::forest
