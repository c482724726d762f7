#pragma once

#include "cli/command.hpp"
#include "yupana/analysis/neighbor_joining.hpp"
#include "yupana/genotype/block_bootstrap.hpp"

namespace yupana::cli {

/// The methods of --tree by their words; upgma is another one for average.
Choices<analysis::TreeMethod> tree_methods();

/// --bootstrap and --block, of commands that count pairs of genotypes and write a tree. The seed is
/// that of --thin.
void add_bootstrap(Command& command, genotype::BootstrapParams& bootstrap);

/// Adds what support is of to `json`, and returns it as a line; of no replicates nothing.
std::string add_support(nlohmann::ordered_json& json,
                        const genotype::BootstrapParams& bootstrap,
                        std::int64_t blocks);

}  // namespace yupana::cli
