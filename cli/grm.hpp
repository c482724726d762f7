#pragma once

#include "cli/command.hpp"
#include "yupana/genotype/grm.hpp"

namespace yupana::cli {

/// --standardize, of commands that make a relationship matrix.
void add_standardize(Command& command, genotype::Standardize& standardize);

void add_grm(Command& program);
void add_pca(Command& program);

}  // namespace yupana::cli
