#pragma once

#include "cli/command.hpp"
#include "yupana/job/trees.hpp"

namespace yupana::cli {

/// How a table of the tree and forest commands is read. Returns the names of the options, which
/// have no effect on a command that is given no table. `label`: what --label names.
Names add_tree_table(Command& command,
                     job::TreeTable& table,
                     const char* label = "the column of true labels",
                     bool fits = false);
/// tree fit and forest fit.
void add_fit(Command& program, bool forest);

}  // namespace yupana::cli
