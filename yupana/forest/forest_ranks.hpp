#pragma once

#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::forest {

/// fit_forest by several processes, each of which has the whole table and grows trees rank, rank +
/// size, ... on CPUs; on GPUs each grows all. Every rank calls it and returns the same forest,
/// which is that of one process.
template <class T>
ForestResult fit_forest(Context& context,
                        Comm& comm,
                        TableView<T> table,
                        const Target& target,
                        const ForestParams& params = {});

/// Gives every rank the trees of all: trees[t] is that of rank t modulo their number.
void share_trees(Comm& comm, std::vector<Tree>& trees);

}  // namespace yupana::forest
