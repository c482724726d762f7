#pragma once

#include <vector>

#include "yupana/core/comm.hpp"
#include "yupana/forest/forest.hpp"

namespace yupana::forest {

/// Gives every rank the trees of all: trees[t] is that of rank t modulo their number. Collective.
void share_trees(Comm& comm, std::vector<Tree>& trees);

}  // namespace yupana::forest
